//! Social networks, media, maps, weather.

use crate::sensitive::row::rows;

rows! {
    Bound "facebook_token" ["EAA"] "EAA[A-Za-z0-9]{80,400}" Random(38) 930 High
        yes ["EAA{cut}eUx2cPgytoCX7m52fRe0OGocn36slLba1rUYV6lQdw2dceBvnN2ZqKKkFX4HnoB8VU6R7To98yXA1WMh" "EAA{cut}YNTpNWcVaPqKhV2wtmYIgdrhpm4MebFBjoN2ti0LCORzkJ7TRvFtlNqaRWvd51NJ447HsmW2H0DvvueEwLTEa5"]
        no ["EAA{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "EAA{cut}YNTpNWcVaPqKhV2wtmYIgdrhpm4MebFBjoN2ti0LC"]
    Vendor "facebook_secret" ["facebook" "fb_app" "fb_secret" "fbsecret"] "[0-9a-f]{32}" Entropy(30) 650 High
        yes ["FACEBOOK_KEY={cut}b78092d113653cb0d08f3012ee749aa4" "{\"fbsecret_token\": \"{cut}f2e7f102bd18e1a140a45fb8a8245ea4\"}"]
        no ["FACEBOOK_KEY={cut}00000000000000000000000000000000" "facebook_url=https://api.facebook.com/v1"]
    Bound "instagram_token" ["IGQV" "IGAA"] r"IG(QV|AA)[A-Za-z0-9_\-]{80,400}" Random(38) 930 High
        yes ["IGQV{cut}C8CfcHiMGPfZFNbGE9h3B4fce2Ubx4PBSXygAuH92KyZsq71ig0oUYxCjx3XR4PikczPgLm4Jtnodhzry0j" "IGQV{cut}76UP7ElBgK25tRJwbiD1DS7IjQlgEX5pZ9HUerRwhAuT38qWTJbmE50aU0bvi7ctkxBSmkFjcH9IG68DPJgsDIGj"]
        no ["IGQV{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "IGQV{cut}76UP7ElBgK25tRJwbiD1DS7IjQlgEX5pZ9HUerRwhA"]
    Bound "twitter_bearer" ["%3D"] "A{20,24}[A-Za-z0-9%]{10,40}^%3D[A-Za-z0-9]{30,80}" Shape 940 High
        yes ["AAAAAAAAAAAAAAAAAA{cut}AAAAAUYwQlAO6EgImO%3DjvWoi6M45wOg9hOmlTjya7EKIVMI5dinr9X" "AAAAAAAAAAAAAAAAA{cut}AAAAFrWnoDGNqvEz18%3Dx6LqPSoybF3CPTFuxXUbidmG6YNrLZauHf"]
        no ["AAAAAAAAAAAAAAA{cut}AAAAAxxxxxxxxxxx%3Dxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "AFrWnoD{cut}GNqvEz18%3Dx6LqPSoybF3CPTFuxXUbidmG6YNrLZauHf"]
    Vendor "twitter_secret" ["twitter" "x_api_key" "x_api_secret"] "[A-Za-z0-9%]{22,120}" Random(33) 600 High
        yes ["TWITTER_KEY={cut}kZjT66v5ZwlRrBdzyl8WZHwVIcguM" "{\"x_api_secret_token\": \"{cut}Lmd1udlHiDaxxNvxk05agujg8c\"}"]
        no ["TWITTER_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxx" "twitter_url=https://api.twitter.com/v1"]
    Bound "linkedin_secret" ["WPL_AP1."] r"WPL_AP1\.[A-Za-z0-9]{16}\.[A-Za-z0-9+/=]{6,12}" Shape 960 High
        yes ["WPL_AP1.{cut}fvbALHoVs1wiZDdz.wtJdkQ" "WPL_AP1.{cut}d2mY6rta0dGBfJdq.OcRjNjd6sSz9"]
        no ["WPL_AP1.{cut}xxxxxxxxxxxxxxxx.xxxxxxxxxx" "WPL_AP1.{cut}d2mY6rta0d"]
    Vendor "linkedin_key" ["linkedin"] "[A-Za-z0-9]{14,16}" Random(30) 600 High
        yes ["LINKEDIN_KEY={cut}Sfdn5GniSLl8u3" "{\"linkedin_token\": \"{cut}pg0tAbFPQpZ99LSi\"}"]
        no ["LINKEDIN_KEY={cut}xxxxxxxxxxxxxx" "linkedin_url=https://api.linkedin.com/v1"]
    Bound "pinterest_token" ["pina_"] "pina_[A-Z0-9]{30,200}" Random(35) 930 Medium
        yes ["pina_{cut}8D10V1ZSW6UB3MOD5K6EHY2Q7AY86ME4L8G4" "pina_{cut}X7DQCVYHR2NCG5VGSNGE0P31TEFEA9"]
        no ["pina_{cut}XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX" "pina_{cut}X7DQCVYHR2NC"]
    Vendor "reddit_secret" ["reddit"] r"[A-Za-z0-9_\-]{27,30}" Random(33) 600 High
        yes ["REDDIT_KEY={cut}v0ul73z9eXxp8GXJYsPww3wpX32t" "{\"reddit_token\": \"{cut}UpJiGGpgERFXik8Dwh5R2gvkDao\"}"]
        no ["REDDIT_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "reddit_url=https://api.reddit.com/v1"]
    Vendor "spotify_secret" ["spotify"] "[0-9a-f]{32}" Entropy(30) 650 Medium
        yes ["SPOTIFY_KEY={cut}7f6eb74acc48ac6f615a96660d077656" "{\"spotify_token\": \"{cut}8d6fada1c5e51f49d1e52d26a80b5f9b\"}"]
        no ["SPOTIFY_KEY={cut}00000000000000000000000000000000" "spotify_url=https://api.spotify.com/v1"]
    Bound "twitch_oauth" ["oauth:"] "oauth:[a-z0-9]{30}" Random(33) 880 Medium
        yes ["oauth:{cut}0x5a6ix5lyhbckuhlpsvhiqc3315xu" "oauth:{cut}dtyfokhw60wi434t00urr03eiutz9e"]
        no ["oauth:{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "oauth:{cut}dtyfokhw60wi"]
    Vendor "twitch_secret" ["twitch"] "[a-z0-9]{30}" Random(33) 650 Medium
        yes ["TWITCH_KEY={cut}5i6xkop3rravj22m0mtpmsh4buhkiz" "{\"twitch_token\": \"{cut}qqco5at0wv4lut05vxfdth241z6ygm\"}"]
        no ["TWITCH_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "twitch_url=https://api.twitch.com/v1"]
    Bound "vk_token" ["vk1.a."] r"vk1\.a\.[A-Za-z0-9_\-]{80,260}" Shape 970 High
        yes ["vk1.a.{cut}lqVx03htC1cem8QDCItiFf5qvpWv0uLKC9S69vQgc53RAN1EkkAqNaJsH3AWwf6Wx8BTHspaEWFhVt2Nz4pUMZc" "vk1.a.{cut}oXZtxV31p55qZyD9ZtKRXSCcuQiYopncwzfkwXQPzmJKGfXG1fQK1bR4tAZztks0le4LK5wPcJcChvCGWf"]
        no ["vk1.a.{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "vk1.a.{cut}oXZtxV31p55qZyD9ZtKRXSCcuQiYopncwzfkwX"]
    Vendor "vk_old_token" ["vk_token" "vk_access" "vkontakte"] "[0-9a-f]{85}" Entropy(32) 700 High
        yes ["VK_TOKEN={cut}8b0061a56c8445876f38dbd267bff530d4ee9face6dba46b2c400e344d9ef54377f93dadd2dfe8fca4ec3" "\"vkontakte_token\": \"{cut}bb2ac8472198b20925c018143ee3d027a22106709b3a166a63292d8d5e41f777db579525d9b762ad93d6d\""]
        no ["VK_TOKEN_KEY={cut}0000000000000000000000000000000000000000000000000000000000000000000000000000000000000" "vk_token_url=https://api.vk-token.com/v1"]
    Bound "foursquare_key" ["fsq3"] "fsq3[A-Za-z0-9+/]{44}=?" Random(38) 940 Medium
        yes ["fsq3{cut}QiF8yijzF0IXCiE6hurzPj1fYKcUaVPS4kPDxVVcqzAX" "fsq3{cut}7rdUryXqffzWmdCPKH7uw6cp5xmbOTSWaTQfRiWCvw16"]
        no ["fsq3{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "fsq3{cut}7rdUryXqffzWmdCPKH7u"]
    Bound "mapbox_token" ["sk.eyJ" "pk.eyJ" "tk.eyJ"] r"[spt]k\.eyJ[A-Za-z0-9_\-]{40,200}\.[A-Za-z0-9_\-]{20,24}" Shape 960 Medium
        yes ["tk.eyJ{cut}B5Fqm7O9ImzF84cbJXGdsp2ub1Otd5heE5skBy0aij.JUw7vpQpCdoHil6b1J0fkH" "pk.eyJ{cut}G4o7GdtcOtlO2Q18w2qFh2e7f9DxPDXXoFKtnd4TkqWR.WIas5MNpi4puCwqIBDWvl"]
        no ["pk.eyJ{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx.xxxxxxxxxxxxxxxxxxxxxxx" "pk.eyJ{cut}G4o7GdtcOtlO2Q18w2qFh2e7f9DxPD"]
    Vendor "here_key" ["here_api" "hereapi" "here_app"] r"[A-Za-z0-9_\-]{43}" Random(38) 600 Low
        yes ["HERE_API_KEY={cut}LIqjOTZyVquBUz7Wba5XtV4H3bEaPzvpb9bMIn5iF2S" "{\"here_app_token\": \"{cut}W4rx3Vgw0h74qsj7vZ6wiun6NCwGyaFlNb8j7uHyCSm\"}"]
        no ["HERE_API_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "here_api_url=https://api.here-api.com/v1"]
    Vendor "tomtom_key" ["tomtom"] "[A-Za-z0-9]{32}" Random(30) 600 Low
        yes ["TOMTOM_KEY={cut}rs5s3rgt3KDBlnMFAuikjK0PE5O3K7Vj" "{\"tomtom_token\": \"{cut}VCBxivFleHrCy2jd9osf2SmF34Cwyrhb\"}"]
        no ["TOMTOM_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "tomtom_url=https://api.tomtom.com/v1"]
    Vendor "openweather_key" ["openweather" "owm_" "weatherapi" "weatherbit" "weatherstack" "accuweather"] "[a-z0-9]{32}" Random(30) 600 Low
        yes ["OPENWEATHER_KEY={cut}hfg820hgh1stlpjzvctk4fmjftqxqdk9" "{\"accuweather_token\": \"{cut}evgiwk82tuvvkjidqe8y3bas1hhzcakf\"}"]
        no ["OPENWEATHER_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "openweather_url=https://api.openweather.com/v1"]
    Vendor "mapquest_key" ["mapquest"] "[A-Za-z0-9]{32}" Random(30) 600 Low
        yes ["MAPQUEST_KEY={cut}DWHFZoTjSOTvMR8vCE2eYln4wf88SZTr" "{\"mapquest_token\": \"{cut}WOVpfooYTHOQIOdUgRBkrIWglm6FmLWD\"}"]
        no ["MAPQUEST_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "mapquest_url=https://api.mapquest.com/v1"]
    Vendor "geocoding_key" ["opencage" "geoapify" "positionstack" "locationiq" "maptiler" "graphhopper" "geocodio"] r"[A-Za-z0-9_\-]{20,48}" Random(30) 600 Low
        yes ["OPENCAGE_KEY={cut}0YXDZq5cU5casiCIXao4aoVU" "{\"geocodio_token\": \"{cut}LJ2C8zPpPM9C1CVPtLvO37eN5p\"}"]
        no ["OPENCAGE_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxx" "opencage_url=https://api.opencage.com/v1"]
    Vendor "ip_lookup_key" ["ipstack" "ipinfo" "ipdata" "ipgeolocation" "ip2location" "maxmind" "ipapi"] r"[A-Za-z0-9_\-]{14,64}" Random(28) 600 Low
        yes ["IPSTACK_KEY={cut}82bmhqJ9EBmH2uOV" "{\"ipapi_token\": \"{cut}S3CWPp0g1P3BBMmoQYC\"}"]
        no ["IPSTACK_KEY={cut}xxxxxxxxxxxxxx" "ipstack_url=https://api.ipstack.com/v1"]
    Vendor "vimeo_token" ["vimeo"] "[0-9a-f]{32}" Entropy(30) 600 Medium
        yes ["VIMEO_KEY={cut}71fa9c390d1bc230c28e7d89b5509133" "{\"vimeo_token\": \"{cut}cb049d14621c1cfe51519dc4d05e78d7\"}"]
        no ["VIMEO_KEY={cut}00000000000000000000000000000000" "vimeo_url=https://api.vimeo.com/v1"]
    Vendor "unsplash_key" ["unsplash"] r"[A-Za-z0-9_\-]{43}" Random(38) 600 Low
        yes ["UNSPLASH_KEY={cut}uVIMqtm0cOAgxKWLl1yWpeSpNfsB3AQBCHFrtD3xZOc" "{\"unsplash_token\": \"{cut}2Q33g0q5abFtKdzFdQs5ypeKj8ewCQo3xRdAAOSPFEK\"}"]
        no ["UNSPLASH_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "unsplash_url=https://api.unsplash.com/v1"]
    Vendor "giphy_key" ["giphy" "tenor"] "[A-Za-z0-9]{32}" Random(33) 600 Low
        yes ["GIPHY_KEY={cut}gzHGsFvBIRsYAN9LmQTYJQobpG0stkS0" "{\"tenor_token\": \"{cut}VL2fAVzNWHpU1yoBcXx7395cwPWqeHO3\"}"]
        no ["GIPHY_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "giphy_url=https://api.giphy.com/v1"]
    Vendor "flickr_key" ["flickr"] "[0-9a-f]{16,32}" Entropy(28) 600 Low
        yes ["FLICKR_KEY={cut}b06654d61f3dab71ceb479d1" "{\"flickr_token\": \"{cut}93dec55d34bac5cc3\"}"]
        no ["FLICKR_KEY={cut}0000000000000000000000" "flickr_url=https://api.flickr.com/v1"]
    Vendor "youtube_key" ["youtube"] r"AI[A-Za-z0-9_\-]{37}" Random(38) 700 Medium
        yes ["YOUTUBE_KEY={cut}AI49XLmkMGF2GTPXzKJXfISw6Bd7blgQ4Pvj3cm" "{\"youtube_token\": \"{cut}AI9dMTc0Fd0kumRrDUNarCfn2NPHKMS2kvq0TS0\"}"]
        no ["YOUTUBE_KEY={cut}AIxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "youtube_url=https://api.youtube.com/v1"]
    Vendor "nasa_key" ["nasa_api" "api.nasa"] "[A-Za-z0-9]{40}" Random(38) 600 Low
        yes ["NASA_API_KEY={cut}AuPthXhWxftsbPRebZLf7fij8y3MxkL6rNDFMga0" "{\"api.nasa_token\": \"{cut}xYRrv8akX48jZUuep1w6askBLTwPmjrsPwj0JfjF\"}"]
        no ["NASA_API_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "nasa_api_url=https://api.nasa-api.com/v1"]
    Vendor "newsapi_key" ["newsapi"] "[0-9a-f]{32}" Entropy(30) 600 Low
        yes ["NEWSAPI_KEY={cut}799877b655a79041f47e886d14d709d7" "{\"newsapi_token\": \"{cut}3179c27b96d61abba09ed2382f8a9a6f\"}"]
        no ["NEWSAPI_KEY={cut}00000000000000000000000000000000" "newsapi_url=https://api.newsapi.com/v1"]
    Vendor "strava_secret" ["strava"] "[0-9a-f]{40}" Entropy(30) 600 Medium
        yes ["STRAVA_KEY={cut}4f96494e9de1f36c0c1fa91eecba8dcd59b23cb6" "{\"strava_token\": \"{cut}4466c812d46b89e7ed98b965745c8cfc4335c037\"}"]
        no ["STRAVA_KEY={cut}0000000000000000000000000000000000000000" "strava_url=https://api.strava.com/v1"]
    Vendor "cloudinary_key" ["cloudinary"] r"[A-Za-z0-9_\-]{27}" Random(33) 600 High
        yes ["CLOUDINARY_KEY={cut}ys8ojcKqCWQ9JlBzDoMUF7OYeuY" "{\"cloudinary_token\": \"{cut}WnmsF8vGtsc97bhPBlHitmaJyya\"}"]
        no ["CLOUDINARY_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxx" "cloudinary_url=https://api.cloudinary.com/v1"]
    Bound "cloudinary_url" ["cloudinary://"] r"cloudinary://[0-9]{12,18}:[A-Za-z0-9_\-]{20,40}@[A-Za-z0-9_\-]{2,64}" Shape 960 High
        yes ["cloudinary://{cut}077116944144:qPT8jQo4j8EJob7c86GsNM1@Rz" "cloudinary://{cut}912050665556615605:O9KB3vbiFra5db9BRnI9hU@0Oy38QoB2"]
        no ["cloudinary://{cut}00000000000000:xxxxxxxxxxxxxxxxxxxxxxxxxxx@LCY" "cloudinary://{cut}912050665556615605:"]
    Bound "frameio_token" ["fio-u-"] r"fio-u-[A-Za-z0-9_\-]{60,72}" Random(38) 960 Medium
        yes ["fio-u-{cut}XHRlipGsqU9tK2fYt6xQAyTNiyo141EWBBPaOZN4Ohy65I9y3HLuqudIq3A1csIiOM" "fio-u-{cut}j3P2C9a8WXJVSPu2TO7mpcy2ztMwtsfavoUu8FmISWbUha0SQbtnfy2wuDR1WzupR0y"]
        no ["fio-u-{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "fio-u-{cut}j3P2C9a8WXJVSPu2TO7mpcy2ztMwts"]
    Vendor "bitly_token" ["bitly" "bit.ly"] "[0-9a-f]{40}" Entropy(30) 600 Low
        yes ["BITLY_KEY={cut}222a376df4aca6b5e306db28ce86dc28099b236f" "{\"bit.ly_token\": \"{cut}345b013b6f58969c8bc5177194cbc577feaa5c55\"}"]
        no ["BITLY_KEY={cut}0000000000000000000000000000000000000000" "bitly_url=https://api.bitly.com/v1"]
    Vendor "disqus_key" ["disqus"] "[A-Za-z0-9]{64}" Random(38) 600 Medium
        yes ["DISQUS_KEY={cut}wiLRpqZdu6uYf6C7XyEcvMUjo8SNhYveK2wMmliJW07OYUpmHH4SS9NvPhl5LdVN" "{\"disqus_token\": \"{cut}C7Q1rECUK1BTV3RC97Mdb2WNn4CIaiu4uQ1kI0EbsLbP43dJgjniyXd74oiGp68U\"}"]
        no ["DISQUS_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "disqus_url=https://api.disqus.com/v1"]
    Bound "blynk_client" ["oa2-client-id_"] r"oa2-client-id_[A-Za-z0-9_\-]{30,34}" Random(35) 940 Medium
        yes ["oa2-client-id_{cut}oWQw2DwiY51O8wAmUl17nnsipCuPPq1M" "oa2-client-id_{cut}bWLWNexWfB07sa0IK45xUi5Bggtjxz"]
        no ["oa2-client-id_{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "oa2-client-id_{cut}bWLWNexW"]
    Bound "adafruit_key" ["aio_"] "aio_[A-Za-z0-9]{28}" Random(33) 930 Medium
        yes ["aio_{cut}tuZAOeJjAGnaH2kDlMDLXSoW3d0t" "aio_{cut}GZQ5h3Br4BBRV9XSRabtAXDwUoxN"]
        no ["aio_{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxx" "aio_{cut}GZQ5h3Br4BBR"]
    Bound "ubidots_token" ["BBFF-" "BBUS-"] "BB(FF|US)-[A-Za-z0-9]{30,34}" Random(33) 930 Medium
        yes ["BBFF-{cut}3rBzhTE9rfF5d85VtsioCx42YIbhSFB3" "BBUS-{cut}HVJRmMai1cnl6f1qmJi1N9cce17Fd3oQ"]
        no ["BBUS-{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "BBUS-{cut}HVJRmMai1cnl6"]
    Vendor "particle_token" ["particle"] "[0-9a-f]{40}" Entropy(30) 600 Medium
        yes ["PARTICLE_KEY={cut}2b5f705d321259b4b108e200ea565e3133d4ff62" "{\"particle_token\": \"{cut}4695f3d02386452c12dbe0013f058b8395edd134\"}"]
        no ["PARTICLE_KEY={cut}0000000000000000000000000000000000000000" "particle_url=https://api.particle.com/v1"]
    Vendor "thingsboard_token" ["thingsboard" "provisiondevicekey" "provisiondevicesecret"] "[a-z0-9]{20}" Random(30) 600 Medium
        yes ["THINGSBOARD_KEY={cut}di1pkw836jatq53pzwsm" "{\"provisiondevicesecret_token\": \"{cut}eykka8wq3b2edacqqcvc\"}"]
        no ["THINGSBOARD_KEY={cut}xxxxxxxxxxxxxxxxxxxx" "thingsboard_url=https://api.thingsboard.com/v1"]
}
