//! Chat, calls, webhooks that post for whoever knows them.

use crate::sensitive::row::rows;

rows! {
    Bound "slack_token" ["xoxb-" "xoxp-" "xoxa-" "xoxr-" "xoxs-" "xoxo-" "xoxc-"] r"xox[bparsoc]-[A-Za-z0-9\-]{20,250}" Random(25) 950 Critical
        yes ["xoxc-{cut}RkUljO0tlFlFBO3HwJCWwXqBShul" "xoxa-{cut}JKeSE1eHZTYewH8dGZPUGy"]
        no ["xoxb-{cut}XXXXXXXXXXXX-XXXXXXXXXXXX-XXXXXXXXXXXX" "xoxb-your-token"]
    Bound "slack_app_token" ["xapp-"] "xapp-[0-9]-[A-Z0-9]{8,14}-[0-9]{10,14}-[0-9a-f]{32,64}" Shape 970 Critical
        yes ["xapp-{cut}8-WLSCE2GXC4H-1114106407375-fe757b4d9078ace3c181e4866c42b4b881" "xapp-{cut}3-JXEJSU2K-32870427548013-8be730201d1fb5b9832cb89b92a65780ee"]
        no ["xapp-{cut}2-XXXXXXXXX-00000000000-0000000000000000000000000000000000000" "xapp-{cut}3-JXEJSU2K-32870427548013-8"]
    Bound "slack_config_token" ["xoxe-" "xoxe."] r"xoxe(\.xox[bp])?-[0-9]-[A-Za-z0-9]{60,300}" Shape 960 Critical
        yes ["xoxe.{cut}xoxb-9-0yIqcn5Lr9VEHcH1HmCNJTDxh9YyTLYU8Eu9ehUQimM0p82E2d01gcDVi54JvFW" "xoxe.{cut}xoxp-2-mTRpIoIwP7eGXcRg5Xa0dkGNvcal5sTp7e2ADVKNvdi2hMTzGb1mB7r0uqGtIsdkq"]
        no ["xoxe.{cut}xoxp-1-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "xoxe.{cut}xoxp-2-mTRpIoIwP7eGXcRg5Xa0dkGNvc"]
    Bound "slack_webhook" ["hooks.slack.com"] r"hooks\.slack\.com/(services|workflows|triggers)/[TE][A-Za-z0-9]{6,12}/[A-Z0-9][A-Za-z0-9]{6,20}/[A-Za-z0-9]{16,40}" Shape 930 High
        yes ["hooks.slack.com{cut}/triggers/ExUH7FqD/WvCdxiR8/XV2LEBVG1IgbyDOtV" "hooks.slack.com{cut}/services/EaNB057XgQA/IadxySd8mfbm0p5/3i1AxETCkGriQdQGVp"]
        no ["hooks.slack.com/services/{cut}T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX" "hooks.slack.com/services/"]
    Bound "telegram_bot" [":AA"] r"(bot)?[0-9]{7,10}^:AA[A-Za-z0-9_\-]{32,34}" Shape 940 High
        yes ["api.telegram.org/bot728491056:AA{cut}NSTr76QPoJTbSmIdXD5GmQx3KwwsgzN0p/sendMessage" "208392394:AA{cut}NSTr76QPoJTbSmIdXD5GmQx3KwwsgzN0p" "088989608:AA{cut}0g5lbNRuN853EPQOZpcjAN8VsjehherYk"]
        no ["123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11" "12:AA"]
    Vendor "telegram_token" ["telegram" "tgram" "tg_bot" "bot_token"] r"[0-9]{7,10}:[A-Za-z0-9_\-]{32,37}" Random(38) 750 High
        yes ["TELEGRAM_KEY={cut}2951327:J7Ub6iir11JdMxbTEN8BRWnyrqZiDqICr" "{\"bot_token_token\": \"{cut}5743607:vTv0vrWFtTy7dhm6cb3mJC7tGm0JqUSNHzxL\"}"]
        no ["TELEGRAM_KEY={cut}0000000:xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "telegram_url=https://api.telegram.com/v1"]
    Bound "discord_webhook" ["/api/webhooks/"] r"discord(app)?\.com^/api/webhooks/[0-9]{17,20}/[A-Za-z0-9_\-]{60,80}" Shape 940 High
        yes ["disco{cut}rd.com/api/webhooks/17740796904914080554/Iw1VHOtr7U8WIJ92mFXmLBiu48bXTek9irq5JiOip8CefPo27w5YEY8atinxpNnRIg" "disco{cut}rd.com/api/webhooks/01825007870440049/q9IfyDFhGw5TXKF0pdyT5kZUg28d1xUnkr5P2nPFHkUYhSdPsy3nsvNJYR9Mh"]
        no ["discord.com/api/webhooks/ID/TOKEN" "/api/webhooks/"]
    Bound "discord_bot" ["MTA" "MTE" "MTI" "MTM" "MTQ" "MTU" "MTY" "MTc" "MTg" "MTk" "MjA" "MjE" "MjI" "MjM" "MjQ" "MjU" "MjY" "Mjc" "Mjg" "Mjk" "MzA" "MzE" "MzI" "MzM" "MzQ" "MzU" "MzY" "Mzc" "Mzg" "Mzk" "NDA" "NDE" "NDI" "NDM" "NDQ" "NDU" "NDY" "NDc" "NDg" "NDk" "NTA" "NTE" "NTI" "NTM" "NTQ" "NTU" "NTY" "NTc" "NTg" "NTk" "NjA" "NjE" "NjI" "NjM" "NjQ" "NjU" "NjY" "Njc" "Njg" "Njk" "NzA" "NzE" "NzI" "NzM" "NzQ" "NzU" "NzY" "Nzc" "Nzg" "Nzk" "ODA" "ODE" "ODI" "ODM" "ODQ" "ODU" "ODY" "ODc" "ODg" "ODk" "OTA" "OTE" "OTI" "OTM" "OTQ" "OTU" "OTY" "OTc" "OTg" "OTk"] r"[MNO][A-Za-z0-9_\-]{23,27}\.[A-Za-z0-9_\-]{6}\.[A-Za-z0-9_\-]{27,40}" Entropy(40) 900 Critical
        yes ["OTA{cut}vSsbmHK8tLJzzzoJbxo0Jj.MvvUt9.nG34j3uUuzekhvHdhXQRNYL2nAxaPyC1" "NTc{cut}FSwzztdWbITlZzgdN8Lo1.zRtiSA.VOlKp3cACUJwqtyYs2inK6sw1D1"]
        no ["MyModule.method.call" "MTAwNDU2Nzg5MDEyMzQ1Njc4.short.x"]
    Vendor "discord_token" ["discord"] r"[A-Za-z0-9_\-]{24,28}\.[A-Za-z0-9_\-]{6}\.[A-Za-z0-9_\-]{27,40}" Entropy(38) 750 Critical
        yes ["DISCORD_KEY={cut}e6yGPnD2aY2yrLXOOpKcvVgJVo.0U7vG5.b6YlIG0vDBVRzDTFCOE56bLGa7dudXG" "{\"discord_token\": \"{cut}apeXyhOcnhLRdKT9ryafqmqzoYbb.eTWdmF.htqJlTqbruaRD1Ny3GzI64fKtmm8Ub\"}"]
        no ["DISCORD_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxx.xxxxxx.xxxxxxxxxxxxxxxxxxxxxxxxxxxx" "discord_url=https://api.discord.com/v1"]
    Vendor "discord_client_secret" ["discord"] r"[A-Za-z0-9_\-]{32}" Random(38) 650 High
        yes ["DISCORD_KEY={cut}frVvQoF3aphggkaAD9xNbvRXgNnbrwkg" "{\"discord_token\": \"{cut}KYQTXnTP2jidTP8OXIEzKdl5MBLyqgln\"}"]
        no ["DISCORD_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "discord_url=https://api.discord.com/v1"]
    Bound "teams_webhook" [".webhook.office.com/webhookb2/"] r"[a-z0-9\-]{3,63}^\.webhook\.office\.com/webhookb2/[0-9A-Za-z]{8}-[0-9A-Za-z]{4}-[0-9A-Za-z]{4}-[0-9A-Za-z]{4}-[0-9A-Za-z]{12}@[0-9A-Za-z]{8}-[0-9A-Za-z]{4}-[0-9A-Za-z]{4}-[0-9A-Za-z]{4}-[0-9A-Za-z]{12}/IncomingWebhook/[A-Za-z0-9]{32}/[0-9A-Za-z]{8}-[0-9A-Za-z]{4}-[0-9A-Za-z]{4}-[0-9A-Za-z]{4}-[0-9A-Za-z]{12}" Shape 970 High
        yes ["c5bvht7.webhook.office.com/webhookb2/{cut}84mgJtC0-ZOdB-fPtH-DGcL-JTLWjDnhPVG6@5Gb7nO0Y-YrW7-C5mz-WGaR-QIKJqXIm7M1l/IncomingWebhook/IZNlYeMImQZdWS1zFjXtWFkCubj7dziR/12h8q6zH-j6CZ-IRmO-a3Ba-6VISvMcexMWw" "9i25mpp.webhook.office.com/webhookb2/{cut}NglgkP0r-wQTL-prph-K9Xz-kVREenhT3mzb@gY2SOHti-ZNEu-cnU1-XA3u-OSz7HIC2GBNi/IncomingWebhook/0ol816VQzKyozpbPFivhMA1uiksLHTCs/VVz4SlwC-6tM0-5sdW-9WlL-Pvb5xbKfuom2"]
        no ["acme.webhook.office.com/webhookb2/" "webhook.office.com/webhookb2/0a390c97@0a390c97/IncomingWebhook/"]
    Bound "teams_old_webhook" ["outlook.office.com/webhook/"] r"outlook\.office\.com/webhook/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}@[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/IncomingWebhook/[0-9a-f]{32}/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}" Shape 970 High
        yes ["outlook.office.com/webhook/{cut}65dc9877-b230-7f51-9904-019931fe89cb@2fcbc3ad-d6fc-d124-1524-5107a8d77083/IncomingWebhook/ff9bfc96154beab64d4d3488ae34bf9f/54802f2f-94b5-45c0-7b79-9bdb3c56f7e6" "outlook.office.com/webhook/{cut}34b6a672-cbab-4e5f-28d8-7292e5f6b756@31448ea2-2662-1ac0-c986-b91bef229e9c/IncomingWebhook/e736ef1ea2d8448e8a6320f576fb947c/54bebeb0-6065-57f4-aa0a-8ee87554b06e"]
        no ["outlook.office.com/webhook/{cut}00000000-0000-0000-0000-000000000000@00000000-0000-0000-0000-000000000000/IncomingWebhook/00000000000000000000000000000000/00000000-0000-0000-0000-000000000000" "outlook.office.com/webhook/{cut}34b6a672-cbab-4e5f-28d8-7292e5f6b756@31448ea2-2662-1ac0-c986-b91be"]
    Bound "google_chat_webhook" ["chat.googleapis.com/v1/spaces/"] r"chat\.googleapis\.com/v1/spaces/[A-Za-z0-9_\-]{8,16}/messages\?key=[A-Za-z0-9_\-]{39}&token=[A-Za-z0-9_\-]{20,60}" Shape 960 High
        yes ["chat.googleapis.com/v1/spaces/{cut}78PEqIaaIqMRgbge/messages?key=ki48Y6mHjiEpjFxX2FJCewwnXDGKDfpQCvn16OF&token=AXDKvxo5f88h4LE5OfX1xwOaJVx" "chat.googleapis.com/v1/spaces/{cut}bJNgbF9NsMP/messages?key=pIW7baXSh94NOOpsxSiyXVZYIfsviLhUIHjrEFk&token=zHsSG76C6FxxghxDrN9tVj7Md0h"]
        no ["chat.googleapis.com/v1/spaces/{cut}xxxxxxxxxxxxxxxx/messages?key=xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx&token=xxxxxxxxxxxxxxxxxxxxxxxxxxxx" "chat.googleapis.com/v1/spaces/{cut}bJNgbF9NsMP/messages?key=pIW7baXSh"]
    Bound "zapier_webhook" ["hooks.zapier.com/hooks/catch/"] r"hooks\.zapier\.com/hooks/catch/[A-Za-z0-9]{5,30}(/[A-Za-z0-9]{5,20})?" Entropy(30) 900 Medium
        yes ["hooks.zapier.com/hooks/catch/{cut}G8WgGoL/u32KmQ6h" "hooks.zapier.com/hooks/catch/{cut}6b4NEo1B/b7y1ujVQK"]
        no ["hooks.zapier.com/hooks/catch/" "hooks.zapier.com/hooks/catch/{id}"]
    Bound "make_webhook" [".make.com/"] r"hook\.[a-z0-9]{2,4}^\.make\.com/[a-z0-9]{32}" Shape 920 Medium
        yes ["hook.lxkx.make.com/{cut}11h7x4qczsy3xztbrwe7nuzdkuknvmlz" "hook.uzlr.make.com/{cut}bfwil65dmvs3vdq1w9dmjk53edfms8of"]
        no ["hook.xxxx.make.com/{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "lr.make.com/{cut}bfwil65dmvs3vdq1w9dmjk53edfms8of"]
    Bound "ifttt_key" ["/with/key/"] r"maker\.ifttt\.com/trigger/[A-Za-z0-9_\-]{1,60}^/with/key/[A-Za-z0-9_\-]{20,50}" Shape 940 Medium
        yes ["maker.ifttt.c{cut}om/trigger/sRD/with/key/OzpC8nW8qe0QUWu28Dp9SUe" "maker.ifttt.com/{cut}trigger/uR4sduLDQ/with/key/y3wT2HMesjRLBSOe05Ppr"]
        no ["maker.ifttt.co{cut}m/trigger/xxxxx/with/key/xxxxxxxxxxxxxxxxxxxxxx" "gger/uR{cut}4sduLDQ/with/key/y3wT2HMesjRLBSOe05Ppr"]
    Bound "tines_webhook" [".tines.com/webhook/"] r"[A-Za-z0-9_\-]{1,63}^\.tines\.com/webhook/[0-9a-f]{32}/[0-9a-f]{32}" Shape 950 High
        yes ["3y.tines.com/webhook/{cut}313d990b72bca9beff56a988b5e96735/07a7c70c5922095f3ecd4a92cfba6d59" "Au57Y.tines.com/webhook/{cut}6468b7d37ff7b8d184e284e0d53c61d8/1d8c3db5bc791ac2d9b35ccd963f6fd7"]
        no ["xf.tines.com/webhook/{cut}00000000000000000000000000000000/00000000000000000000000000000000" ".tines.com/webhook/{cut}6468b7d37ff7b8d184e284e0d53c61d8/1d8c3db5bc791ac2d9b35ccd963f6fd7"]
    Bound "dingtalk_webhook" ["oapi.dingtalk.com/robot/send?access_token="] r"oapi\.dingtalk\.com/robot/send\?access_token=[0-9a-f]{64}" Shape 970 High
        yes ["oapi.dingtalk.com/robot/send?access_token={cut}f654711a9c740c7577d0604b94a636d20c554684d45134989c2362d7c92df518" "oapi.dingtalk.com/robot/send?access_token={cut}6b40f7c04acc92f8b6c084e1d411a9a65c468e05f8ef2f362de739f539c47dee"]
        no ["oapi.dingtalk.com/robot/send?access_token={cut}0000000000000000000000000000000000000000000000000000000000000000" "oapi.dingtalk.com/robot/send?access_token={cut}6b40f7c04ac"]
    Bound "feishu_webhook" ["/open-apis/bot/v2/hook/"] r"open\.(feishu\.cn|larksuite\.com)^/open-apis/bot/v2/hook/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}" Shape 960 High
        yes ["open.fe{cut}ishu.cn/open-apis/bot/v2/hook/7312e0ae-a6d5-6ce6-9a1e-d96d42640cc7" "open.lark{cut}suite.com/open-apis/bot/v2/hook/a11899b3-cafd-e50a-3ac3-e6d9ae1d4933"]
        no ["open.fe{cut}ishu.cn/open-apis/bot/v2/hook/00000000-0000-0000-0000-000000000000" "te.com/open-apis/bot/v2/hook/{cut}a11899b3-cafd-e50a-3ac3-e6d9ae1d4933"]
    Bound "wecom_webhook" ["/cgi-bin/webhook/send?key="] r"qyapi\.weixin\.qq\.com^/cgi-bin/webhook/send\?key=[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}" Shape 960 High
        yes ["qyapi.wei{cut}xin.qq.com/cgi-bin/webhook/send?key=46012d84-d593-39f8-9a55-d202328f1f7e" "qyapi.wei{cut}xin.qq.com/cgi-bin/webhook/send?key=970cef4d-c29e-6735-8d2a-43677efdc644"]
        no ["qyapi.wei{cut}xin.qq.com/cgi-bin/webhook/send?key=00000000-0000-0000-0000-000000000000" ".qq.com/cgi-bin/webhook/send?key={cut}970cef4d-c29e-6735-8d2a-43677efdc644"]
    Vendor "mattermost_token" ["mattermost" "mm_token"] "[a-z0-9]{26}" Random(33) 650 High
        yes ["MATTERMOST_KEY={cut}mbaq14hmo6o4w7anu95ma1u29l" "{\"mm_token_token\": \"{cut}2r7lyy6pwriulwyy43lx7mqrzv\"}"]
        no ["MATTERMOST_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxx" "mattermost_url=https://api.mattermost.com/v1"]
    Vendor "line_token" ["line_notify" "line_channel" "line_token" "linenotify"] "[A-Za-z0-9+/=]{43,172}" Random(38) 650 High
        yes ["LINE_NOTIFY_KEY={cut}rWJs43m3ftSjBKf1KshDnrUpzN0t4Pt3evpTH1lmIOi" "{\"linenotify_token\": \"{cut}UYraYVCTaaIT9YLoqW978cnLNKRGjgkcVj4FUFcvKLDJwoAx\"}"]
        no ["LINE_NOTIFY_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "line_notify_url=https://api.line-notify.com/v1"]
    Vendor "zoom_secret" ["zoom_"] "[A-Za-z0-9]{32,43}" Random(38) 600 High
        yes ["ZOOM_KEY={cut}POvGhCxFgpl2koKG1XJAAocFJZ4fL7ZS" "{\"zoom_token\": \"{cut}7rpDabqyfuDActsh8mNrOOqNTIyj0y2KtV\"}"]
        no ["ZOOM_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "zoom_url=https://api.zoom.com/v1"]
    Vendor "webex_token" ["webex"] r"[A-Za-z0-9_\-]{60,110}" Random(38) 650 High
        yes ["WEBEX_KEY={cut}aDniRsCW1xtxYCXRk3EKfNndWNSI9kFZ1UAZ1Vz8pxrBUDlnWyYK3D7Uv8Y6tk7" "{\"webex_token\": \"{cut}0g4omOgMFkriLpihgX0HoYiwqWtyggRRMO10ZQhgikvCIegQ9TWg0ZEdVxBrLsPOWje\"}"]
        no ["WEBEX_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "webex_url=https://api.webex.com/v1"]
    Bound "intercom_token" ["dG9rO"] "dG9rO[A-Za-z0-9+/]{54,60}={0,2}" Shape 950 High
        yes ["dG9rO{cut}PREF3JfreJmMkrWuH6ojDM7UAl7hDKVOoIWH0y6p2VJ3Yxu9bOX8us9xPrez" "dG9rO{cut}tkQfWWOnOkUcyfVKnP9jMOJ554OqYVA9GgvFcT7HJjwVoHIiGwnzxmz"]
        no ["dG9rO{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx=" "dG9rO{cut}tkQfWWOnOkUcyfVKnP9jMOJ55"]
    Vendor "intercom_key" ["intercom"] r"[A-Za-z0-9_\-]{60}" Random(38) 600 High
        yes ["INTERCOM_KEY={cut}Hgkt7wNTaAdDp6ikNbWO2QTZBxjFsA31nKwe6TUpUgDJf79PhkKNggYpQ7ke" "{\"intercom_token\": \"{cut}8saQ0hC60uiJ7HMQrCO2JNI2mrZvS38Sq5fNwkuS05N1IRpmXtJ9WebVvz5S\"}"]
        no ["INTERCOM_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "intercom_url=https://api.intercom.com/v1"]
    Vendor "zendesk_token" ["zendesk"] "[A-Za-z0-9]{40}" Random(38) 650 High
        yes ["ZENDESK_KEY={cut}7vw6hOOcdZTFAksZxF1WonxiRDIy8ODIWNOe2yXH" "{\"zendesk_token\": \"{cut}kB6EMm6q13DzdbNinFfn8dXfQLY5gPJoJ8AEg3LH\"}"]
        no ["ZENDESK_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "zendesk_url=https://api.zendesk.com/v1"]
    Vendor "freshdesk_key" ["freshdesk" "freshservice" "freshchat"] "[A-Za-z0-9]{20}" Random(33) 600 High
        yes ["FRESHDESK_KEY={cut}Fg9raExtTvAxGB6KZROG" "{\"freshchat_token\": \"{cut}Hbmz7NgV6Kh4X3COotvy\"}"]
        no ["FRESHDESK_KEY={cut}xxxxxxxxxxxxxxxxxxxx" "freshdesk_url=https://api.freshdesk.com/v1"]
    Vendor "pusher_secret" ["pusher"] "[0-9a-f]{20}" Entropy(28) 600 High
        yes ["PUSHER_KEY={cut}a99e1229eec8716c9494" "{\"pusher_token\": \"{cut}da183046a60f7b6f65f2\"}"]
        no ["PUSHER_KEY={cut}00000000000000000000" "pusher_url=https://api.pusher.com/v1"]
    Bound "pubnub_key" ["pub-c-" "sub-c-" "sec-c-"] "(pub|sub)-c-[0-9A-Za-z]{8}-[0-9A-Za-z]{4}-[0-9A-Za-z]{4}-[0-9A-Za-z]{4}-[0-9A-Za-z]{12}" Shape 930 High
        yes ["pub-c-{cut}55WEbfhm-tSSf-VRpH-ioJ6-is3XAhFyP03X" "sub-c-{cut}FsYV2N9u-MZ6m-5Q11-H2yx-b1ZhRoFNRzHB"]
        no ["sub-c-{cut}xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx" "sub-c-{cut}FsYV2N9u-MZ6m-5"]
    Bound "pubnub_secret" ["sec-c-"] "sec-c-[A-Za-z0-9+/]{40,70}={0,2}" Shape 940 High
        yes ["sec-c-{cut}cEe85V4SXSf9mCqm5xvAYNOoHlQqHqLid7YshVyau3Yy1Rk" "sec-c-{cut}9L7ZXV6T64yYLsABenIDJDkw2wuRhmCqhVih78ihjl"]
        no ["sec-c-{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx==" "sec-c-{cut}9L7ZXV6T64yYLsABen"]
    Vendor "sendbird_token" ["sendbird"] "[0-9a-f]{24,40}" Entropy(30) 600 High
        yes ["SENDBIRD_KEY={cut}1610fb58ac9b17cb361bf1269f0fe1" "{\"sendbird_token\": \"{cut}c80b08716486b73e56e1ee2be\"}"]
        no ["SENDBIRD_KEY={cut}0000000000000000000000000000000" "sendbird_url=https://api.sendbird.com/v1"]
    Bound "twilio_sid" ["AC0" "AC1" "AC2" "AC3" "AC4" "AC5" "AC6" "AC7" "AC8" "AC9" "ACa" "ACb" "ACc" "ACd" "ACe" "ACf" "SK0" "SK1" "SK2" "SK3" "SK4" "SK5" "SK6" "SK7" "SK8" "SK9" "SKa" "SKb" "SKc" "SKd" "SKe" "SKf"] "(AC|SK)[0-9a-f]{32}" Entropy(30) 850 Critical
        yes ["AC{cut}3b9336fe723c75945a173ad17ed8f206" "Fallback key: SK{cut}2293de36355a6d70c9abfd0c1d5397e3 for calls"]
        no ["AC{cut}00000000000000000000000000000000" "SK{cut}2293de36355a6d70c9abfd0c1d5397e3ff"]
    Vendor "twilio_key" ["twilio"] "(SK|AC)?[0-9a-fA-F]{32}" Entropy(30) 700 Critical
        yes ["TWILIO_KEY={cut}AC3B9336fE723C75945a173aD17Ed8F206" "{\"twilio_token\": \"{cut}2293De36355a6D70C9ABfD0C1d5397e3\"}"]
        no ["TWILIO_ACCOUNT_SID=AC{cut}00000000000000000000000000000000" "twilio_from=+15005550006"]
    Vendor "vonage_secret" ["vonage" "nexmo"] "[A-Za-z0-9]{16}" Random(33) 600 High
        yes ["VONAGE_KEY={cut}v5b2JkIr0DqJ4JrA" "{\"nexmo_token\": \"{cut}ohFFqUmWP2k8i4fJ\"}"]
        no ["VONAGE_KEY={cut}xxxxxxxxxxxxxxxx" "vonage_url=https://api.vonage.com/v1"]
    Vendor "plivo_key" ["plivo"] "[A-Za-z0-9]{20,40}" Random(33) 600 High
        yes ["PLIVO_KEY={cut}pdqL1F0d8w8QoZZRWKwo" "{\"plivo_token\": \"{cut}RPO5jRTgxiKv2yitmogIcUjw9swF\"}"]
        no ["PLIVO_KEY={cut}xxxxxxxxxxxxxxxxxxxxx" "plivo_url=https://api.plivo.com/v1"]
    Vendor "messagebird_key" ["messagebird"] "[A-Za-z0-9]{25}" Random(33) 600 High
        yes ["MESSAGEBIRD_KEY={cut}aYEs0A6XMoH748RlbiDzyTKMI" "{\"messagebird_token\": \"{cut}yyhjBMgi9fJJtFFra8Sbc3FOS\"}"]
        no ["MESSAGEBIRD_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxx" "messagebird_url=https://api.messagebird.com/v1"]
    Bound "telnyx_key" ["KEY0"] "KEY0[0-9A-F]{31}_[A-Za-z0-9]{22}" Shape 960 High
        yes ["KEY0{cut}4A1705B37E62606CCFEE5E6C7FE3F49_qtkWkG1V8qiTiTAbm5Z8kw" "KEY0{cut}738557E5ABDD17600A6D507576D3F96_F2yW93dT6oozrtvuvsGV7m"]
        no ["KEY0{cut}0000000000000000000000000000000_xxxxxxxxxxxxxxxxxxxxxx" "KEY0{cut}738557E5ABDD17600A6D50757"]
    Vendor "telnyx_old_key" ["telnyx"] r"KEY[A-Za-z0-9_\-]{50,60}" Random(38) 700 High
        yes ["TELNYX_KEY={cut}KEYtqgJVx2k2rkm814ZxErsoOsU679FsDFNM5ZaZ2f421Fo2RR3gsPEArG2" "{\"telnyx_token\": \"{cut}KEYJQiIdthwTBc37sebzMAB1eamlfqVrYsIcEtFfncqJKUvOyy0F8zYbAkwt\"}"]
        no ["TELNYX_KEY={cut}KEYxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "telnyx_url=https://api.telnyx.com/v1"]
    Bound "courier_key" ["pk_prod_" "pk_test_"] "pk_(prod|test)_[A-Z0-9]{28}" Random(33) 920 High
        yes ["pk_test_{cut}AUE4JF0PCKKCTUOTGWR6D258UPLH" "pk_test_{cut}1V0GWTQ68LCODVC881UXERJB8OE3"]
        no ["pk_prod_{cut}XXXXXXXXXXXXXXXXXXXXXXXXXXXX" "pk_test_{cut}1V0GWTQ68L"]
    Bound "onesignal_key" ["os_v2_app_" "os_v2_org_"] "os_v2_(app|org)_[a-z0-9]{90,110}" Shape 960 High
        yes ["os_v2_app_{cut}np4aszvzya9mnyeqdlam5yxgjom4y1d8ife0933bqjy3fldjrjcre4rulwbp8rz9ykoj5bq9ccw5zmilp7ku9eb7c9c06rww" "os_v2_org_{cut}fkcliykmdt155ijw4e6z5sftequ7cm17qzsq45vnxes3t4bxtb4gr7a8xaggzb3awm5gzetpgt9fw1rvx0cd743c9smd31l41j"]
        no ["os_v2_app_{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "os_v2_org_{cut}fkcliykmdt155ijw4e6z5sftequ7cm17qzsq45vnxes3"]
    Vendor "onesignal_old_key" ["onesignal"] "[A-Za-z0-9]{48}" Random(38) 650 High
        yes ["ONESIGNAL_KEY={cut}7nRqP7pt9GXLmvnl6fEy0Pa7aL6cEQAscmbrOCbPQi5ROwIQ" "{\"onesignal_token\": \"{cut}0n6Sqobc2IQnAXJ4DXalPWIEhkqSRzSghxZEuVKEynXRYZoZ\"}"]
        no ["ONESIGNAL_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "onesignal_url=https://api.onesignal.com/v1"]
    Vendor "pushover_token" ["pushover"] "[a-z0-9]{30}" Random(33) 600 Medium
        yes ["PUSHOVER_KEY={cut}u23emq9zzxgm7cfjnegz63grcusoek" "{\"pushover_token\": \"{cut}jgmrk9fezd2phtscrkcoy5it1s65q2\"}"]
        no ["PUSHOVER_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "pushover_url=https://api.pushover.com/v1"]
    Vendor "pushbullet_token" ["pushbullet"] r"(o\.)?[A-Za-z0-9]{32,34}" Random(33) 650 Medium
        yes ["PUSHBULLET_KEY={cut}o.BxDlg5ga7A9Z3ztf2k5hbA1NIZlValLn2" "{\"pushbullet_token\": \"{cut}o.sLdFYheIsiQvj78EUIqU0IaXk91jci4hCt\"}"]
        no ["PUSHBULLET_KEY={cut}o.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "pushbullet_url=https://api.pushbullet.com/v1"]
    Vendor "gitter_token" ["gitter"] r"[A-Za-z0-9_\-]{40}" Random(33) 600 Medium
        yes ["GITTER_KEY={cut}TrNoL6D5MiUqzRULOKcRf3PEs4cVgtTJiQEnfdQL" "{\"gitter_token\": \"{cut}dhif0sVBOjB3bg3075JLihBMo4hJvHLE1N7cnnde\"}"]
        no ["GITTER_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "gitter_url=https://api.gitter.com/v1"]
    Vendor "wechat_secret" ["wechat" "weixin" "wx_secret"] "[0-9a-f]{32}" Entropy(30) 600 High
        yes ["WECHAT_KEY={cut}5c659f7e4c6b4afd90293d0c83ed4cf8" "{\"wx_secret_token\": \"{cut}a63900def31472ebedc938a98d2f9a48\"}"]
        no ["WECHAT_KEY={cut}00000000000000000000000000000000" "wechat_url=https://api.wechat.com/v1"]
    Bound "voiceflow_key" ["VF.DM." "VF.WS."] r"VF\.(DM|WS)\.[0-9a-f]{24}\.[A-Za-z0-9]{16}" Shape 960 High
        yes ["VF.DM.{cut}cd85f140cfb7506f3ecbe48d.f9PXu1amcDDXC9LW" "VF.WS.{cut}f103c71803ef598614ed5e1e.WurpwUgk5ffA6wf0"]
        no ["VF.WS.{cut}000000000000000000000000.xxxxxxxxxxxxxxxx" "VF.WS.{cut}f103c71803ef59861"]
    Vendor "front_token" ["frontapp" "front_api"] r"[A-Za-z0-9_\-.]{60,300}" Random(38) 600 High
        yes ["FRONTAPP_KEY={cut}0IOUx0d8rT47TZ316QlT6uh3MfNhaVYWEqaNijt4o5O5Pp61T7LCI3lH625S" "{\"front_api_token\": \"{cut}O1Zt2HucYINanB7lyqvWq6JLFB4fc8FIQ7JfL0XBMjbndvFwNLXDLKT23InhbsHp\"}"]
        no ["FRONTAPP_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "frontapp_url=https://api.frontapp.com/v1"]
    Vendor "helpscout_secret" ["helpscout"] "[A-Za-z0-9]{32,56}" Random(33) 600 High
        yes ["HELPSCOUT_KEY={cut}OlVTyIiTPVEwEKfRp3JK4aSQJBmFXKRIxE6q" "{\"helpscout_token\": \"{cut}mXa1tEfiF13ymuwXc1TSxoG0CbaUu58R\"}"]
        no ["HELPSCOUT_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "helpscout_url=https://api.helpscout.com/v1"]
}
