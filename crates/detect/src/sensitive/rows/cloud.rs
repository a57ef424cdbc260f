//! Clouds: Amazon, Google, Microsoft and the others that rent machines.

use crate::sensitive::row::rows;

rows! {
    Bound "aws_access_key" ["AKIA" "ASIA" "ABIA" "ACCA"] "A(KIA|SIA|BIA|CCA)[A-Z0-9]{16}" Shape 930 Critical
        yes ["AKIA{cut}2MGCP7LJF85K6VVI" "ACCA{cut}AX9TUWYUFNGC0G22"]
        no ["AKIA{cut}IOSFODNN7EXAMPLE" "AKIARBITRARY"]
    Bound "aws_session_token" ["FwoGZXIvYXdz" "IQoJb3JpZ2lu"] "(FwoGZXIvYXdz|IQoJb3JpZ2lu)[A-Za-z0-9+/=]{100,2000}" Shape 960 Critical
        yes ["IQoJb3JpZ2lu{cut}hXHg08dXm2SikHq479y6tlYmH0DacLJNMj2yyQwa4Bb8HR5MwZBtr2GjEjN73mPmBQIbczXb7GKZnfBVPHu2BhHfXpOipnWrfAv8ymPaQxAfVw" "FwoGZXIvYXdz{cut}F4WKSEfNer6Dida7evlJ6i1KmVckVDuwwDlotVnOJX1dTTGCPigujzod6EcVsEyshSPgK7FZuWCFPKWCO4NvnU5DuIzNJ6cdjGNnSNGGh"]
        no ["IQoJb3JpZ2lu{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "FwoGZXIvYXdz{cut}F4WKSEfNer6Dida7evlJ6i1KmVckVDuwwDlotVnOJX1dTT"]
    Bound "aws_bedrock_key" ["ABSKQmVkcm9ja0FQSUtleS"] "ABSKQmVkcm9ja0FQSUtleS[A-Za-z0-9+/]{60,260}={0,2}" Shape 970 Critical
        yes ["ABSKQmVkcm9ja0FQSUtleS{cut}KXhuWJJW9iC36e7uyrQ006wsE5rCh8I2qFfxhDPKaKHaITtK4cHB0qTLfF2xL5R7zicm==" "ABSKQmVkcm9ja0FQSUtleS{cut}k0S6B26y2jOEvPLhGezKCj2Cks3hi8QUFjdgz46VnCaRitvqcIeCuZfrmO2mfC5K6"]
        no ["ABSKQmVkcm9ja0FQSUtleS{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx=" "ABSKQmVkcm9ja0FQSUtleS{cut}k0S6B26y2jOEvPLhGezKC"]
    Bound "aws_marketplace_token" ["amzn.mws."] r"amzn\.mws\.[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}" Shape 960 Critical
        yes ["amzn.mws.{cut}ce8f1155-d96f-0db9-323c-22be6453701f" "amzn.mws.{cut}f4f591ad-6fb3-a244-a55e-ba5199dfeb00"]
        no ["amzn.mws.{cut}00000000-0000-0000-0000-000000000000" "amzn.mws.{cut}f4f591ad-6fb3"]
    Bound "amazon_client_secret" ["amzn1.oa2-cs.v1."] r"amzn1\.oa2-cs\.v1\.[0-9a-f]{64}" Shape 970 High
        yes ["amzn1.oa2-cs.v1.{cut}c9123218a2f63dab6a237f23f763a0910b9896e916b9ba6011b7d0a85f96afc9" "amzn1.oa2-cs.v1.{cut}11f731258f5ab2fdc378701c0225db7b4467f3e3a0ce8dd687262beccbbcde7a"]
        no ["amzn1.oa2-cs.v1.{cut}0000000000000000000000000000000000000000000000000000000000000000" "amzn1.oa2-cs.v1.{cut}11f731258f5ab2fdc378701c"]
    Bound "amazon_login_token" ["Atza|" "Atzr|"] r"Atz[ar]\|[A-Za-z0-9_\-]{60,1000}" Shape 950 High
        yes ["Atzr|{cut}AI9gndAGyhNBTrFmZ3CFPp5p4pKfy5ornOpms0ZBOHCmbC4DVcxyq163rNpwpQq" "Atza|{cut}YbZz9MVl35qg2WZV2zpL8WmJGH99CidMr6qGsJPlqRKChPgJJfks4KXV7OgKf"]
        no ["Atza|{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "Atza|{cut}YbZz9MVl35qg2WZV2zpL8WmJGH99"]
    Bound "aws_secret_assignment" ["aws_secret_access_key" "AWS_SECRET_ACCESS_KEY"] r#"(aws_secret_access_key|AWS_SECRET_ACCESS_KEY)"?[ ]{0,3}[=:][ ]{0,3}"?[A-Za-z0-9/+]{40}"# Random(38) 950 Critical
        yes ["aws_secret_access_key{cut} :HY42faHo3eC19eeBtVXoLm3e8lAfxUUW8dM5ypHw" "AWS_SECRET_ACCESS_KEY{cut}\" : \"Gyo0Izm98g4MzUF5elEtPIwFt7XDx7qWQU82hRAc"]
        no ["aws_secret_access_key={cut}wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY" "AWS_SECRET_ACCESS_KEY=${SECRET}"]
    Bound "aws_appsync_key" ["da2-"] "da2-[a-z0-9]{26}" Random(33) 900 High
        yes ["da2-{cut}kzhb7kkxh3x5s20i5s2d1b05ix" "da2-{cut}xxoi2hzjnel8bpgewkqq1by5we"]
        no ["da2-{cut}xxxxxxxxxxxxxxxxxxxxxxxxxx" "da2-{cut}xxoi2hzjnel"]
    Vendor "aws_secret_key" ["aws" "secret_access_key" "secretaccesskey" "secret_key" "secretkey"] "[A-Za-z0-9/+]{40}" Random(38) 750 Critical
        yes ["AWS_KEY={cut}DM5wjUcYBjWNTca66etWyRaFIf0qosR6YIQRICM9" "{\"secretkey_token\": \"{cut}b6COXmoIN9Z9hymP6Sjdt0UEusmjVSzL8rBYkquD\"}"]
        no ["aws_secret_access_key={cut}wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY" "aws_region=eu-central-1"]
    Bound "google_api_key" ["AIza"] r"AIza[A-Za-z0-9_\-]{35}" Shape 940 High
        yes ["AIza{cut}ZdxZhYvLRggq1eGkgckOhLW4ITytxGwRLGb" "AIza{cut}ouuY2ee7Pfsh5k7A1VLgRYkddwJoJgBTrbs"]
        no ["AIza{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "AIza{cut}ouuY2ee7Pfsh5k7"]
    Bound "google_client_secret" ["GOCSPX-"] r"GOCSPX-[A-Za-z0-9_\-]{28}" Shape 960 High
        yes ["GOCSPX-{cut}PbHFP8QoGwulmJpwNBj3EYNkDh21" "GOCSPX-{cut}OGRJSyhq9T6FZTHoyZvx3Q3MGRqI"]
        no ["GOCSPX-{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxx" "GOCSPX-{cut}OGRJSyhq9T"]
    Bound "google_access_token" ["ya29."] r"ya29\.[A-Za-z0-9_\-]{50,1200}" Shape 940 Critical
        yes ["ya29.{cut}owE87AXP54IUeOAO9UhKIy1ADg404rLvaiirMQFIrXBKnJK51rpdHq" "ya29.{cut}EeoGyabWq37J093qzAOkFQeaTiU1R92V6a4LBLkvGOTOuc1QVlqhWvdVt"]
        no ["ya29.{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "ya29.{cut}EeoGyabWq37J093qzAOkFQeaTi"]
    Bound "google_refresh_token" ["1//0"] r"1//0[A-Za-z0-9_\-]{40,110}" Random(38) 930 Critical
        yes ["1//0{cut}PPUkgjgtOR2jeSi5eKN2woqO4cS6mCGv6opOMaPcJeJ81M" "1//0{cut}xJdDgDv4Wt53PFK2hoPUpMAg06aAd1iK2HYHev4CGOenJ"]
        no ["1//0{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "1//0{cut}xJdDgDv4Wt53PFK2hoPU"]
    Bound "google_client_id" [".apps.googleusercontent.com"] r"[0-9]{6,14}-[a-z0-9]{32}^\.apps\.googleusercontent\.com" Shape 900 Low
        yes ["4052065210-1wmfjpqzjj{cut}9ajvwt9anxjer95r75o8s9.apps.googleusercontent.com" "12923729656784-lhs3k52u{cut}qo058xgs8myh4zshnmk69bbj.apps.googleusercontent.com"]
        no ["00000000000000-xxxxxxxx{cut}xxxxxxxxxxxxxxxxxxxxxxxx.apps.googleusercontent.com" "58xgs8myh4{cut}zshnmk69bbj.apps.googleusercontent.com"]
    Bound "firebase_server_key" [":APA91b"] r"AAAA[A-Za-z0-9_\-]{7}^:APA91b[A-Za-z0-9_\-]{100,200}" Shape 960 High
        yes ["AAAAH{cut}0PdGXz:APA91bX8niEtyECe0p80IOItNXYMFvD7F8k7JdSUa4Dvl2xRNVkTa5zJLgzwug72AhFkVPwFVun6mWuwvxKx1BCBTpyzQpLuZnJo55AHaGXFZsd7wYEHKR" "AAAA8{cut}VXF1xp:APA91btjmaNGEw7hnnJzbNslVB0d9VUtfbZ6bCwFHP3Bd8YE2DPeiI1fbBSLyVygnEn9irztserDJtDg7ocPjVlCrTWjwSx0H2iltuYO7g3MMIYwe"]
        no ["AAAAx{cut}xxxxxx:APA91bxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "1xp:APA91b{cut}tjmaNGEw7hnnJzbNslVB0d9VUtfbZ6bCwFHP3Bd8YE2DPeiI1fbBSLyVygnEn9irztserDJtDg7ocPjVlCrTWjwSx0H2iltuYO7g3MMIYwe"]
    Bound "azure_account_key" ["AccountKey=" "SharedAccessKey="] "(AccountKey|SharedAccessKey)=[A-Za-z0-9+/]{43,100}={0,2}" Entropy(35) 940 Critical
        yes ["SharedAccessKey={cut}rkA6cagfVTKjKDpJUV6QijEY97DfHgv2uQ7R9Z7r7rr7xt==" "AccountKey={cut}F6Bac8IvGlTdpDwPTwwI6OiOFESPSqxLVJiMLpa15SbJFOqii"]
        no ["AccountKey=<account-key>" "SharedAccessKeyName=RootManageSharedAccessKey"]
    Bound "azure_client_secret" ["7Q~" "8Q~" "9Q~"] r"[A-Za-z0-9_.~\-]{3}^[789]Q~[A-Za-z0-9_.~\-]{31,34}" Shape 900 Critical
        yes ["t2s9Q~{cut}R4M5mmrmIibs8qk6ti2pvD6QGRVv8iSb0" "2qB8Q~{cut}tukKIgOEOkJRBHJ9KuLNxdC1aeJbR2uZ"]
        no ["vbr7Q~{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "2qB8Q~{cut}tukKIgOEOkJRB"]
    Bound "azure_devops_token" ["AZDO"] "[A-Za-z0-9]{76}^AZDO[A-Za-z0-9]{4}" Shape 960 Critical
        yes ["O1KELaG7gDQy3lC4hDkY4S2w7Ac4sbRb9o7uQa{cut}n2znIHrMbodvdxRRT6dDImrUKZ7VDFqt28GyT5AZDOcBz1" "q97FriKlHpr9mPJjAVcYKewlA0XDg3wmtKd4oh{cut}mGFtV0A5ziXrpii3ZcO6zmnagY8VpobfDM0Qp1AZDODF7Q"]
        no ["xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxAZDOxxxx" "tV0A5ziXrpii3ZcO6{cut}zmnagY8VpobfDM0Qp1AZDODF7Q"]
    Bound "azure_ai_key" ["JQQJ99"] "[A-Za-z0-9]{52}^JQQJ99[A-Za-z0-9]{20,28}" Shape 950 High
        yes ["sNkm8ypOiUTIt4wSC494RyYjKs{cut}ruXEqKZOSDZxHuD9tg42v4Ttc7JQQJ99KbXhIRzvcWKmBMryejXehpzoZ2j0" "uA9iFxj4yUxcKQapYueG4BPmhc{cut}zHKTTpVAbahcsIZXI0keZwje1mJQQJ99KIuOxfbKik2tRWH2iFZDqS5"]
        no ["xxxxxxxxxxxxxxxxxxxxxxxxxx{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxJQQJ99xxxxxxxxxxxxxxxxxxxxx" "TTpVAbahcsI{cut}ZXI0keZwje1mJQQJ99KIuOxfbKik2tRWH2iFZDqS5"]
    Bound "azure_search_key" ["AzSe"] "[A-Za-z0-9]{42}^AzSe[A-Za-z0-9]{6}" Shape 950 High
        yes ["0ee7vy3HkxCGv5Wj18p7H{cut}pCbS4Gf3hwYjjQAnlCpicAzSeBFhnLP" "hcQsBQLFTRxONmmzDolJf{cut}d3n298wTeBjnIaUQgDYrWAzSe2lbBu3"]
        no ["xxxxxxxxxxxxxxxxxxxxx{cut}xxxxxxxxxxxxxxxxxxxxxAzSexxxxxx" "298wTeBjn{cut}IaUQgDYrWAzSe2lbBu3"]
    Bound "azure_function_key" ["AzFu"] r"[A-Za-z0-9_\-]{44}^AzFu[A-Za-z0-9_\-]{5}[AQgw]==" Shape 960 High
        yes ["3jtacDexajis8XdEodKPI4{cut}DKMxvQNkUz9bOy9q4Y7dvDAzFuj64ViA==" "Fx1UBjgs9FAOxJrkMIKpTk{cut}zOWOwbOUHZX6FUFJhU9AapAzFuGNzR6w=="]
        no ["xxxxxxxxxxxxxxxxxxxxxx{cut}xxxxxxxxxxxxxxxxxxxxxxAzFuxxxxxA==" "OwbOUHZX6{cut}FUFJhU9AapAzFuGNzR6w=="]
    Bound "azure_cosmos_key" ["ACDb"] "[A-Za-z0-9+/]{76}^ACDb[A-Za-z0-9+/]{5}[AQgw]==" Shape 960 Critical
        yes ["jMTPTQAUOizLLr5lFdGJNQoRH52uvdmAljuL1T{cut}ZJeebsWC46vZJzvKYqSVm4ZMB7vcEjpsnlFRmUACDbzjPSFQ==" "uryAn2UeqXDlvRzGe9pvW8YgvO5qGCZSaN30cO{cut}HleG9APdYhTGEzksRHDyVZVefEEOkEjpQlC9auACDbzoijpA=="]
        no ["xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxACDbxxxxxw==" "G9APdYhTGEzksRHDy{cut}VZVefEEOkEjpQlC9auACDbzoijpA=="]
    Bound "azure_cache_key" ["AzCa"] "[A-Za-z0-9]{33}^AzCa[A-Za-z0-9]{6}=" Shape 950 High
        yes ["GX2K8aBQ0qrtThly{cut}6BJb8gwbNWgSmaH4aAzCaYL7xS5=" "LBDLLhdQszaeETxr{cut}WZ0IZvKdOlRC6RBnwAzCawdD0mW="]
        no ["xxxxxxxxxxxxxxxx{cut}xxxxxxxxxxxxxxxxxAzCaxxxxxx=" "IZvKdOl{cut}RC6RBnwAzCawdD0mW="]
    Bound "azure_bus_key" ["+ASb" "+AEh" "+ARm"] r"[A-Za-z0-9+/]{33}^\+A(Sb|Eh|Rm)[A-Za-z0-9+/]{5}=" Shape 950 High
        yes ["J0r6vjKkXPbZYBAO{cut}LbOy5cIAOzvHC5ZVo+ASbWij1v=" "dCZVnZ9X3hLB5yE6{cut}ehy0BQStwdBWoouDg+ASbamBZi="]
        no ["xxxxxxxxxxxxxxxx{cut}xxxxxxxxxxxxxxxxx+ASbxxxxx=" "0BQStwd{cut}BWoouDg+ASbamBZi="]
    Bound "azure_shared_signature" ["sig="] "sig=[A-Za-z0-9%+/]{40,90}(%3D|=)" Entropy(38) 880 High
        yes ["sig={cut}EunDH7i3y3IB8PLPH3ClGqpEaHfeOKDNDAHzMWyBZSis=" "sig={cut}9B1K8XqiORsSoEe93yzPaSqPAKknxbDEviWiCKzliJczac="]
        no ["sig={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx%3D" "sig=short%3D"]
    Bound "azure_config_string" [".azconfig.io;Id="] r"[A-Za-z0-9\-]{1,64}^\.azconfig\.io;Id=[A-Za-z0-9_+/:\-]{4,60};Secret=[A-Za-z0-9+/]{36,100}={0,2}" Shape 960 Critical
        yes ["d9nvgtgl.azconfig.io;Id={cut}5WujbDAB;Secret=L7XIErDhXnP1wAcpezpL0z2om3ramrQZd105PO" "JnugM.azconfig.io;Id={cut}LGc7;Secret=FNX08NfOz1lOZGUBIgH6Laa0loTgdWa5h68fh="]
        no ["N.azconfig.io;Id={cut}xxxxxxxx;Secret=xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx=" ".azconfig.io;Id={cut}LGc7;Secret=FNX08NfOz1lOZGUBIgH6Laa0loTgdWa5h68fh="]
    Bound "azure_instrumentation_key" ["InstrumentationKey="] "InstrumentationKey=[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}" Shape 850 Low
        yes ["InstrumentationKey={cut}32875f6c-612f-b370-1007-d86e30a8b769" "InstrumentationKey={cut}068878c8-def0-ca79-2a14-c678ba7aa51d"]
        no ["InstrumentationKey=00000000-0000-0000-0000-000000000000" "InstrumentationKey=<key>"]
    Vendor "azure_service_key" ["azure_openai" "azure_cognitive" "azure_speech" "azure_translator" "ocp-apim-subscription-key" "apim"] "[0-9a-f]{32}" Entropy(30) 650 High
        yes ["AZURE_OPENAI_KEY={cut}384f328c543f4eb33de10556bbfa6018" "{\"apim_token\": \"{cut}1775cdc661d5a92e71b9069e3ce3c704\"}"]
        no ["AZURE_OPENAI_KEY={cut}00000000000000000000000000000000" "azure_openai_url=https://api.azure-openai.com/v1"]
    Vendor "azure_devops_old_token" ["azure_devops" "ado_pat" "vsts" "personalaccesstoken" "personal_access_token"] "[a-z2-7]{52}" Entropy(38) 700 Critical
        yes ["AZURE_DEVOPS_KEY={cut}rjc2bnroal2zfeb24lcjsxx7sdoeqpouogunzgeur2t4lha67x4x" "{\"personal_access_token_token\": \"{cut}ec4upjkic5f4fbl5rtbdjb7mq6lf6tyuiezgdwthmwtrolgmaiul\"}"]
        no ["AZURE_DEVOPS_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "azure_devops_url=https://api.azure-devops.com/v1"]
    Bound "digitalocean_token" ["dop_v1_" "doo_v1_" "dor_v1_"] "do[por]_v1_[0-9a-f]{64}" Shape 970 Critical
        yes ["doo_v1_{cut}9f691497c28c3309534ea0be959c5fac202092639f9ca46053c92e33d75af360" "doo_v1_{cut}7f3a14df3992728d3d43e4eda936cbdfb25ebb513a114b169fd02d9c355985d1"]
        no ["dor_v1_{cut}0000000000000000000000000000000000000000000000000000000000000000" "doo_v1_{cut}7f3a14df3992728d3d43e4eda936"]
    Vendor "digitalocean_spaces_key" ["spaces_secret" "spaces_key" "digitalocean"] "[A-Za-z0-9+/]{43}" Random(38) 600 High
        yes ["SPACES_SECRET={cut}j1NWywHUq479s0JkPVw5jwS8Mtrx0qRsOSaokjpAJrG" "\"digitalocean_token\": \"{cut}26zLNBCSNtkD9upt1wpxxTZLyyEQDRDWOhV5HNaSWOT\""]
        no ["SPACES_SECRET_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "spaces_secret_url=https://api.spaces-secret.com/v1"]
    Bound "alibaba_access_key" ["LTAI"] "LTAI[A-Za-z0-9]{12,20}" Random(33) 930 Critical
        yes ["LTAI{cut}RWWNlT06yJZ1bspYaNjL" "LTAI{cut}ihINXu13xkdWYxblZfs"]
        no ["LTAI{cut}xxxxxxxxxxxxxxxx" "LTAI{cut}ihINXu1"]
    Vendor "alibaba_secret" ["alibaba" "aliyun" "alicloud"] "[A-Za-z0-9]{30}" Random(35) 650 Critical
        yes ["ALIBABA_KEY={cut}Xk26VCfbLWXf0L5I1s1UCoC1M50ey2" "{\"alicloud_token\": \"{cut}Dl54DCn8AcWaoqHZv6vUa8hrbtzoeF\"}"]
        no ["ALIBABA_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "alibaba_url=https://api.alibaba.com/v1"]
    Bound "tencent_secret_id" ["AKID"] "AKID[A-Za-z0-9]{32}" Random(38) 940 Critical
        yes ["AKID{cut}y1PclO23DmUeSuGdAOKLqdDPXk6P6b88" "AKID{cut}ApBSfehnq46vpLzVG0BKsowmQ6JM8m7u"]
        no ["AKID{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "AKID{cut}ApBSfehnq46vpL"]
    Vendor "tencent_secret_key" ["tencent" "qcloud"] "[A-Za-z0-9]{32}" Random(38) 600 Critical
        yes ["TENCENT_KEY={cut}qwUMERFKEQpo0HsnJwmVuBXenXGHnkig" "{\"qcloud_token\": \"{cut}4sXawZx8iS8NEPxxcptDnrbf7NUU6Pib\"}"]
        no ["TENCENT_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "tencent_url=https://api.tencent.com/v1"]
    Bound "yandex_api_key" ["AQVN"] r"AQVN[A-Za-z0-9_\-]{35,38}" Shape 940 High
        yes ["AQVN{cut}CX9L3hhz5R7lqkunkeXS4KTy3QgVfmxkDm5s" "AQVN{cut}oUBtaHjOAsQbNoxHntu9Wwc0H35OEHUUB81"]
        no ["AQVN{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "AQVN{cut}oUBtaHjOAsQbNox"]
    Bound "yandex_iam_token" ["t1.9eu"] r"t1\.9eu[A-Za-z0-9_\-]{20,300}\.[A-Za-z0-9_\-]{80,90}" Shape 950 High
        yes ["t1.9eu{cut}o42M3lZhucmD7OFfMY3OI.ZnKrlyPC9v3dYr8PvfWzhBFVbzPPTSNiZ7zq3qJ1rAK1pmXa6fiNGMI2FamVqRtepJap7bIuokBXs8k2FJyrDCb" "t1.9eu{cut}6FOzNKjPbJh64oeUh1VMtQ.wmezAgBPq1uFbQw1GuwCCGddHqhuEHfy2rZ42wj4RpykZNfSkEZqE0lnYTWaX5bQBSlriHfG6UQrVMcwUzEuy3"]
        no ["t1.9eu{cut}xxxxxxxxxxxxxxxxxxxxxxx.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "t1.9eu{cut}6FOzNKjPbJh64oeUh1VMtQ.wmezAgBPq1uFbQw1GuwCCGddHqhu"]
    Vendor "yandex_key" ["yandex"] r"[A-Za-z0-9_\-]{20,120}" Random(33) 600 High
        yes ["YANDEX_KEY={cut}m0FhtZvUgyfBm0HPQGdUWKfP" "{\"yandex_token\": \"{cut}P8aqTqmsIw7fY8zzPXn6RwbIE\"}"]
        no ["YANDEX_KEY={cut}xxxxxxxxxxxxxxxxxxxx" "yandex_url=https://api.yandex.com/v1"]
    Vendor "linode_token" ["linode"] "[0-9a-f]{64}" Entropy(32) 650 Critical
        yes ["LINODE_KEY={cut}e52398f204f30ac25cfbea65cadac91cc4d55a9538d01ea0830e1fd592c80754" "{\"linode_token\": \"{cut}6c063134f610698ed065ae41c88dd141a3d2bda1f48324f657861a812f4cf8f6\"}"]
        no ["LINODE_KEY={cut}0000000000000000000000000000000000000000000000000000000000000000" "linode_url=https://api.linode.com/v1"]
    Vendor "vultr_key" ["vultr"] "[A-Z0-9]{36}" Random(33) 650 Critical
        yes ["VULTR_KEY={cut}754R7TZKFNPNT02OA9H0I4AXFIC33JDJQLSP" "{\"vultr_token\": \"{cut}YE8YDZ6Q928F7TXCKDCH8FQHO6H5FA1XPNHB\"}"]
        no ["VULTR_KEY={cut}XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX" "vultr_url=https://api.vultr.com/v1"]
    Vendor "hetzner_token" ["hetzner" "hcloud"] "[A-Za-z0-9]{64}" Random(40) 650 Critical
        yes ["HETZNER_KEY={cut}3GK2uY3xW2c0YnxwF72YT7mduE8n7E8uhX3FVLNYl2Z6MM4ctAxIwobGElHO32sb" "{\"hcloud_token\": \"{cut}jdA8ZYbXoxMjgyn2M3qynk1scUnDOIRYMWOrx9W6h78XSfWqbHSyF534EyQIxgNL\"}"]
        no ["HETZNER_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "hetzner_url=https://api.hetzner.com/v1"]
    Bound "scaleway_access_key" ["SCW"] "SCW[A-Z0-9]{17}" Random(32) 920 Critical
        yes ["SCW{cut}6OMQ1O0PKNR38AG9T" "SCW{cut}U9V8Y217G4NB9O4H7"]
        no ["SCW{cut}XXXXXXXXXXXXXXXXX" "SCW{cut}U9V8Y21"]
    Vendor "scaleway_secret" ["scaleway" "scw_secret"] "[0-9A-Za-z]{8}-[0-9A-Za-z]{4}-[0-9A-Za-z]{4}-[0-9A-Za-z]{4}-[0-9A-Za-z]{12}" Random(25) 650 Critical
        yes ["SCALEWAY_KEY={cut}HwGsrp3K-m1qv-3jra-YKSa-1iCnRnTownbz" "{\"scw_secret_token\": \"{cut}IdjeteYS-2piF-rvg8-4hZk-9tQSEHqZjoDE\"}"]
        no ["SCALEWAY_KEY={cut}xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx" "scaleway_url=https://api.scaleway.com/v1"]
    Vendor "ovh_key" ["ovh_"] "[A-Za-z0-9]{16,32}" Random(33) 600 Critical
        yes ["OVH_KEY={cut}t8PJ4TSRMii8SVimNZPOmS" "{\"ovh_token\": \"{cut}9m4ct0yku30sFXjglG8\"}"]
        no ["OVH_KEY={cut}xxxxxxxxxxxxxxxxxxxxxx" "ovh_url=https://api.ovh.com/v1"]
    Bound "upcloud_token" ["ucat_"] "ucat_[A-Z0-9]{26}" Shape 930 Critical
        yes ["ucat_{cut}L6OT5M27WKC90UNB2AI2H29Q8O" "ucat_{cut}NW9W16ATIEM9JTPP1700VYSP7X"]
        no ["ucat_{cut}XXXXXXXXXXXXXXXXXXXXXXXXXX" "ucat_{cut}NW9W16ATIE"]
    Bound "heroku_key" ["HRKU-"] r"HRKU-[A-Za-z0-9_\-]{36,70}" Shape 950 Critical
        yes ["HRKU-{cut}ZbShpXN71CQGeSICvtwcMcpxos0HpT2If75wwuyXLof" "HRKU-{cut}bqH7rPpylBsj50qzY7eDR7T6SVSuSFnvT6d8G7f"]
        no ["HRKU-{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "HRKU-{cut}bqH7rPpylBsj50qzY"]
    Vendor "heroku_uuid_key" ["heroku"] "[0-9A-Za-z]{8}-[0-9A-Za-z]{4}-[0-9A-Za-z]{4}-[0-9A-Za-z]{4}-[0-9A-Za-z]{12}" Entropy(25) 600 Critical
        yes ["HEROKU_KEY={cut}KS2o8y59-Ule7-swhs-Pevs-SLVoBMd1iyrJ" "{\"heroku_token\": \"{cut}D1W4XKiL-t2F6-x1D7-A0Wr-oSpaxjSe3HXY\"}"]
        no ["HEROKU_API_KEY=00000000-0000-0000-0000-000000000000" "heroku_app=tide-web-3"]
    Vendor "cloudflare_token" ["cloudflare" "cf_api" "cf_token"] r"[A-Za-z0-9_\-]{37,45}" Random(35) 650 Critical
        yes ["CLOUDFLARE_KEY={cut}v2mUXGWEFdfymAHcHGtdBFdLQWpDEg4tMMw7fHIFCU" "{\"cf_token_token\": \"{cut}oC4tzeJxOfb4aowHCMUriKB81DsraB3UqXIRcAl\"}"]
        no ["CLOUDFLARE_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "cloudflare_url=https://api.cloudflare.com/v1"]
    Bound "cloudflare_ca_key" ["v1.0-"] r"v1\.0-[0-9a-f]{24,64}-[0-9a-f]{146}" Shape 970 Critical
        yes ["v1.0-{cut}231fd1b2bf3b640b9ffc90a6-8cc4895841e45e45346a51f0b6cf01424ad4d284f7f2ba0d7b9d839bb3923b96d0bf174b3393fc73b7b8617ec66f9cda2d58a294197f212b6d9eb84c1b3cdb98d7b980b152bf1542b6" "v1.0-{cut}835a9acc5aedcd978e2d615948cb-a1139605aa40e2ae0c98059f36fce915ec0fe08d929b1245074d3cc5366105347e25a75245dba5f2b0dd3708868dcc554010549823af28cbe709908cfed3c0a88afd0bbad7e4e14907"]
        no ["v1.0-{cut}000000000000000000000000-00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000" "v1.0-{cut}835a9acc5aedcd978e2d615948cb-a1139605aa40e2ae0c98059f36fce915ec0fe08d929b1245074d3cc5"]
    Bound "fly_token" ["fo1_" "fm1a_" "fm1r_" "fm2_"] r"(fo1_[A-Za-z0-9_\-]{43}|fm(1a|1r|2)_[A-Za-z0-9+/]{100,1000}={0,3})" Shape 960 Critical
        yes ["fo1_{cut}i3HA4k8iHlEeg5o5LdpIxci66N3ldGO9oFp9tKukLYv" "fo1_{cut}51pzIpeVpR93j8S3IbrOdw2yvpYZXLxaDG0KuHqwS00"]
        no ["fm1r_{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "fo1_{cut}51pzIpeVpR93j8S3Ibr"]
    Bound "render_key" ["rnd_"] "rnd_[A-Za-z0-9]{28,40}" Random(33) 920 Critical
        yes ["rnd_{cut}XyG8fMLCSDExqLGH2r2xyg595Z8EOASt" "rnd_{cut}E1krkL4ZYveQS4n2MiJKInFpzYCwBxNto"]
        no ["rnd_{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "rnd_seed_value_of_the_simulation"]
    Bound "netlify_token" ["nfp_" "nfc_" "nfo_" "nfu_"] "nf[pcou]_[A-Za-z0-9]{36,40}" Random(35) 940 Critical
        yes ["nfp_{cut}0CpFNw67A37Q9qNyCXVHiizuViPnuFeMciBP2AB" "nfc_{cut}0hK8FUO4nCh2nHbt5OicGx4YONWv4iYMFnG4sVD"]
        no ["nfc_{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "nfc_{cut}0hK8FUO4nCh2nHbt5"]
    Vendor "netlify_old_token" ["netlify"] r"[A-Za-z0-9_\-]{43,45}" Random(38) 600 Critical
        yes ["NETLIFY_KEY={cut}Eliz7a2fuevQmkCV4FHdBnqvMxlrfmLJeZCEMrXyOb2" "{\"netlify_token\": \"{cut}YcnZebsLNPCoJ8WNVNIx7baz8MNhsU7TUPsIAYvaRdi9\"}"]
        no ["NETLIFY_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "netlify_url=https://api.netlify.com/v1"]
    Vendor "vercel_token" ["vercel"] "[A-Za-z0-9]{24}" Random(33) 600 Critical
        yes ["VERCEL_KEY={cut}EpSviMHzxy4hEKs0TKtGzStg" "{\"vercel_token\": \"{cut}jRdHmxUWaryJXMa891Xbllqj\"}"]
        no ["VERCEL_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxx" "vercel_url=https://api.vercel.com/v1"]
    Bound "vercel_new_token" ["vcp_" "vca_" "vci_" "vck_"] "vc[pcaik]_[A-Za-z0-9]{24,60}" Random(35) 900 Critical
        yes ["vck_{cut}6mZE6J0nkx5SX2M8iy0fTrRr" "vck_{cut}ULoeJ42px1DdgrczAggmWouiVAypXMg"]
        no ["vca_{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "vck_{cut}ULoeJ42px1Ddg"]
    Vendor "ibm_cloud_key" ["ibm" "bluemix" "watson"] r"[A-Za-z0-9_\-]{44}" Random(38) 650 Critical
        yes ["IBM_KEY={cut}yzE9CddVjEQMlt6dxr34P6f1EBdQOXV0A4hGhZaol8s1" "{\"watson_token\": \"{cut}TfBxhTRSR9m2V8YM3rLLR4O7zBw3pblbTiGCtsckHqIE\"}"]
        no ["IBM_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "ibm_url=https://api.ibm.com/v1"]
    Vendor "railway_token" ["railway"] "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}" Entropy(25) 600 Critical
        yes ["RAILWAY_KEY={cut}99d510a4-53b7-fd07-ff62-edfe5cd13ba8" "{\"railway_token\": \"{cut}af3053f4-931a-4c94-0b3e-a9ed94fca812\"}"]
        no ["RAILWAY_KEY={cut}00000000-0000-0000-0000-000000000000" "railway_url=https://api.railway.com/v1"]
}
