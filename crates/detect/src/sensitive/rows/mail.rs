//! Mail services and campaigns.

use crate::sensitive::row::rows;

rows! {
    Bound "sendgrid_key" ["SG."] r"SG\.[A-Za-z0-9_\-]{20,24}\.[A-Za-z0-9_\-]{39,50}" Shape 960 Critical
        yes ["SG.{cut}78PqnPOYKvgbQp7JUMEHxTM.RolodBOvRg6OqMAcOK8oA1y0a7R1xEyog2Ac67G1EUbZ" "SG.{cut}MuehfZ2TPxk1Hxw3IhhjkFuN.OrTDJp3MQsYwv9JXXbWVJTSYeF47va10uR5o1YVxaQq2EPK"]
        no ["SG.EXAMPLE" "SG.a.b"]
    Bound "mailgun_key" ["key-"] "key-[0-9a-f]{32}" Entropy(30) 900 High
        yes ["key-{cut}c252c6e32fbcdb722eea4887cba8bdab" "key-{cut}0925ac530aec3ae2c7b0854b858e5c72"]
        no ["key-value" "key-{cut}00000000000000000000000000000000"]
    Vendor "mailgun_new_key" ["mailgun"] "([0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}|(pubkey-)?[0-9a-f]{32})" Entropy(30) 700 High
        yes ["MAILGUN_KEY={cut}ae3efd840d29da12762ce7e7897036b9-a3da47a8-06f60c53" "{\"mailgun_token\": \"{cut}c88f7f771954b016c7f20f9e1fa72087\"}"]
        no ["MAILGUN_KEY={cut}00000000000000000000000000000000" "mailgun_url=https://api.mailgun.com/v1"]
    Bound "mailchimp_key" ["-us"] "[0-9a-f]{32}^-us[0-9]{1,2}" Entropy(30) 900 High
        yes ["cbe7016434d9479e{cut}bf2abf33c2b837b4-us4" "9135b8d772b28b58{cut}f7a72a4ed45b3288-us07"]
        no ["region-us1" "00000000-us"]
    Vendor "mandrill_key" ["mandrill"] r"(md-)?[A-Za-z0-9_\-]{22}" Random(33) 700 High
        yes ["MANDRILL_KEY={cut}md-6v4oRLPsunre9IFYCZ1h8j" "{\"mandrill_token\": \"{cut}UPlETZO9Kq2ElqFfTSiDYn\"}"]
        no ["MANDRILL_KEY={cut}xxxxxxxxxxxxxxxxxxxxxx" "mandrill_url=https://api.mandrill.com/v1"]
    Bound "brevo_key" ["xkeysib-" "xsmtpsib-"] "x(key|smtp)sib-[0-9a-f]{64}-[A-Za-z0-9]{16}" Shape 970 High
        yes ["xsmtpsib-{cut}3e1c2bfb7941082e7e4fc06f11f94c290ce4fb226c281422d17fe927a1971164-7WcrcCmrS0HIHofh" "xkeysib-{cut}fae8b40d2bd0de91589c306166e9f870ff013112df26b89ac2e3b6f881a02d89-fWJCuPiu4v8hZB3k"]
        no ["xkeysib-{cut}0000000000000000000000000000000000000000000000000000000000000000-xxxxxxxxxxxxxxxx" "xkeysib-{cut}fae8b40d2bd0de91589c306166e9f870ff01"]
    Vendor "postmark_token" ["postmark"] "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}" Entropy(25) 650 High
        yes ["POSTMARK_KEY={cut}a4b3e7fc-f279-5fb7-4ec5-3ccd9652bd20" "{\"postmark_token\": \"{cut}bc5aeecf-4dba-e275-aef0-81debbc19a8b\"}"]
        no ["POSTMARK_KEY={cut}00000000-0000-0000-0000-000000000000" "postmark_url=https://api.postmark.com/v1"]
    Bound "resend_key" ["re_"] "re_[A-Za-z0-9]{8}_[A-Za-z0-9]{24}" Random(35) 930 High
        yes ["re_{cut}oLuWkyVs_s7uX9uSzTXhJwIHwE63pwt35" "re_{cut}FizpItP3_iUGSl4NdZD0PAQD0RglujxeD"]
        no ["re_{cut}xxxxxxxx_xxxxxxxxxxxxxxxxxxxxxxxx" "re_validate_every_configuration"]
    Vendor "mailjet_key" ["mailjet"] "[0-9a-f]{32}" Entropy(30) 600 High
        yes ["MAILJET_KEY={cut}c5f46e65d7ed2dfdbfcd54e6bb2d278a" "{\"mailjet_token\": \"{cut}6e78ac64b00ab6e4e9fe64b7dc686e1c\"}"]
        no ["MAILJET_KEY={cut}00000000000000000000000000000000" "mailjet_url=https://api.mailjet.com/v1"]
    Vendor "sparkpost_key" ["sparkpost"] "[0-9a-f]{40}" Entropy(30) 650 High
        yes ["SPARKPOST_KEY={cut}5201f511515f1ad00041e6c2a5150f62cefa7f0e" "{\"sparkpost_token\": \"{cut}3d1e9d97e2bcdba196bbc67f3e7faa5760970ff6\"}"]
        no ["SPARKPOST_KEY={cut}0000000000000000000000000000000000000000" "sparkpost_url=https://api.sparkpost.com/v1"]
    Bound "mailersend_token" ["mlsn."] r"mlsn\.[0-9a-f]{64}" Shape 960 High
        yes ["mlsn.{cut}ac2b4bc5db1ca89f56c550a8b4c045527e645242a524bbf89d91b7263e3352d7" "mlsn.{cut}81e50773ddd7492f49026bddffcf6b59a5c241f8c3ac060fc0f98c4e766af193"]
        no ["mlsn.{cut}0000000000000000000000000000000000000000000000000000000000000000" "mlsn.{cut}81e50773ddd7492f49026bddffcf6"]
    Bound "klaviyo_key" ["pk_"] "pk_([A-Za-z0-9]{6}_)?[0-9a-f]{34}" Entropy(30) 920 High
        yes ["pk_{cut}736c5cdd9558acd80562afed57c5e27782" "pk_{cut}jlth7n_e6a4879dc32437065d96980325c8b63fdd"]
        no ["pk_{cut}0000000000000000000000000000000000" "pk_column_of_table"]
    Vendor "customerio_key" ["customerio" "customer_io"] "[0-9a-f]{20,32}" Entropy(28) 600 High
        yes ["CUSTOMERIO_KEY={cut}390687f90c6221e0acb9ce" "{\"customer_io_token\": \"{cut}685c0fea12558c781400de53a9f\"}"]
        no ["CUSTOMERIO_KEY={cut}000000000000000000000000000" "customerio_url=https://api.customerio.com/v1"]
    Vendor "activecampaign_key" ["activecampaign"] "[0-9a-f]{72}" Entropy(32) 650 High
        yes ["ACTIVECAMPAIGN_KEY={cut}6bf46c06c9ddb5ea1fd29f43e7371a0ff14bf78f7593f25af58372a0791b13b2a3750bd5" "{\"activecampaign_token\": \"{cut}89ee737f4d673225783163f1941ab790604ce7f9e9f545edd5a99943953a854a5e85a00e\"}"]
        no ["ACTIVECAMPAIGN_KEY={cut}000000000000000000000000000000000000000000000000000000000000000000000000" "activecampaign_url=https://api.activecampaign.com/v1"]
    Vendor "convertkit_key" ["convertkit"] r"[A-Za-z0-9_\-]{22,43}" Random(33) 600 Medium
        yes ["CONVERTKIT_KEY={cut}e9mxCLsPgr4MhTzn0zmFfCM" "{\"convertkit_token\": \"{cut}NxoQsrfj581vtCSnFslRkfz0u3V09N\"}"]
        no ["CONVERTKIT_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxx" "convertkit_url=https://api.convertkit.com/v1"]
    Vendor "elasticemail_key" ["elasticemail" "elastic_email"] "[A-Za-z0-9]{36,96}" Random(33) 600 High
        yes ["ELASTICEMAIL_KEY={cut}nrE5fRVoTj1ImXpXN3vyBhSWvZeE1MNh8bfRUnZW9" "{\"elastic_email_token\": \"{cut}IDYEVO5Xg4gM7BLRWBBu2IYKA2aElynBA1o2Iv\"}"]
        no ["ELASTICEMAIL_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "elasticemail_url=https://api.elasticemail.com/v1"]
    Vendor "ses_smtp_password" ["ses_smtp" "ses_password" "smtp_password"] "B[A-Za-z0-9+/]{43}" Random(38) 700 High
        yes ["SES_SMTP_KEY={cut}BZRkvaRnx2nx96XV2RhkRNqQgOxAVmHbgYMT137zuNub" "{\"smtp_password_token\": \"{cut}BBph3yIgUmESTprtZ0eMz44vBRktnH8lXuDNYjSlFovv\"}"]
        no ["SES_SMTP_KEY={cut}Bxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "ses_smtp_url=https://api.ses-smtp.com/v1"]
    Bound "zeptomail_key" ["Zoho-enczapikey "] "Zoho-enczapikey [A-Za-z0-9+/=]{60,200}" Shape 960 High
        yes ["Zoho-enczapikey {cut}T0TFdiPR555oA7QGDo8OhmEFowUYIHUQhNT2MtfPHsfSivlhRoeX827dJNUBvXEm" "Zoho-enczapikey {cut}xCtWM2k18wFJEkAw2N33GlEdpROPEiACeEw79ALONK882BKpy3Guc4a9TQ3Kr"]
        no ["Zoho-enczapikey {cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "Zoho-enczapikey {cut}xCtWM2k18wFJEkAw2N33Gl"]
    Vendor "mailtrap_token" ["mailtrap"] "[0-9a-f]{32}" Entropy(30) 600 Medium
        yes ["MAILTRAP_KEY={cut}d428caf73075836a7f6e3dd7568fc0b0" "{\"mailtrap_token\": \"{cut}a83fa98d9609bfae5fbd6355802c3d0d\"}"]
        no ["MAILTRAP_KEY={cut}00000000000000000000000000000000" "mailtrap_url=https://api.mailtrap.com/v1"]
    Bound "hubspot_token" ["pat-na1-" "pat-na2-" "pat-eu1-" "pat-ap1-"] "pat-(na1|na2|eu1|ap1)-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}" Shape 960 High
        yes ["pat-na1-{cut}3dc0b34c-ff8b-3696-29ed-2aca24edc2e7" "pat-eu1-{cut}03fa6e19-0fdd-819b-4c91-8782081988ce"]
        no ["pat-na2-{cut}00000000-0000-0000-0000-000000000000" "pat-eu1-{cut}03fa6e19-0fdd-"]
    Vendor "hubspot_old_key" ["hubspot" "hapikey"] "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}" Entropy(25) 650 High
        yes ["HUBSPOT_KEY={cut}4713f01b-abe4-6cfb-f510-fed2c1fb6f66" "{\"hapikey_token\": \"{cut}0aca176a-4741-5b83-f09d-41b0d262b723\"}"]
        no ["HUBSPOT_KEY={cut}00000000-0000-0000-0000-000000000000" "hubspot_url=https://api.hubspot.com/v1"]
    Bound "zoho_token" ["1000."] r"1000\.[0-9a-f]{32}\.[0-9a-f]{32}" Shape 950 High
        yes ["1000.{cut}5b4e8fa6bd38dc05944db343c3e46d19.83021d346d6ec7a4d527dd01adddda3a" "1000.{cut}b9df1c674963e4408ee66c925394ea29.900838a38a38cfe0e211303815d4ec2f"]
        no ["1000.{cut}00000000000000000000000000000000.00000000000000000000000000000000" "1000.{cut}b9df1c674963e4408ee66c925394ea"]
    Vendor "getresponse_key" ["getresponse"] "[a-z0-9]{26,36}" Random(33) 600 Medium
        yes ["GETRESPONSE_KEY={cut}c4taypzl38adl8aea8q24x8ldz3" "{\"getresponse_token\": \"{cut}ch32mnrkp2drxa6e1bdb5hphok2i499a7h\"}"]
        no ["GETRESPONSE_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "getresponse_url=https://api.getresponse.com/v1"]
    Vendor "mailerlite_key" ["mailerlite"] "[0-9a-f]{32}" Entropy(30) 600 Medium
        yes ["MAILERLITE_KEY={cut}d1697895e56d78177edf0e6e4f4a77e8" "{\"mailerlite_token\": \"{cut}47fc2e91638b650f0b2be2aa7f131256\"}"]
        no ["MAILERLITE_KEY={cut}00000000000000000000000000000000" "mailerlite_url=https://api.mailerlite.com/v1"]
    Vendor "sendpulse_secret" ["sendpulse"] "[0-9a-f]{32}" Entropy(30) 600 Medium
        yes ["SENDPULSE_KEY={cut}8d08ecf41a250d115db60b7b6c264ba4" "{\"sendpulse_token\": \"{cut}110cea78ffff50275bb1a909cc425adc\"}"]
        no ["SENDPULSE_KEY={cut}00000000000000000000000000000000" "sendpulse_url=https://api.sendpulse.com/v1"]
    Vendor "lemlist_key" ["lemlist"] "[0-9a-f]{32}" Entropy(30) 600 Medium
        yes ["LEMLIST_KEY={cut}847b213dc3fb0cc43bd5887628feacf4" "{\"lemlist_token\": \"{cut}a052589f7c3902f142f757e23a536c35\"}"]
        no ["LEMLIST_KEY={cut}00000000000000000000000000000000" "lemlist_url=https://api.lemlist.com/v1"]
    Vendor "hunter_key" ["hunter_api" "hunterio" "hunter_key"] "[0-9a-f]{40}" Entropy(32) 600 Medium
        yes ["HUNTER_API_KEY={cut}110cfb9bd74b2eb72504169c30af73e0ee263623" "{\"hunter_key_token\": \"{cut}492917afd379e975f9916fea04607aad097f5cc3\"}"]
        no ["HUNTER_API_KEY={cut}0000000000000000000000000000000000000000" "hunter_api_url=https://api.hunter-api.com/v1"]
    Vendor "kickbox_key" ["kickbox"] "(live|test)_[A-Za-z0-9]{32,64}" Random(33) 650 Medium
        yes ["KICKBOX_KEY={cut}live_WInd43Z5W37skgITJOMaDcNlO6uB3mnfVmr3ztw" "{\"kickbox_token\": \"{cut}live_wV8pDng33gJxfvJCtuSnDzz7dPegaEqtZ\"}"]
        no ["KICKBOX_KEY={cut}live_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "kickbox_url=https://api.kickbox.com/v1"]
    Vendor "zerobounce_key" ["zerobounce"] "[A-Za-z0-9]{32}" Random(33) 600 Medium
        yes ["ZEROBOUNCE_KEY={cut}oG4YzO9EDInFQMRhACE2NL9p4ACzsHie" "{\"zerobounce_token\": \"{cut}xbo8k9p1SDu7VoZC0onQzgtwrafSTpS9\"}"]
        no ["ZEROBOUNCE_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "zerobounce_url=https://api.zerobounce.com/v1"]
    Vendor "mailsac_key" ["mailsac"] "k_[A-Za-z0-9]{36,40}" Random(33) 650 Medium
        yes ["MAILSAC_KEY={cut}k_gCQZtfVGo7pnDWrWNybqAyEnu6YRAF1Omeszy13d" "{\"mailsac_token\": \"{cut}k_1IbqXZBzNwTqIg6SIrrH8jCsso8Aw7w3ZdFd\"}"]
        no ["MAILSAC_KEY={cut}k_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "mailsac_url=https://api.mailsac.com/v1"]
}
