//! Monitoring, errors, on-call, feature flags.

use crate::sensitive::row::rows;

rows! {
    Vendor "datadog_key" ["datadog" "dd_api_key" "dd_app_key" "ddog"] "[A-Za-z0-9]{32,40}" Random(30) 650 High
        yes ["DATADOG_KEY={cut}HmPv8pqZMjxPlPpvhKElKbBknnVfbfwaoyzXld" "{\"ddog_token\": \"{cut}7YR5gqZpNqhaCZt6e5bqRfNGdq5Fpm7usy\"}"]
        no ["datadog_site=datadoghq.eu" "DATADOG_API_KEY={cut}00000000000000000000000000000000"]
    Bound "newrelic_key" ["NRAK-" "NRJS-" "NRAA-" "NRRA-"] "NR(AK-[A-Z0-9]{27}|JS-[0-9a-f]{19}|AA-[0-9a-f]{27}|RA-[0-9a-f]{42})" Shape 950 High
        yes ["NRAA-{cut}8eea1cb9ee33ba4e365c097c220" "NRAA-{cut}f4b20382ab3011bf62a0adb4404"]
        no ["NRAK-" "NRAK-key"]
    Bound "newrelic_insights_key" ["NRII-" "NRIQ-" "NRSP-"] r"NR(II|IQ|SP)-[A-Za-z0-9_\-]{31,33}" Shape 950 High
        yes ["NRSP-{cut}MZIchhLCqBDUwhEh7BDgHZ8XSlkltDR" "NRII-{cut}3stsUrWSz6aXYjYZmMb1AyrHFixWU5SSL"]
        no ["NRIQ-{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "NRII-{cut}3stsUrWSz6aXYj"]
    Bound "newrelic_licence" ["NRAL" "FFFFNRAL"] "(eu01xx)?[0-9a-fA-F]{30,40}^NRAL" Entropy(30) 950 High
        yes ["eu01xxfAC5c6bb578eB{cut}E8dfAa0Aeb1e4AFFACFNRAL" "eu01xx8AFf1bE0bAE5{cut}EE20dFc83f3D1d3c72NRAL"]
        no ["00000000000000000{cut}000000000000000000NRAL" "0dFc83f{cut}3D1d3c72NRAL"]
    Bound "grafana_token" ["glsa_"] "glsa_[A-Za-z0-9]{32}_[0-9a-fA-F]{8}" Shape 970 High
        yes ["glsa_{cut}kAI6Bp9B4KNxPmmIyX5n6W3yRXJfr47X_aAead7BD" "glsa_{cut}pfEnE7oUqZnACx9mRElA0KGpc5Kwt8uK_93e0B26B"]
        no ["glsa_" "glsa_token"]
    Bound "grafana_cloud_token" ["glc_"] "glc_[A-Za-z0-9+/]{32,400}={0,2}" Random(35) 950 High
        yes ["glc_{cut}55y9lx5s17vw0k1Q13rOKgq3MIYtVyvpffdxi=" "glc_{cut}JhIsvT62wZkf8QDx4AZgUZp5JB5WXaf7f9k=="]
        no ["glc_" "glc_token"]
    Bound "grafana_old_key" ["eyJrIjoi"] "eyJrIjoi[A-Za-z0-9+/]{60,400}={0,2}" Shape 940 High
        yes ["eyJrIjoi{cut}PvzukZlNfMU9o8QVt34yDqE7egRHrw9vShCFTfgZCEFJhns4uNwKVYGll8JvV" "eyJrIjoi{cut}pVIFUEqGBviT6RwZOFQ712XHZiXyGIXDPE2OURVRVNvEJiylHa6zuQy5vYm5="]
        no ["eyJrIjoi{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx=" "eyJrIjoi{cut}pVIFUEqGBviT6RwZOFQ712XHZi"]
    Bound "sentry_token" ["sntrys_" "sntryu_"] "sntry(u_[0-9a-f]{64}|s_eyJ[A-Za-z0-9+/=_]{60,400})" Shape 970 High
        yes ["sntryu_{cut}344ca7e30b6845e0620c8ad79754512da95b7ef25eb035565d98e66c151d0561" "sntryu_{cut}48db522e6a8627e96fc2d975f927636b7b771cb26b1ea117d56d8078df41c329"]
        no ["sntryu_{cut}0000000000000000000000000000000000000000000000000000000000000000" "sntryu_{cut}48db522e6a8627e96fc2d975f927"]
    Bound "sentry_dsn" ["sentry.io/"] r"[0-9a-f]{32}(:[0-9a-f]{32})?@(o[0-9]{1,16}\.ingest\.)?([a-z]{2}\.)?^sentry\.io/[0-9]{1,16}" Entropy(30) 850 Low
        yes ["11b22727a10d2ce81e5b87f1{cut}93df699c@o232.ingest.qp.sentry.io/737571909" "dc39b090e86a6c86df{cut}50a3623d1612fa@oy.sentry.io/3"]
        no ["00000000000000000000000000000000:000000{cut}00000000000000000000000000@o0000.ingest.sentry.io/40" "3623d16{cut}12fa@oy.sentry.io/3"]
    Vendor "sentry_old_token" ["sentry"] "[0-9a-f]{64}" Entropy(30) 650 High
        yes ["SENTRY_KEY={cut}1b6db2bcaa197bce6a5d0bd81e728d102ac398a66809c9d5b1e4adc25c1e66d5" "{\"sentry_token\": \"{cut}58096e5ff941ce5bafe4b7519ce557e7ba107fc939315f48655b1bac20bd7236\"}"]
        no ["SENTRY_KEY={cut}0000000000000000000000000000000000000000000000000000000000000000" "sentry_url=https://api.sentry.com/v1"]
    Bound "honeycomb_key" ["hcaik_" "hcbik_" "hcxik_" "hcalk_" "hcblk_" "hcxlk_"] "hc[abx][il]k_[a-z0-9]{58}" Shape 960 High
        yes ["hcalk_{cut}4r9ysbx7lrfdomv5j5kkhjqz15itlooha845vr3fmknhhzvotvoih3ebxi" "hcblk_{cut}y173a9csejiapnofhkmr8f8zkiv4dudvdbt6ev06xdhouyvwj17gyl5tmp"]
        no ["hcblk_{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "hcblk_{cut}y173a9csejiapnofhkmr8f8zki"]
    Vendor "honeycomb_old_key" ["honeycomb"] "[0-9a-f]{32}" Entropy(30) 600 High
        yes ["HONEYCOMB_KEY={cut}035238f460d7e5bb8d07ec6065ef3de6" "{\"honeycomb_token\": \"{cut}c05ce32bd3a7e08a7da4bd8f8eb71af4\"}"]
        no ["HONEYCOMB_KEY={cut}00000000000000000000000000000000" "honeycomb_url=https://api.honeycomb.com/v1"]
    Bound "dynatrace_token" ["dt0c01." "dt0s01." "dt0s02." "dt0s08." "dt0s16."] r"dt0(c01|s01|s02|s08|s16)\.[A-Z0-9]{24}\.[A-Z0-9]{64}" Shape 980 High
        yes ["dt0s08.{cut}Q1XIL9QNT4S5XN8RBO88B05V.3B1L6K4393B922UF8VLFJA5G8AU7S0WVC5K9PN45KKX69WSEMXENNZ4HW88S6B0W" "dt0s02.{cut}0QTGNBERT7V606HZ4WISGPFO.CS3I2J3K8JGH254H2PWJ710DAO9DX04OMC7FBXIHCAU1I0A8O5FDLBWJ2YHH2QGR"]
        no ["dt0s08.{cut}XXXXXXXXXXXXXXXXXXXXXXXX.XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX" "dt0s02.{cut}0QTGNBERT7V606HZ4WISGPFO.CS3I2J3K8JGH254H"]
    Vendor "splunk_token" ["splunk"] "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}" Entropy(25) 650 High
        yes ["SPLUNK_KEY={cut}ceb90df4-1660-00fb-8a34-c723a494e9e7" "{\"splunk_token\": \"{cut}567bd6e0-1328-c7bf-b608-bafedf6cd62b\"}"]
        no ["SPLUNK_KEY={cut}00000000-0000-0000-0000-000000000000" "splunk_url=https://api.splunk.com/v1"]
    Bound "splunk_session" ["splunkd_8089="] "splunkd_8089=[A-Za-z0-9_^]{40,200}" Shape 900 High
        yes ["splunkd_8089={cut}4acfFX0xL6N2WIw9h1ctxYaNdTO0P4xdYCNXee1PJyb" "splunkd_8089={cut}59WE2M4z3YCF2QhyB652MBwgeTfRetWLAMBDG5oRAzknUn"]
        no ["splunkd_8089={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "splunkd_8089={cut}59WE2M4z3YCF2Qhy"]
    Vendor "logzio_token" ["logzio" "logz_io"] "[A-Za-z0-9]{32}" Random(38) 600 High
        yes ["LOGZIO_KEY={cut}1AsCaN9FidvpQmXL1W1QJ570PzRG3p9I" "{\"logz_io_token\": \"{cut}ETRslGLjJsRfoQhfrLrmexCKexV3Ey2b\"}"]
        no ["LOGZIO_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "logzio_url=https://api.logzio.com/v1"]
    Vendor "loggly_token" ["loggly"] "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}" Entropy(25) 650 High
        yes ["LOGGLY_KEY={cut}b4043a65-7434-fe03-acc7-52028227c8b1" "{\"loggly_token\": \"{cut}05102b11-8996-0979-fe21-49baae537244\"}"]
        no ["LOGGLY_KEY={cut}00000000-0000-0000-0000-000000000000" "loggly_url=https://api.loggly.com/v1"]
    Vendor "sumologic_key" ["sumologic" "sumo_access"] "(su)?[A-Za-z0-9]{12,64}" Random(33) 600 High
        yes ["SUMOLOGIC_KEY={cut}suGXNm8Wq4tdUAB" "{\"sumo_access_token\": \"{cut}82Iy17eR2lrw6NCPNmOt\"}"]
        no ["SUMOLOGIC_KEY={cut}suxxxxxxxxxxxxx" "sumologic_url=https://api.sumologic.com/v1"]
    Vendor "rollbar_token" ["rollbar"] "[0-9a-f]{32}" Entropy(30) 650 High
        yes ["ROLLBAR_KEY={cut}c10fbe1bcbadd48b12e4cecb7ab056e3" "{\"rollbar_token\": \"{cut}4ba48306415f2109220e2b6ca13f9d17\"}"]
        no ["ROLLBAR_KEY={cut}00000000000000000000000000000000" "rollbar_url=https://api.rollbar.com/v1"]
    Vendor "bugsnag_key" ["bugsnag"] "[0-9A-Za-z]{8}-[0-9A-Za-z]{4}-[0-9A-Za-z]{4}-[0-9A-Za-z]{4}-[0-9A-Za-z]{12}" Random(25) 600 Medium
        yes ["BUGSNAG_KEY={cut}L7KtvCrw-uWCR-aiII-JLX8-uFmDQTsdjHt0" "{\"bugsnag_token\": \"{cut}0aHE3TXs-dHoP-TY6Q-VHaT-9njhtem6Y3BU\"}"]
        no ["BUGSNAG_KEY={cut}xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx" "bugsnag_url=https://api.bugsnag.com/v1"]
    Vendor "bugsnag_hex_key" ["bugsnag"] "[0-9a-f]{32}" Entropy(30) 600 Medium
        yes ["BUGSNAG_KEY={cut}2c81e8565b04d237662d3ee3ed366dff" "{\"bugsnag_token\": \"{cut}01bf556cf443e9c4a1c79cb4ef726bae\"}"]
        no ["BUGSNAG_KEY={cut}00000000000000000000000000000000" "bugsnag_url=https://api.bugsnag.com/v1"]
    Bound "honeybadger_key" ["hbp_"] "hbp_[A-Za-z0-9]{36}" Random(35) 930 Medium
        yes ["hbp_{cut}lOhSEimWkaH7TRolIJqm3TskKsvQD1VX1Oei" "hbp_{cut}SJKVBkSTnm0norsPWNJDEc9R4MMYSwXIGsIy"]
        no ["hbp_{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "hbp_{cut}SJKVBkSTnm0norsP"]
    Vendor "airbrake_key" ["airbrake"] "[A-Za-z0-9]{32,40}" Random(33) 600 Medium
        yes ["AIRBRAKE_KEY={cut}bu8I1j2S3JqtU69PcK6ZqeEJYDzez0bjgyh" "{\"airbrake_token\": \"{cut}QY0M9zNwI54DN3uPI3s0svpYnn7vhR18b9\"}"]
        no ["AIRBRAKE_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "airbrake_url=https://api.airbrake.com/v1"]
    Vendor "pagerduty_key" ["pagerduty" "pd_api"] r"[A-Za-z0-9_+\-]{20,32}" Random(33) 650 High
        yes ["PAGERDUTY_KEY={cut}i5ibC0DOVceVYgjEXlVe2w" "{\"pd_api_token\": \"{cut}Y4UxwxczwAFIZPh5n8J4cLv\"}"]
        no ["PAGERDUTY_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxx" "pagerduty_url=https://api.pagerduty.com/v1"]
    Vendor "opsgenie_key" ["opsgenie"] "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}" Entropy(25) 650 High
        yes ["OPSGENIE_KEY={cut}42293b5e-2b3f-56b8-3d3a-45c21fe7d1b2" "{\"opsgenie_token\": \"{cut}13cbd3af-0fea-587b-8a0e-9dee0e26ccd8\"}"]
        no ["OPSGENIE_KEY={cut}00000000-0000-0000-0000-000000000000" "opsgenie_url=https://api.opsgenie.com/v1"]
    Vendor "betterstack_token" ["betterstack" "logtail" "better_uptime" "betteruptime"] "[A-Za-z0-9]{24}" Random(33) 600 Medium
        yes ["BETTERSTACK_KEY={cut}1ByAxIvREtItF4gVrrVJNeYc" "{\"betteruptime_token\": \"{cut}KY5RcPbhDzJEHvu4e1vCjXsP\"}"]
        no ["BETTERSTACK_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxx" "betterstack_url=https://api.betterstack.com/v1"]
    Vendor "uptimerobot_key" ["uptimerobot"] "[a-z][0-9a-z]{7,9}-[a-z0-9]{24}" Random(33) 700 Medium
        yes ["UPTIMEROBOT_KEY={cut}xgkpklpg-av1x3zqq2guxftiw4rfwqs7b" "{\"uptimerobot_token\": \"{cut}tb8ffn095s-hhdb2gz7mb32aib8fjisi6lf\"}"]
        no ["UPTIMEROBOT_KEY={cut}cxxxxxxx-xxxxxxxxxxxxxxxxxxxxxxxx" "uptimerobot_url=https://api.uptimerobot.com/v1"]
    Vendor "statuspage_key" ["statuspage"] "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}" Entropy(25) 600 Medium
        yes ["STATUSPAGE_KEY={cut}0cbd382e-4c20-2e17-6a76-2348abb058d2" "{\"statuspage_token\": \"{cut}c4e53354-627b-34c0-3f2f-ef560525f861\"}"]
        no ["STATUSPAGE_KEY={cut}00000000-0000-0000-0000-000000000000" "statuspage_url=https://api.statuspage.com/v1"]
    Vendor "statuscake_key" ["statuscake"] "[A-Za-z0-9]{20,40}" Random(33) 600 Medium
        yes ["STATUSCAKE_KEY={cut}wQf2I5dBclLdgRr4r781E6pn" "{\"statuscake_token\": \"{cut}QPeeMC48AOzgv82CpcAKK9\"}"]
        no ["STATUSCAKE_KEY={cut}xxxxxxxxxxxxxxxxxxxxxx" "statuscake_url=https://api.statuscake.com/v1"]
    Bound "checkly_key" ["cu_" "sv_"] "(cu|sv)_[0-9a-f]{32}" Entropy(30) 900 Medium
        yes ["sv_{cut}b488383c3eab79ea572bc42769bd5105" "sv_{cut}5e240845f95beabc20b447e878f2d376"]
        no ["cu_{cut}00000000000000000000000000000000" "cu_stream_synchronize"]
    Bound "flagsmith_key" ["ser."] r"ser\.[A-Za-z0-9]{22}" Random(35) 900 Medium
        yes ["ser.{cut}9EVxgCS2bki2D9kmEahz2H" "ser.{cut}TUYd4s7AgQ8kwb5hlZCgJO"]
        no ["ser.{cut}xxxxxxxxxxxxxxxxxxxxxx" "ser.{cut}TUYd4s7Ag"]
    Vendor "optimizely_token" ["optimizely"] r"[A-Za-z0-9_\-:]{50,60}" Random(33) 600 Medium
        yes ["OPTIMIZELY_KEY={cut}mf8Ofbths1Yh3Pqzxz3mCLSY9BnvIYurEw1HZVEV4bdaSRYPSfhtP2" "{\"optimizely_token\": \"{cut}I5Ov3DcDajKmyNkCCZSGRPvCuVMqneS28sVzXFcc2fC4IkzjHbicLzAd0\"}"]
        no ["OPTIMIZELY_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "optimizely_url=https://api.optimizely.com/v1"]
    Bound "posthog_key" ["phx_" "phs_" "phr_" "phc_"] r"ph[xsrc]_[A-Za-z0-9_\-]{40,50}" Random(35) 950 High
        yes ["phc_{cut}mBrEkmKMH8YQYLSoblxTa3rWsfAIkN5yYLHamnHjqhB" "phr_{cut}neYrjbhJAP9uxIkqpeW31DypYxwep6zex8yNhK2z"]
        no ["phx_{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "phr_{cut}neYrjbhJAP9uxIkqpe"]
    Vendor "amplitude_key" ["amplitude"] "[0-9a-f]{32}" Entropy(30) 600 Medium
        yes ["AMPLITUDE_KEY={cut}463d430165f8980b5aa5352593b87bae" "{\"amplitude_token\": \"{cut}aed58b876e2f3ce03ddd46c39180e6fd\"}"]
        no ["AMPLITUDE_KEY={cut}00000000000000000000000000000000" "amplitude_url=https://api.amplitude.com/v1"]
    Vendor "mixpanel_secret" ["mixpanel"] "[0-9a-f]{32}" Entropy(30) 600 Medium
        yes ["MIXPANEL_KEY={cut}e18a9caa3dea434a680e7bdb2f695649" "{\"mixpanel_token\": \"{cut}ec0ed8682bd18eeefe140fadb9eba15c\"}"]
        no ["MIXPANEL_KEY={cut}00000000000000000000000000000000" "mixpanel_url=https://api.mixpanel.com/v1"]
    Bound "segment_token" ["sgp_"] "sgp_[A-Za-z0-9]{64}" Shape 950 High
        yes ["sgp_{cut}TRJuNARROTQqAm6bcr4jhRO7Ka9Ebep6M0cO2O7z8LeieKWwYXO6Idv47hDl7q07" "sgp_{cut}BdL6UzxC7unaRnHbxhukJ1pjxCkiKdAT7pGsbmiJ8QiNmQWT7loxgriK2pWLkxIT"]
        no ["sgp_{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "sgp_{cut}BdL6UzxC7unaRnHbxhukJ1pjxCkiKd"]
    Vendor "segment_write_key" ["segment"] r"[A-Za-z0-9_\-]{32,90}" Random(38) 600 Medium
        yes ["SEGMENT_KEY={cut}0zK12z83iKDTZL7j9VsGNxEVPEnKWReeBWehbe" "{\"segment_token\": \"{cut}M7iYBvSoJlVPvoaBDKoSQG6NTAMWO0YR7jyo\"}"]
        no ["SEGMENT_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "segment_url=https://api.segment.com/v1"]
    Bound "fullstory_key" ["na1." "eu1."] r"(na|eu)1\.[A-Za-z0-9+/]{90,120}" Random(40) 920 Medium
        yes ["eu1.{cut}1ghIW2EcEKU9pTJUUfPIzsnKbkvPzvIMELNxuwMvZZw2BJU3f56VuYNXuXGe0kZU0Vm6WGQ7G7uNIIzXvbwXS2kO8uQe" "na1.{cut}VFlYBTlhSyPYvozldDlQVvi8uG8JWfX64UHvc93ncmiW5cHrYSG9jDDL0PxF80cOHB2Cm3LPAG55HDfLGqV06o0y5yReVk4wSo"]
        no ["na1.{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "na1.{cut}VFlYBTlhSyPYvozldDlQVvi8uG8JWfX64UHvc93ncmiW5cH"]
    Bound "statsig_key" ["secret-" "console-"] "(secret|console)-[A-Za-z0-9]{40,52}" Random(38) 920 High
        yes ["console-{cut}ww95epin1vBm0QzgJoi5DwiIldt7w46CzQvgOVpuUu" "console-{cut}yaQufu0F3EcgV0YgzwtkMpZRL6Dz7VqYowm23MERu"]
        no ["secret-{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "console-{cut}yaQufu0F3EcgV0Yg"]
    Bound "axiom_token" ["xaat-" "xapt-" "xait-"] "xa[api]t-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}" Shape 960 High
        yes ["xapt-{cut}63ef6ad1-b6dc-b6e9-f76e-109ae1c9145a" "xait-{cut}7a54a973-34d8-d592-b345-ae9be8189c04"]
        no ["xapt-{cut}00000000-0000-0000-0000-000000000000" "xait-{cut}7a54a973-34d8-d"]
    Vendor "newrelic_old_key" ["newrelic" "new_relic"] "[0-9a-f]{32,47}" Entropy(30) 600 High
        yes ["NEWRELIC_KEY={cut}8baf057380fe9c0c33d02446eb41480b" "{\"new_relic_token\": \"{cut}aa0a7a7f3f3d3fa367bf1a373a454c7e1\"}"]
        no ["NEWRELIC_KEY={cut}0000000000000000000000000000000000000" "newrelic_url=https://api.newrelic.com/v1"]
    Vendor "raygun_key" ["raygun"] "[A-Za-z0-9]{22,24}" Random(33) 600 Medium
        yes ["RAYGUN_KEY={cut}MOrU0dWWPhxSrorUNSZC7Q" "{\"raygun_token\": \"{cut}EgdZG4JMjM3VC74hPjfy5F7i\"}"]
        no ["RAYGUN_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxx" "raygun_url=https://api.raygun.com/v1"]
    Vendor "elastic_key" ["elasticsearch" "elastic_api" "elastic_apikey" "apikey_elastic"] r"[A-Za-z0-9_\-]{22,28}:[A-Za-z0-9_\-]{22}" Random(38) 700 High
        yes ["ELASTICSEARCH_KEY={cut}VCRhrs05dKHobMhhUDu8mz2u:98iybmhUNbxxBo1el2RM18" "{\"apikey_elastic_token\": \"{cut}JX16wi9HnQduAK1GbPiTcq4j7:7FC5NXoLmaQCICmEoU2B4e\"}"]
        no ["ELASTICSEARCH_KEY={cut}xxxxxxxxxxxxxxxxxxxxxx:xxxxxxxxxxxxxxxxxxxxxx" "elasticsearch_url=https://api.elasticsearch.com/v1"]
    Bound "elastic_cloud_key" ["essu_"] r"essu_[A-Za-z0-9+/=_\-]{40,120}" Random(38) 940 Critical
        yes ["essu_{cut}D1EajX4PfGfyNXJEWG9Oybms2oHy6JeSUhGMdwlnEse4" "essu_{cut}4qmIixO3WQUZetSQB5WoJ5YP6TcABF1WScUikijS7MDEYRgi"]
        no ["essu_{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "essu_{cut}4qmIixO3WQUZetSQB5WoJ"]
    Vendor "shodan_key" ["shodan"] "[A-Za-z0-9]{32}" Random(33) 650 Medium
        yes ["SHODAN_KEY={cut}AvnsAQGv4K1S8WPVLI7tFJ7UbaLwds00" "{\"shodan_token\": \"{cut}0K2IknjdGryHYJ2ZXvW6f510GM9co9Ss\"}"]
        no ["SHODAN_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "shodan_url=https://api.shodan.com/v1"]
    Vendor "virustotal_key" ["virustotal" "vt_api"] "[0-9a-f]{64}" Entropy(30) 650 Medium
        yes ["VIRUSTOTAL_KEY={cut}14f1297245bd9e24b5673562b98fef31ec2f1ed18e2afb84961b858ca8593040" "{\"vt_api_token\": \"{cut}19477af1238305f35a26d7d175889ccb0cc3ca8bed917da04c612da7e2959062\"}"]
        no ["VIRUSTOTAL_KEY={cut}0000000000000000000000000000000000000000000000000000000000000000" "virustotal_url=https://api.virustotal.com/v1"]
    Vendor "securitytrails_key" ["securitytrails" "censys" "urlscan" "greynoise" "abuseipdb"] "[A-Za-z0-9]{32,80}" Random(33) 600 Medium
        yes ["SECURITYTRAILS_KEY={cut}6qrQ2eAmBgbucT3WE4j4uf9uRiHYvF0e5e" "{\"abuseipdb_token\": \"{cut}KnPBB1mVBvGDzm0is9G2coYBarNZpwyvhma\"}"]
        no ["SECURITYTRAILS_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "securitytrails_url=https://api.securitytrails.com/v1"]
    Bound "tenable_key" ["accessKey="] r"accessKey=[0-9a-f]{64};\ ?secretKey=[0-9a-f]{64}" Shape 960 Critical
        yes ["accessKey={cut}4ab7e62e20e7c8837fbcf593246f5a9b1ca4eee2e55c6ad86a18a6f7a1649f1c; secretKey=5dd29ebf767a746286f9621bc4fc360946048c1b3f30288e263641187e7b735a" "accessKey={cut}cc6a1494243855cee531fc2313d0e1d6631c5dd27933e84758a095072a385350;secretKey=554d8cb7baf68d5b20003b7f95620bed65ce0f146e89c15719fb02cdb0a6f0e1"]
        no ["accessKey={cut}0000000000000000000000000000000000000000000000000000000000000000;secretKey=0000000000000000000000000000000000000000000000000000000000000000" "accessKey={cut}cc6a1494243855cee531fc2313d0e1d6631c5dd27933e84758a095072a385350"]
}
