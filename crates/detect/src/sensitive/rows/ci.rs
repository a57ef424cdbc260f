//! Build servers, code quality, releases.

use crate::sensitive::row::rows;

rows! {
    Bound "circleci_token" ["CCIPAT_" "CCIPRJ_"] "CCIP(AT|RJ)_[A-Za-z0-9]{22,24}_[a-z0-9]{40}" Shape 970 Critical
        yes ["CCIPRJ_{cut}cOnyiqugFmYb14Oh6Q7kAZ9_al0rynbxa8mc1q0mmnxwielesahflhfm38ttjj9z" "CCIPRJ_{cut}n2MEVm2Q5oxL208TZPF9jR_emomi5nmj4c150gk148vlfics8nzonw19rv0ttpp"]
        no ["CCIPAT_{cut}xxxxxxxxxxxxxxxxxxxxxxx_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "CCIPRJ_{cut}n2MEVm2Q5oxL208TZPF9jR_emomi"]
    Vendor "circleci_old_token" ["circleci" "circle_token"] "[0-9a-f]{40}" Entropy(32) 650 Critical
        yes ["CIRCLECI_KEY={cut}ea045bffa28bfaa9ff941f20b1b31b9a1d4799fc" "{\"circle_token_token\": \"{cut}d89679b7e409c26c64c6a53378183598ad58b82a\"}"]
        no ["CIRCLECI_KEY={cut}0000000000000000000000000000000000000000" "circleci_url=https://api.circleci.com/v1"]
    Bound "buildkite_token" ["bkua_" "bkaj_" "bkct_"] "bk(ua|aj|ct)_[a-z0-9]{40}" Shape 960 Critical
        yes ["bkaj_{cut}pp2oqwl6u2y0ge55zuooiu58mavkx2lzxhgdvus8" "bkua_{cut}kh3ahtdfjndeu78eufhsfu4exkwynw1uql158msu"]
        no ["bkaj_{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "bkua_{cut}kh3ahtdfjndeu78eu"]
    Vendor "travis_token" ["travis"] r"[A-Za-z0-9_\-]{20,24}" Random(33) 600 High
        yes ["TRAVIS_KEY={cut}8tp7jTpOCpRCJRymB935rh" "{\"travis_token\": \"{cut}9PIKgbpyANcWEXURbXY0Zf\"}"]
        no ["TRAVIS_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxx" "travis_url=https://api.travis.com/v1"]
    Vendor "drone_token" ["droneci" "drone_token"] "[A-Za-z0-9]{32}" Random(33) 600 High
        yes ["DRONECI_KEY={cut}3mK6NS7yf4fjZLRjk0is5eFbL2iAQ6K4" "{\"drone_token_token\": \"{cut}47suHt29kel0tmNvrujDImtY9kAmeS1u\"}"]
        no ["DRONECI_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "droneci_url=https://api.droneci.com/v1"]
    Vendor "codecov_token" ["codecov"] "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}" Entropy(25) 650 Medium
        yes ["CODECOV_KEY={cut}b8b7af49-6e9b-4eac-d505-963603ca5b8b" "{\"codecov_token\": \"{cut}189c6193-f606-e3cd-cb1b-f21ca23b697c\"}"]
        no ["CODECOV_KEY={cut}00000000-0000-0000-0000-000000000000" "codecov_url=https://api.codecov.com/v1"]
    Vendor "coveralls_token" ["coveralls"] "[A-Za-z0-9]{32,37}" Random(33) 600 Medium
        yes ["COVERALLS_KEY={cut}ltrAL5OHVd4rHx74ClFIkpLFTOhJjVnu3X" "{\"coveralls_token\": \"{cut}FnAVX4oNxMAzMvh1dXXbCzc3yiNhgWlrI1l\"}"]
        no ["COVERALLS_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "coveralls_url=https://api.coveralls.com/v1"]
    Vendor "codeclimate_token" ["codeclimate" "cc_test_reporter"] "[0-9a-f]{64}" Entropy(32) 650 Medium
        yes ["CODECLIMATE_KEY={cut}ecc9bae9bcbcc9d380f2f54ddeecdbcc7fe69c45144f6e8e413c56aed963c001" "{\"cc_test_reporter_token\": \"{cut}a34269152ab5d8801e8a5bcb43feddb43db10a11a01ca5d7d637c7a70dbb8499\"}"]
        no ["CODECLIMATE_KEY={cut}0000000000000000000000000000000000000000000000000000000000000000" "codeclimate_url=https://api.codeclimate.com/v1"]
    Vendor "codacy_token" ["codacy"] "[A-Za-z0-9]{20,32}" Random(33) 600 Medium
        yes ["CODACY_KEY={cut}WGTfmukSqtRIcSRA9krGLa" "{\"codacy_token\": \"{cut}sHG3y2uolen5nErfMx10Bab9QI\"}"]
        no ["CODACY_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxx" "codacy_url=https://api.codacy.com/v1"]
    Bound "sonar_token" ["squ_" "sqp_" "sqa_"] "sq[upa]_[0-9a-f]{40}" Shape 960 High
        yes ["squ_{cut}016d878caa14d934aaac0b4040aa794253530e8e" "squ_{cut}74e0452d311184b871c95dfc9aab5a2fbe9616d8"]
        no ["sqa_{cut}0000000000000000000000000000000000000000" "squ_{cut}74e0452d311184b871"]
    Bound "sonar_login" ["sonar.login="] r"sonar\.login=[0-9a-f]{40}" Entropy(30) 900 High
        yes ["sonar.login={cut}1db84bec4e065432223dd8ed91b16eb46cbefb15" "sonar.login={cut}a21fdb82b0fde1e7e6d80b9e4781559c61768b08"]
        no ["sonar.login={cut}0000000000000000000000000000000000000000" "sonar.login={cut}a21fdb82b0fde1"]
    Vendor "sonar_old_token" ["sonar.login" "sonar_token" "sonarlogin" "sonarqube" "sonarcloud" "sonar_api"] "[0-9a-f]{40}" Entropy(32) 650 High
        yes ["SONAR.LOGIN_KEY={cut}7876ad4a38c12976bc52b00595a6e26f1c690f28" "{\"sonar_api_token\": \"{cut}dc2056a3090006f3d1605ad12267f537f7f2482c\"}"]
        no ["sonar.host.url=http://localhost:9000" "sonarqube-reporter-1.2.4.tgz#{cut}3b9e7d0d0024e4b8fccc1ffe923e8991a2b3c4d5"]
    Vendor "snyk_token" ["snyk"] "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}" Entropy(25) 650 High
        yes ["SNYK_KEY={cut}4bcc34a6-8b94-6913-e73c-f068bd216441" "{\"snyk_token\": \"{cut}0363f35c-6f68-b026-2d22-cedbf4dd8d02\"}"]
        no ["SNYK_KEY={cut}00000000-0000-0000-0000-000000000000" "snyk_url=https://api.snyk.com/v1"]
    Bound "snyk_oauth_token" ["snyk_uat." "snyk_sat."] r"snyk_[us]at\.[0-9a-f]{8}\.[A-Za-z0-9_\-]{60,300}" Shape 950 High
        yes ["snyk_sat.{cut}865c20fd.HzeF14q4fmBTihLbKU1RhduAxyVXpVgX9rBtVjgPlrdDwgEhkHrEORJEWqOAZV1yazM" "snyk_sat.{cut}940fa175.yE1zwpqpSMc95mqXGCnB1ZThcJmYK2rFohOm8KMc4EBAf8zJ7AeR54UEHIejM3P"]
        no ["snyk_sat.{cut}00000000.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "snyk_sat.{cut}940fa175.yE1zwpqpSMc95mqXGCnB1Z"]
    Bound "appveyor_token" ["v2."] r"v2\.[a-z0-9]{20}" Random(37) 820 High
        yes ["v2.{cut}khveq9lect4v1sibuo4m" "v2.{cut}cit3oru78csqjiehljba"]
        no ["v2.{cut}xxxxxxxxxxxxxxxxxxxx" "v2.configuration"]
    Vendor "jenkins_token" ["jenkins"] "[0-9a-f]{32,36}" Entropy(30) 650 Critical
        yes ["JENKINS_KEY={cut}9dea7a28e8d0ff60e96758fc38ab673d" "{\"jenkins_token\": \"{cut}48a836d34adac5d9b4ae1cc5162171bc69aa\"}"]
        no ["JENKINS_KEY={cut}00000000000000000000000000000000000" "jenkins_url=https://api.jenkins.com/v1"]
    Bound "teamcity_token" ["eyJ0eXAiOiAiVENWMiJ9."] r"eyJ0eXAiOiAiVENWMiJ9\.[A-Za-z0-9_\-]{36}\.[A-Za-z0-9_\-]{48}" Shape 970 Critical
        yes ["eyJ0eXAiOiAiVENWMiJ9.{cut}g1Ef5Bv8IENpA7c4gFEFvESMshWAL5OA4nSf.g3c72xHvLSFqDgcEdWnErZLPGwxinwQpiuMkvRz6uYTTKh9s" "eyJ0eXAiOiAiVENWMiJ9.{cut}QxDUPSHW35itQH56d02hdfw5alzjJ23nClAv.JlZYXXhjJ64M8WuPpk3BCMQzYHxPMCVUdNrwE9e8kuOYGzx4"]
        no ["eyJ0eXAiOiAiVENWMiJ9.{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "eyJ0eXAiOiAiVENWMiJ9.{cut}QxDUPSHW35itQH56d02hdfw5alzjJ23n"]
    Vendor "saucelabs_key" ["sauce_access" "saucelabs"] "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}" Entropy(25) 650 High
        yes ["SAUCE_ACCESS_KEY={cut}3114550a-49ab-84ca-23fa-a635c099ce94" "{\"saucelabs_token\": \"{cut}bf4ef40a-fe75-16ea-c636-b45e82ed7675\"}"]
        no ["SAUCE_ACCESS_KEY={cut}00000000-0000-0000-0000-000000000000" "sauce_access_url=https://api.sauce-access.com/v1"]
    Vendor "browserstack_key" ["browserstack"] "[A-Za-z0-9]{20}" Random(33) 600 High
        yes ["BROWSERSTACK_KEY={cut}miyBcGAwlfJL3ws4HvRz" "{\"browserstack_token\": \"{cut}h2VH4VasFLlEgovXQfsu\"}"]
        no ["BROWSERSTACK_KEY={cut}xxxxxxxxxxxxxxxxxxxx" "browserstack_url=https://api.browserstack.com/v1"]
    Vendor "gradle_key" ["gradle.publish" "gradle_enterprise"] "[A-Za-z0-9]{32,52}" Random(33) 600 High
        yes ["GRADLE.PUBLISH_KEY={cut}3YWMBaDSJM11702k5dPYHHNaTVTZIWDPplJB" "{\"gradle_enterprise_token\": \"{cut}lG4Lg5Uqy27R0LOetgXZ8WHmSxcpbIkVpEfCLDy\"}"]
        no ["GRADLE.PUBLISH_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "gradle.publish_url=https://api.gradle.publish.com/v1"]
    Bound "chromatic_token" ["chpt_"] "chpt_[0-9a-f]{15,64}" Entropy(30) 900 Medium
        yes ["chpt_{cut}b656d0ef2e50e860954ab" "chpt_{cut}be279f1a67e5110973d"]
        no ["chpt_{cut}0000000000000000000" "chpt_{cut}be279f1"]
    Bound "octopus_key" ["API-"] "API-[A-Z0-9]{25,32}" Random(35) 900 Critical
        yes ["API-{cut}JQLX5CT3KDLJT8G31IM1CFR83LK7" "API-{cut}91PDNL25PCYJMWJMAD7E3FS2AK1ZL4GZ"]
        no ["API-{cut}XXXXXXXXXXXXXXXXXXXXXXXXXXXXX" "API-{cut}91PDNL25PCYJMW"]
    Bound "prefect_key" ["pnu_" "pnb_"] "pn[ub]_[A-Za-z0-9]{36}" Shape 950 High
        yes ["pnb_{cut}Q8cUxqos8jlEB0rv5V8YPcg6YlvNqajgqQtg" "pnu_{cut}OiiTT2w8vQ12HC4IPN06j925FXL1PXwTp7rR"]
        no ["pnb_{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "pnu_{cut}OiiTT2w8vQ12HC4I"]
    Bound "dbt_token" ["dbtc_" "dbtu_"] r"dbt[cu]_[A-Za-z0-9_\-]{30,80}" Random(35) 940 High
        yes ["dbtc_{cut}8IZ2VhpNFyYqy9ltunCRHnCaZDHTLzh" "dbtc_{cut}FtnSZIX53eB0CrFR4iiQ9RpALBqbF8yEiWFmMc"]
        no ["dbtu_{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "dbtc_{cut}FtnSZIX53eB0CrFR"]
    Bound "harness_token" ["pat." "sat."] r"[ps]at\.[A-Za-z0-9_\-]{22}\.[0-9a-f]{24}\.[A-Za-z0-9]{20}" Shape 960 Critical
        yes ["sat.{cut}dEBk5yB6pjJemInkOaSvvL.2d5c37366a5f804790162c5e.iskG4ipceoWTtxkap1nC" "sat.{cut}JTQv4iaATGKw5SwUhPo04w.a2ec56427ef551f5d5956ce7.2jItjXqig0WPfFKjyeu5"]
        no ["sat.{cut}xxxxxxxxxxxxxxxxxxxxxx.000000000000000000000000.xxxxxxxxxxxxxxxxxxxx" "sat.{cut}JTQv4iaATGKw5SwUhPo04w.a2ec56427"]
    Bound "codemagic_token" ["codemagic_"] r"codemagic_[A-Za-z0-9_\-]{40,50}" Random(35) 900 High
        yes ["codemagic_{cut}kV5Tr1GBWxtvKxtmrPg0JSIXlhb0IzzUCv98UIk2ruWnLT" "codemagic_{cut}Sq4FmVxeHW5uc56GEk5oip3RW71S2LZyc10BAXu610uM2ke"]
        no ["codemagic_{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "codemagic_{cut}Sq4FmVxeHW5uc56GEk"]
    Bound "expo_token" ["expo_"] r"expo_[A-Za-z0-9_\-]{40}" Random(38) 850 High
        yes ["expo_{cut}Vx7TvpMFkd5YiBYWIWX6MTFs1eWPKueOSrcYh29e" "expo_{cut}UjaPtJGTa6NckKyE9Eq1ZPlnytXycQ0GSrePwgtp"]
        no ["expo_{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "expo_{cut}UjaPtJGTa6NckKyE9"]
    Bound "stackhawk_key" ["hawk."] r"hawk\.[A-Za-z0-9_\-]{20}\.[A-Za-z0-9_\-]{20}" Random(33) 950 High
        yes ["hawk.{cut}wGCAdqfRDvZCvzXEhroH.vaP4qcF6f2e1urZ51Ngs" "hawk.{cut}hpKl0e9QsRttgS0xo5IA.Vc6znQ24Z5Q4uUX0jRn6"]
        no ["hawk.{cut}xxxxxxxxxxxxxxxxxxxx.xxxxxxxxxxxxxxxxxxxx" "hawk.{cut}hpKl0e9QsRttgS0xo5"]
    Bound "launchdarkly_key" ["api-" "sdk-" "mob-"] "(api|sdk|mob)-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}" Shape 900 High
        yes ["mob-{cut}64e9c29f-c4af-6cc2-ed8b-1a6ac3827834" "sdk-{cut}770a4032-a63e-c513-8b04-e221b0763204"]
        no ["api-{cut}00000000-0000-0000-0000-000000000000" "sdk-{cut}770a4032-a63e-c5"]
    Bound "pulumi_token" ["pul-"] "pul-[0-9a-f]{40}" Shape 960 Critical
        yes ["pul-{cut}aca1dc920fe60a4e761e0ad87123f453fd3b5d5f" "pul-{cut}6ddd7062a8338b24aa2a4843a3a3f7b1ec6df3e6"]
        no ["pul-{cut}0000000000000000000000000000000000000000" "pul-{cut}6ddd7062a8338b24aa"]
    Bound "terraform_token" [".atlasv1."] r"[A-Za-z0-9]{14}^\.atlasv1\.[A-Za-z0-9_\-]{60,70}" Shape 980 Critical
        yes ["DPazast{cut}dQhtHvM.atlasv1.qvVo6zjpYQU1qNjkLQLhWVLzHnoW6GCo5R8ZepFTkJcBUSeyHez91Ej5NNJE3Zef6R" "PDjo0YJ{cut}2fu9AI8.atlasv1.Bl0tSlA3cSDAVdKyOCuJKVkhqLWwgDcxf8sQ5JC7bbzQV5WOmBj7gENXSiw48l0BE"]
        no ["xxxxxxx{cut}xxxxxxx.atlasv1.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "9AI8.atlasv1.{cut}Bl0tSlA3cSDAVdKyOCuJKVkhqLWwgDcxf8sQ5JC7bbzQV5WOmBj7gENXSiw48l0BE"]
    Bound "infracost_key" ["ico-"] "ico-[A-Za-z0-9]{32}" Random(35) 920 Medium
        yes ["ico-{cut}kFsJ5p6FEOddbDcnpk7qbatnc5QsrQg1" "ico-{cut}3lp1O7Lpuqn2r4gFXXfWATFhl2ORGRxZ"]
        no ["ico-{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "ico-{cut}3lp1O7Lpuqn2r4"]
    Vendor "scrutinizer_token" ["scrutinizer"] "[0-9a-f]{64}" Entropy(32) 600 Medium
        yes ["SCRUTINIZER_KEY={cut}5395e4486d5598fa309cbbcd0f03509df7b18bb33cc7cd9988a57911046c93aa" "{\"scrutinizer_token\": \"{cut}846cd4f9540202b0d6e2c7c50d26cc7aba12ef06d93d5a84f101cda15e828226\"}"]
        no ["SCRUTINIZER_KEY={cut}0000000000000000000000000000000000000000000000000000000000000000" "scrutinizer_url=https://api.scrutinizer.com/v1"]
    Vendor "semaphore_token" ["semaphoreci" "semaphore_key" "semaphore_token"] "[0-9a-f]{32,40}" Entropy(30) 600 High
        yes ["SEMAPHORECI_KEY={cut}ce33aa8e6e307d44ff7ddf0ab3c494bc5a6" "{\"semaphore_token_token\": \"{cut}e96a1f674aa0ff829d90149bf7b7f14bdf02\"}"]
        no ["SEMAPHORECI_KEY={cut}000000000000000000000000000000000000" "semaphoreci_url=https://api.semaphoreci.com/v1"]
    Bound "depot_token" ["depot_"] "depot_(user|project|org)_[0-9a-f]{64}" Shape 950 High
        yes ["depot_{cut}user_fe107c6dc9464df24fd9fffef1f2ea702fc5089e0eba53f0ae2d8aab6673b0dc" "depot_{cut}user_25ebd53090430de975ee091fda04917e396aba020a3dadb67b8a27f861f74cc0"]
        no ["depot_{cut}org_0000000000000000000000000000000000000000000000000000000000000000" "depot_{cut}user_25ebd53090430de975ee091fda"]
    Bound "spacelift_key" ["spcl_"] "spcl_[A-Za-z0-9]{32,64}" Random(35) 900 Critical
        yes ["spcl_{cut}QfWx5BpPahsAdYS88TdVySHypWFFRQfrnpYp3u" "spcl_{cut}QpLykDqLCtOnPKscSAqMXo0htrcMuY13eQiXKFs"]
        no ["spcl_{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "spcl_{cut}QpLykDqLCtOnPKscS"]
    Vendor "bitrise_token" ["bitrise"] r"[A-Za-z0-9_\-]{86}" Random(40) 650 High
        yes ["BITRISE_KEY={cut}nU2C32vQYXYr9TR94NWLzrSNgwiZBjNgpK3M7p8BEsLg3m6Lq5uDrcvw83qIHzw5WQ8VVOw3ueRmG3zUDLD012" "{\"bitrise_token\": \"{cut}9WewzyiiulEjfmS4Fup7FwOZeLRQ26TzZiif7TEit1NPWMI7yZIUOiCS10bE9t4oZzo0vRW2r2xDASai6RefOZ\"}"]
        no ["BITRISE_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "bitrise_url=https://api.bitrise.com/v1"]
    Vendor "percy_token" ["percy_token"] "(web_|app_|auto_)?[0-9a-f]{64}" Entropy(32) 650 Medium
        yes ["PERCY_TOKEN={cut}app_d2ac5ae82f5e8f650eeee70b5e8ca9b08e604a130c18148fe9eb4ccb11ee96a9" "\"percy_token\": \"{cut}web_8950a5de7eb17e34d22eb72a1489d936ba8c9226584b1b4995044563edd5eb71\""]
        no ["PERCY_TOKEN_KEY={cut}app_0000000000000000000000000000000000000000000000000000000000000000" "percy_token_url=https://api.percy-token.com/v1"]
    Vendor "dependency_track_key" ["dtrack" "dependencytrack" "dependency_track"] "[A-Za-z0-9]{32}" Random(33) 600 Medium
        yes ["DTRACK_KEY={cut}Ppgyv9GahJnWvZJOlPXgJW23tx2APg42" "{\"dependency_track_token\": \"{cut}nvv3PlZYTCjLo3z7BfgLsPm5o4BBohIL\"}"]
        no ["DTRACK_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "dtrack_url=https://api.dtrack.com/v1"]
    Bound "dependency_track_token" ["odt_"] "odt_[A-Za-z0-9]{32,40}" Random(35) 930 Medium
        yes ["odt_{cut}KFlhvAZZALgJSt8mzTjEuHxMC7w1cNAtfpqjV" "odt_{cut}sHyIwHS2sBE9h2O66TKpjLl8dFUE0bc3P9ePwF80"]
        no ["odt_{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "odt_{cut}sHyIwHS2sBE9h2O66T"]
}
