//! Identity, single sign-on, captchas, network access.

use crate::sensitive::row::rows;

rows! {
    Bound "okta_header_token" ["SSWS "] r"SSWS 00[A-Za-z0-9_\-]{38,42}" Random(35) 960 Critical
        yes ["SSWS {cut}00UMpadWgivbFZMIbBqf7bmAIL0AQ62cKYDtJe7st0yp" "SSWS {cut}00Ik10F6qxAfv3fMgmMC6LQFLjSzXPvNpMnQqiwo"]
        no ["SSWS {cut}00xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "SSWS {cut}00Ik10F6qxAfv3fMg"]
    Vendor "okta_token" ["okta"] r"00[A-Za-z0-9_\-]{38,42}" Random(35) 750 Critical
        yes ["OKTA_KEY={cut}00nDqHjn2Drijm0NFr96zHgfPOCNtdyHUqqBGLCm" "{\"okta_token\": \"{cut}00DB7oM6Hf41b0hfsjGfOUUYx5iNSKIJ9jcgtDZu1gTL\"}"]
        no ["OKTA_KEY={cut}00xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "okta_url=https://api.okta.com/v1"]
    Vendor "auth0_secret" ["auth0"] r"[A-Za-z0-9_\-]{32,80}" Random(33) 650 Critical
        yes ["AUTH0_KEY={cut}9aasZAXHtf4TUy4hLSPzPrn1fdN5X9Rlce" "{\"auth0_token\": \"{cut}JVaMjf7gXkrpGJda1QD7206tvxl2HkRSjQi\"}"]
        no ["AUTH0_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "auth0_url=https://api.auth0.com/v1"]
    Vendor "onelogin_secret" ["onelogin"] "[0-9a-f]{64}" Entropy(32) 650 Critical
        yes ["ONELOGIN_KEY={cut}21d689edc1bda5967f8f3f746463bbed02dbd76ef2da78ae560156d72635f2b7" "{\"onelogin_token\": \"{cut}57364de7ca7e44c41b15301a0fd5af4e43b729994b8d3ccf13fbc1d59391abef\"}"]
        no ["ONELOGIN_KEY={cut}0000000000000000000000000000000000000000000000000000000000000000" "onelogin_url=https://api.onelogin.com/v1"]
    Bound "jumpcloud_key" ["jca_"] "jca_[A-Za-z0-9]{36}" Random(35) 950 Critical
        yes ["jca_{cut}Ot6n9FTDqXOw66LvxDRLfYKDKAtzsKqum2vx" "jca_{cut}fGVgXBdjaqEhujuHxwg2rTPf90MK1TxOL8jj"]
        no ["jca_{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "jca_{cut}fGVgXBdjaqEhujuH"]
    Vendor "jumpcloud_old_key" ["jumpcloud"] "[0-9a-f]{40}" Entropy(30) 650 Critical
        yes ["JUMPCLOUD_KEY={cut}353881de26aa6f95b003596ec0f3884e6753af9c" "{\"jumpcloud_token\": \"{cut}3055d64c3da67a0fbd6cc5f7334d5b81bb7ecc63\"}"]
        no ["JUMPCLOUD_KEY={cut}0000000000000000000000000000000000000000" "jumpcloud_url=https://api.jumpcloud.com/v1"]
    Bound "stytch_secret" ["secret-live-" "secret-test-"] r"secret-(live|test)-[A-Za-z0-9_\-]{36}=" Shape 960 Critical
        yes ["secret-live-{cut}gVBecVJvJ1GPkfBvaYvKhXDKrVq51w4h86jO=" "secret-test-{cut}U7I7bmDDEHJhjjhqbYYz3UIlnS6vFNDIwqF9="]
        no ["secret-live-{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx=" "secret-test-{cut}U7I7bmDDEHJh"]
    Bound "hcaptcha_secret" ["ES_"] "ES_[0-9a-f]{32}" Entropy(30) 920 Medium
        yes ["ES_{cut}11e51f6984b07470ed35c3abe029452b" "ES_{cut}c6f2a3c5f2094351e595b453ff897439"]
        no ["ES_{cut}00000000000000000000000000000000" "ES_{cut}c6f2a3c5f20943"]
    Bound "turnstile_secret" ["0x4A"] r"0x4AAAAAAA[A-Za-z0-9_\-]{14,30}" Random(30) 930 Medium
        yes ["0x4A{cut}AAAAAAOVdKdqaVf3ZYLYpMMp" "0x4A{cut}AAAAAAhiETxPDafTG1GcZ5P"]
        no ["0x4A{cut}AAAAAAxxxxxxxxxxxxxxxxx" "0x4A{cut}AAAAAAhiE"]
    Vendor "recaptcha_secret" ["recaptcha"] r"6L[A-Za-z0-9_\-]{38}" Entropy(25) 700 Low
        yes ["RECAPTCHA_KEY={cut}6LUUkO7FXBXi1n6kIfU3uW5NpJnZRbp4YD4VMtoI" "{\"recaptcha_token\": \"{cut}6LnKn0kMQDcTjAcOzoRiklbyzlTK1PbzvxDXB7pB\"}"]
        no ["RECAPTCHA_KEY={cut}6Lxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "recaptcha_url=https://api.recaptcha.com/v1"]
    Vendor "duo_secret" ["duo_"] "[A-Za-z0-9]{40}" Random(38) 600 Critical
        yes ["DUO_KEY={cut}g8pjJnV9mS8iGgNVSQp0u08EwNlciepa2RBuhWaD" "{\"duo_token\": \"{cut}J0kTJTocw7MgVVtNz4GbX0edRCrXyPFgReOS0eaa\"}"]
        no ["DUO_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "duo_url=https://api.duo.com/v1"]
    Bound "onepassword_token" ["ops_eyJ"] r"ops_eyJ[A-Za-z0-9+/_\-]{200,2000}={0,2}" Shape 980 Critical
        yes ["ops_eyJ{cut}voGE4dh1DJpi6PwFUVZ5PTCea3sbksaAYdkvdwaVeFC7Zsbh3Wjf0wvbBvKk3ntvLRfWb2GnbYgP6iH2IIfIhWbdfhnYVjHhmdakyjblRzgH574bT6SFiejHhcpZAPXvPE7BLyMwzhwkuX4oCecsaqA1x268dqEgWs1WsitUklR5slA9sqiAAggKTmIAR4zhsWyFzyPO=" "ops_eyJ{cut}M4VqrFChmpu2Rarnq18jViR7XBQvfjnVIn34tKB2IwfIAYyXtXGuxC6MPIxuYFdyttUd2QwtmEqFffZXZHElDglc5ep8xzrleN4trUkxxaLiBYKcS7ygibCHfrFaKRAFCwhx3Dn96eGcwJcPX0pApKHsJfLPn5pHEQ6xqYxyXkbDEDJJsI86CAVM22tx8WIu46EplysAlj6EAYC5ubol6LNB2="]
        no ["ops_eyJ{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "ops_eyJ{cut}M4VqrFChmpu2Rarnq18jViR7XBQvfjnVIn34tKB2IwfIAYyXtXGuxC6MPIxuYFdyttUd2QwtmEqFffZXZHElDglc5ep8xzrleN4trUkxx"]
    Bound "onepassword_secret_key" ["A3-"] "A3-[A-Z0-9]{6}-[A-Z0-9]{6}-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}" Entropy(38) 940 Critical
        yes ["A3-{cut}7V9NE0-FYQSG3-BVIMA-Q9CIE-GFU0X-ZDNWE" "A3-{cut}WEEXXL-TTED0D-TSDT0-GHJIV-IA7FH-JZW8U"]
        no ["A3-{cut}XXXXXX-XXXXXX-XXXXX-XXXXX-XXXXX-XXXXX" "A3-{cut}WEEXXL-TTED0D-TSD"]
    Bound "tailscale_key" ["tskey-"] "tskey-[a-z]{2,12}-[A-Za-z0-9]{6,24}-[A-Za-z0-9]{8,40}" Entropy(25) 960 Critical
        yes ["tskey-{cut}ftboheauia-qccXTRaQ2RD9v-cG0BGsr8P" "tskey-{cut}nqpimdha-zl5VQVgSR-1Yy6JJ8G"]
        no ["tskey-{cut}xxxxxxx-xxxxxxxxxx-xxxxxxxxxxxxxxxx" "tskey-{cut}nqpimdha-z"]
    Vendor "ngrok_token" ["ngrok"] r"[A-Za-z0-9_\-]{27}_[A-Za-z0-9_\-]{20,24}" Random(38) 750 High
        yes ["NGROK_KEY={cut}GBYBCN07nCTaAL5wclzZ8FP6K0l_yObk8DbHjE3ZiP1UHsZf" "{\"ngrok_token\": \"{cut}j4z0jG9UgjC9KOkHWu7TREbAahA_nc6FP4MWbV5IQtkdtMMVrIB\"}"]
        no ["NGROK_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxx_xxxxxxxxxxxxxxxxxxxxxxx" "ngrok_url=https://api.ngrok.com/v1"]
    Vendor "zerotier_token" ["zerotier"] "[A-Za-z0-9]{32}" Random(38) 650 High
        yes ["ZEROTIER_KEY={cut}JpD1TfGkukmM1UGPUZYUapY0Ff4kA5oW" "{\"zerotier_token\": \"{cut}KSPhOnZSbB2Vl9Gs8c4JM3LOImbws916\"}"]
        no ["ZEROTIER_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "zerotier_url=https://api.zerotier.com/v1"]
    Bound "doppler_token" ["dp.pt." "dp.st." "dp.ct." "dp.sa." "dp.scim." "dp.audit." "dp.said."] r"dp\.(pt|ct|sa|said|scim|audit|st(\.[a-z0-9_\-]{2,35})?)\.[A-Za-z0-9]{40,44}" Shape 970 Critical
        yes ["dp.pt.{cut}GY1eGbckFWmy1sVhteH5VP0jnWvSnH0aLTQ2AQEzKVxA" "dp.audit.{cut}mexSLDBxe9FhFR5Xl38a4sk50oOdwekJ10IlH5GvvRoq"]
        no ["dp.pt.{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "dp.audit.{cut}mexSLDBxe9FhFR5Xl"]
    Bound "vault_token" ["hvs." "hvb." "hvr."] r"hv[sbr]\.[A-Za-z0-9_\-]{24,300}" Random(33) 940 Critical
        yes ["hvr.{cut}LZbTEvg7up6yqRZMwSho9swb9ci7A" "hvs.{cut}DIe756wxnAuBQWx2QKttjWPKokDj"]
        no ["hvs.token" "hvs."]
    Vendor "vault_secret" ["vault_token" "vault_secret"] r"(s\.)?[A-Za-z0-9_\-]{20,100}" Random(33) 700 Critical
        yes ["VAULT_TOKEN={cut}fv56Kxsg0uFneMVgnc0zlw3yTTtl" "\"vault_secret\": \"{cut}s.Rym7E5e3GNoCpH9iQohEuIC8x\""]
        no ["VAULT_TOKEN_KEY={cut}xxxxxxxxxxxxxxxxxxxx" "vault_token_url=https://api.vault-token.com/v1"]
    Bound "infisical_token" ["st."] r"st\.[0-9a-f]{24}\.[0-9a-f]{32}\.[0-9a-f]{32}" Shape 950 Critical
        yes ["st.{cut}566caa5a31ee721e852e2b9a.fc4f625be53cfe2e5d0406134b4a3f23.e812340a37b0df1cb9cdc26a6d8a291f" "st.{cut}ef5681768d4db05167dc4964.ae9d5a1033577ce67a1dc9c371cd5786.34731bf22d713f5f51a731d9b86efb30"]
        no ["st.{cut}000000000000000000000000.00000000000000000000000000000000.00000000000000000000000000000000" "st.{cut}ef5681768d4db05167dc4964.ae9d5a1033577ce67a"]
    Bound "openshift_token" ["sha256~"] r"sha256~[A-Za-z0-9_\-]{43}" Shape 960 Critical
        yes ["sha256~{cut}lTcFAIXdxeaxbp9tYZkLJyE3I5G46GULsEN1RP37EQK" "sha256~{cut}RJm9TCBvL9zsvWjKe5STGz8X5DaX5JaKla8oGFxUW4n"]
        no ["sha256~{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "sha256~{cut}RJm9TCBvL9zsvWjKe5"]
    Bound "adobe_secret" ["p8e-"] r"p8e-[A-Za-z0-9_\-]{32}" Random(35) 950 High
        yes ["p8e-{cut}j5snJ3e5HsuJPmxDGre7wAzfV6qnfFj7" "p8e-{cut}doRDeLpaV9YfZDONxhU2ZPqzqg3v69bV"]
        no ["p8e-{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "p8e-{cut}doRDeLpaV9YfZD"]
    Vendor "adobe_key" ["adobe"] "[0-9a-f]{32}" Entropy(30) 600 High
        yes ["ADOBE_KEY={cut}9a59b6a18f23c1f1d326a560b06724bd" "{\"adobe_token\": \"{cut}cd13dae34af3aff761af4e81f21c3ba7\"}"]
        no ["ADOBE_KEY={cut}00000000000000000000000000000000" "adobe_url=https://api.adobe.com/v1"]
    Vendor "anypoint_id" ["anypoint" "mulesoft"] "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}" Entropy(15) 600 High
        yes ["ANYPOINT_KEY={cut}1f642aea-6035-a725-a5ed-a1020f8c2000" "{\"mulesoft_token\": \"{cut}ef0557bc-e875-0a81-b07d-25fe51276d75\"}"]
        no ["ANYPOINT_KEY={cut}00000000-0000-0000-0000-000000000000" "anypoint_url=https://api.anypoint.com/v1"]
    Bound "basic_header" ["Basic "] "Basic [A-Za-z0-9+/]{16,400}={0,2}" Basic 850 High
        yes ["Basic {cut}ZGVwbG95OktxNVI0Mm9LMFhFUlEz" "Basic {cut}ZGVwbG95OmF4aFFGQkt1bjZSb0h3"]
        no ["Basic authentication" "Basic information"]
    Bound "bearer_token" ["Bearer "] r"Bearer [A-Za-z0-9_\-.+/~]{24,2000}={0,2}" Random(38) 860 High
        yes ["Bearer {cut}kqwduLbcoZtqmMYUVTYtblJnYT==" "Bearer {cut}10mnXD1mXjFxkAi3e6dPw5NV"]
        no ["Bearer {cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "Bearer authentication-with-a-token-of-the-user"]
    Bound "json_web_token" ["eyJ"] r"eyJ[A-Za-z0-9_\-]{10,2000}\.[A-Za-z0-9_\-]{10,8000}\.[A-Za-z0-9_\-]{16,2000}" Jwt 900 High
        yes ["eyJ{cut}hbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiAiNTQ1NjUwMjMyIiwgInJvbGUiOiAib3BzIiwgImlzcyI6ICJhdXRoLnRpZGUuaW50ZXJuYWwifQ.3qWVBofdgBydPVdqNZW4cr5BBiTbDE4KMP0by0FcoFSQ1wY4QfWKxHKKGdA7X2w16bvZ4Ibs7y6lfyr16JuwKg" "eyJ{cut}hbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiAiMzk5MjI0MDQ1IiwgInJvbGUiOiAib3BzIiwgImlzcyI6ICJhdXRoLnRpZGUuaW50ZXJuYWwifQ.nOLS46X_nRTyzWC2Efi__xorVmivRpms2V90cLka8eLJaDUFa8mWEKxHLW1OTSrpFJgYGXfa26Tz7egBaFUkrA"]
        no ["eyJhbGciOi..." "eyJ{cut}rZXkiOiJ2YWx1ZSJ9.eyJrZXkiOiJ2YWx1ZSJ9.aaaaBBBBccccDDDDeeee"]
    Bound "nightfall_key" ["NF-"] "NF-[A-Za-z0-9]{32}" Random(33) 900 High
        yes ["NF-{cut}dEt7oysvZE5UGuk8xlOaNYGpUklSV3Oc" "NF-{cut}sBA4lCP8327pBziTZEc5txaSnXaCFUa7"]
        no ["NF-{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "NF-{cut}sBA4lCP8327pBz"]
    Bound "maxmind_licence" ["_mmk"] "[A-Za-z0-9]{6}_[A-Za-z0-9]{29}^_mmk" Shape 960 Medium
        yes ["I4g2cR_HX59KCP9jxZ{cut}6jOT3iakA4vlHKUz47_mmk" "67LG2C_VTGFiQ9PE70{cut}W0fdXOK3b50YJblfN8_mmk"]
        no ["xxxxxx_xxxxxxxxxxx{cut}xxxxxxxxxxxxxxxxxx_mmk" "dXOK3b5{cut}0YJblfN8_mmk"]
}
