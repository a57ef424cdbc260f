//! Databases, brokers, warehouses.

use crate::sensitive::row::rows;

rows! {
    Bound "url_password" ["://"] r#"[A-Za-z][A-Za-z0-9+]{1,20}^://[^ \t\r\n:@/"'<>`|\\?#]{0,128}:[^ \t\r\n/"'<>`|\\?#]{2,256}@[A-Za-z0-9_.\-\[]{2,253}"# UrlPassword 880 Critical
        yes ["https://{cut}deploy:b47ktZiHzMZeD3@db.tide.internal" "postgres://{cut}svc_report:FPrcQIUfrsWi2A@db.tide.internal"]
        no ["postgresql://user:password@localhost:5432/mydb" "https://user:${PASS}@db.internal" "redis://host:6379"]
    Bound "planetscale_token" ["pscale_tkn_" "pscale_pw_" "pscale_oauth_"] r"pscale_(tkn|pw|oauth)_[A-Za-z0-9_\-.=]{32,64}" Random(35) 970 Critical
        yes ["pscale_oauth_{cut}REsSHDYpjeUy9wfGLr8EucMoDbxG2RcPDnSqs3" "pscale_pw_{cut}5buWz989WMWwDnHwUXPfGR14S0KLOxXU4L"]
        no ["pscale_pw_{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "pscale_pw_{cut}5buWz989WMWw"]
    Bound "neon_key" ["napi_"] "napi_[a-z0-9]{64}" Shape 950 Critical
        yes ["napi_{cut}z842rda4gglnvmm9e0zcucm30abnxb44jcgqpmvhcs5h81n6srtvwcveq2ombt7p" "napi_{cut}qd925790fd4vwr01el5868q08ece5yhtx699u36wdfynihu2k7dcufacsxhalydt"]
        no ["napi_{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "napi_{cut}qd925790fd4vwr01el5868q08ece5"]
    Bound "neon_password" ["npg_"] "npg_[A-Za-z0-9]{12}" Random(30) 900 Critical
        yes ["npg_{cut}ZsMdnGgp1X4J" "npg_{cut}r1GO2wsfHNrS"]
        no ["npg_{cut}xxxxxxxxxxxx" "npg_{cut}r1GO"]
    Bound "supabase_key" ["sbp_" "sb_secret_"] r"(sbp_[a-z0-9]{40}|sb_secret_[A-Za-z0-9_\-]{30,50})" Random(33) 950 Critical
        yes ["sbp_{cut}ns6du7fqa0jm6liuljdza3ntbtqut0af9787pa1p" "sbp_{cut}78memkyj4huovtt7d9bxyrgm5qdsf7v7g94k1azk"]
        no ["sbp_" "sb_secret_key"]
    Bound "cockroach_key" ["CCDB1_"] "CCDB1_[A-Za-z0-9]{22}_[A-Za-z0-9]{40}" Shape 970 Critical
        yes ["CCDB1_{cut}vysHwwGgPx1d32EHYlcDqQ_56nYDL70reFL8trIyx1khvX6Tf9sW5v4jwCoC0bj" "CCDB1_{cut}UFBz12oYPEk2Ex7qqD00Bl_BrHXr4Nu4IC6jj9Ndl8hFCk8LGeHjlu2ZS1dBITX"]
        no ["CCDB1_{cut}xxxxxxxxxxxxxxxxxxxxxx_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "CCDB1_{cut}UFBz12oYPEk2Ex7qqD00Bl_BrHXr"]
    Bound "mongodb_service_secret" ["mdb_sa_sk_"] r"mdb_sa_sk_[A-Za-z0-9_\-]{40}" Shape 970 Critical
        yes ["mdb_sa_sk_{cut}26545G5fBDTc2x9BRPMszAajJe4P73DlM7J1e5lW" "mdb_sa_sk_{cut}tNON7f3l2zb40GFgSWo3NuRsA1C2lWoYWpp89CBJ"]
        no ["mdb_sa_sk_{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "mdb_sa_sk_{cut}tNON7f3l2zb40GF"]
    Vendor "mongodb_atlas_key" ["mongodb" "atlas_private" "atlas_public" "mongo_"] "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}" Entropy(25) 650 Critical
        yes ["MONGODB_KEY={cut}43589355-bf8d-dc3b-4e89-4937c9f95839" "{\"mongo_token\": \"{cut}25f03335-d366-bf85-f178-2cb5c45c8c77\"}"]
        no ["MONGODB_KEY={cut}00000000-0000-0000-0000-000000000000" "mongodb_url=https://api.mongodb.com/v1"]
    Bound "clickhouse_key" ["4b1d"] "4b1d[A-Za-z0-9]{38}" Random(40) 900 Critical
        yes ["4b1d{cut}7BliAdfpCG1qgl6PzOZSCm1hs789tPut3tY3HI" "4b1d{cut}JCbgfTAzq6IHI2u2jaHcpmFMbezxW116b5fMf7"]
        no ["4b1d{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "4b1d{cut}JCbgfTAzq6IHI2u2j"]
    Vendor "influx_token" ["influx"] r"[A-Za-z0-9_\-]{86}==" Random(40) 750 High
        yes ["INFLUX_KEY={cut}bzMDlxoa4HQUpBvlJOK31DkZSEsdOfP4pWLWiKUJmofr6WAmdgjOd1HrN32kngwPQkT1AvdJZRcdLaKzKEvOUB==" "{\"influx_token\": \"{cut}osxztzSOp9WTyWn1AEh0PQOaLNRQ6nQtNegwXuJcjEYCGZmlZry5XzpBulbEoalpS2o0fDR9gEOAJDWQixtlXI==\"}"]
        no ["INFLUX_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx==" "influx_url=https://api.influx.com/v1"]
    Vendor "aiven_token" ["aiven"] "[A-Za-z0-9+/=]{60,400}" Random(40) 650 Critical
        yes ["AIVEN_KEY={cut}RDo04cIbDD6vEadReZUsF4f1prlFjEU0fYv1bmo8u2AFlceT2rrSu3GBtWPNu" "{\"aiven_token\": \"{cut}u118PAhIQPjX5ZQDCWwxijzpQJoyTITWg3ipXKqFeR9u8dUSqPFvrg6ieIwiBfYJKk\"}"]
        no ["AIVEN_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "aiven_url=https://api.aiven.com/v1"]
    Bound "astra_token" ["AstraCS:"] "AstraCS:[A-Za-z0-9]{20,30}:[0-9a-f]{64}" Shape 980 Critical
        yes ["AstraCS:{cut}lb9UHzuP0FaLqmT6H67ox:bbd577b85e3624d10850f9504c0ec82e23b5662ed9d57483961c00eb34bf6ecb" "AstraCS:{cut}71DHJAOOfpSVxhxwPV6gamSJ:a7f5e243cf192b0c75f7315ec239df30e442113595522fa71e667446e6d8f2b8"]
        no ["AstraCS:{cut}xxxxxxxxxxxxxxxxxxxxxxx:0000000000000000000000000000000000000000000000000000000000000000" "AstraCS:{cut}71DHJAOOfpSVxhxwPV6gamSJ:a7f5e243cf192b0"]
    Bound "materialize_password" ["mzp_"] "mzp_[0-9a-f]{64}" Shape 950 Critical
        yes ["mzp_{cut}8570258f3f933fd7c65da3778cf10fa8ecad382a64ecc9ef80b3302869735e55" "mzp_{cut}528156e79a7761e238e5c7946344d36e92b24beb6462b2988ee7082711abad36"]
        no ["mzp_{cut}0000000000000000000000000000000000000000000000000000000000000000" "mzp_{cut}528156e79a7761e238e5c7946344d3"]
    Bound "tinybird_token" ["p.eyJ"] r"p\.eyJ[A-Za-z0-9_\-]{40,300}\.[A-Za-z0-9_\-]{30,60}" Shape 950 High
        yes ["p.eyJ{cut}78DXeSJJ2EmddDlb1aw2cmKVeyvOWNG1WgBqDVYTd08nA.fOqErUkmB7YInF3zjo4eocibsAdcVddIJ2Xn" "p.eyJ{cut}y3ohWpdP7ri1MyfOABoVqqhmYSTZfWLZ4TDhFyi5if.5b12JbXIUm6rsHH775CD6SJwQpUZqJo5wVq"]
        no ["p.eyJ{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "p.eyJ{cut}y3ohWpdP7ri1MyfOABoVqqhmYSTZfWLZ4TDh"]
    Bound "metabase_key" ["mb_"] "mb_[A-Za-z0-9+/]{43}=" Random(38) 940 High
        yes ["mb_{cut}HpfL1VnBye6C2ezbqDiTkGynXnDTVM3aZ5ygereNtqj=" "mb_{cut}l0UE65pE3q7M1E7dpP1UFAY211ubsNGVi42OBN1Ta6N="]
        no ["mb_{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx=" "mb_{cut}l0UE65pE3q7M1E7dpP1U"]
    Bound "xata_key" ["xau_"] "xau_[A-Za-z0-9]{24,60}" Random(35) 930 Critical
        yes ["xau_{cut}sxMCBou9bR9y64x7Nxj6G9DHernLq3O" "xau_{cut}FLQmiL4kQUchenlsTGHmJjGGVz"]
        no ["xau_{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "xau_{cut}FLQmiL4kQUc"]
    Bound "hex_token" ["hxtp_" "hxtw_"] "hxt[pw]_[0-9a-f]{64,96}" Shape 950 High
        yes ["hxtp_{cut}d7e15485665f37671c8d076efd1a1d7afc611169437fe4dfca9b8ae603cd61a60034" "hxtw_{cut}2cc4c2d2c4161a588f00e553d22967e6d93a3a4f3b632a3872f2e10b94e92b27e49f59c"]
        no ["hxtp_{cut}0000000000000000000000000000000000000000000000000000000000000000000000" "hxtw_{cut}2cc4c2d2c4161a588f00e553d22967e6d"]
    Bound "edgedb_token" ["nbwt1_" "nbwt_" "edbt1_" "edbt_"] r"(nbwt1?|edbt1?)_[A-Za-z0-9_\-.]{40,400}" Random(38) 930 Critical
        yes ["nbwt1_{cut}Q0zBeQFJXdeFemaxXHUyaynFjJxoHONEZQIK3743YAwdp" "nbwt_{cut}h41EYVRhSqvRbf0mxIOQ79PKoJd0filNcgawUXPM7kUotM"]
        no ["edbt1_{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "nbwt_{cut}h41EYVRhSqvRbf0mxIOQ"]
    Vendor "confluent_secret" ["confluent" "kafka"] "[A-Za-z0-9+/]{16,64}" Random(33) 600 Critical
        yes ["CONFLUENT_KEY={cut}7DkzqrzG2BDpowCy8771Z" "{\"kafka_token\": \"{cut}LahKsSRkx1l0foKIWOd\"}"]
        no ["CONFLUENT_KEY={cut}xxxxxxxxxxxxxxxxxxx" "confluent_url=https://api.confluent.com/v1"]
    Vendor "fauna_key" ["fauna"] r"fn[A-Za-z0-9_\-]{38}" Random(38) 700 Critical
        yes ["FAUNA_KEY={cut}fnPyoYIpNfsJBk776zFygcArCcNayGX1VWNgYyVw" "{\"fauna_token\": \"{cut}fnXHGcmcg01tohlD4T9obhNKoEYqefEearVsJ3wv\"}"]
        no ["FAUNA_KEY={cut}fnxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "fauna_url=https://api.fauna.com/v1"]
    Vendor "upstash_token" ["upstash"] r"[A-Za-z0-9+/=_\-]{40,120}" Random(38) 650 Critical
        yes ["UPSTASH_KEY={cut}x5H6VgSQkYyFF34r4JxmyUzF4VnKcpQIlOUkZqe9CT" "{\"upstash_token\": \"{cut}G4IEsnS3WahvrujyF4OIpbfxjbXpIhMz1TkigWKoqcwdlA\"}"]
        no ["UPSTASH_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "upstash_url=https://api.upstash.com/v1"]
    Vendor "rockset_key" ["rockset"] "[A-Za-z0-9]{64}" Random(33) 650 Critical
        yes ["ROCKSET_KEY={cut}cURjru1zSi932FFnxzQgOTf4gaf4vOSgT0XZVaQMUyVqhWjlFehLk2qpzjjgWOlX" "{\"rockset_token\": \"{cut}E2IBbFGlrUrs8bJabu1QMZ1Dv21a6znjOy3HCkcOamC5lvoRa7RdnfGfKWdXHMC9\"}"]
        no ["ROCKSET_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "rockset_url=https://api.rockset.com/v1"]
    Bound "turso_token" ["eyJhbGciOiJFZERTQSI"] r"eyJhbGciOiJFZERTQSI[A-Za-z0-9_\-]{10,60}\.[A-Za-z0-9_\-]{40,400}\.[A-Za-z0-9_\-]{80,90}" Jwt 920 Critical
        yes ["eyJhbGciOiJFZERTQSI{cut}sInR5cCI6IkpXVCJ9.eyJzdWIiOiAiMzkzNDgyNzY5IiwgInJvbGUiOiAib3BzIiwgImlzcyI6ICJhdXRoLnRpZGUuaW50ZXJuYWwifQ.fJdfQYjd434nYVV3FESXOEB2sXWfWhJWmua_P8qu1jbflDRIgshgKI24uaBGJrbM99xbPnzrRAmoMsjdsMBkqQ" "eyJhbGciOiJFZERTQSI{cut}sInR5cCI6IkpXVCJ9.eyJzdWIiOiAiOTQwNTkwOTYiLCAicm9sZSI6ICJvcHMiLCAiaXNzIjogImF1dGgudGlkZS5pbnRlcm5hbCJ9.VQUiD9SjzCV4NHfaDv7AJA7Puf_vyJxLkg5y-u695_o0bsYQ-V8N-xX8W1XF8H-cjq9BHy0dj-N8sDJIW7t_1g"]
        no ["eyJhbGciOiJFZERTQSI{cut}xxxxxxxxxxxxx.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "eyJhbGciOiJFZERTQSI{cut}sInR5cCI6IkpXVCJ9.eyJzdWIiOiAiOTQwNTkwOTYiLCAicm9sZSI6ICJvcHMiLCAiaXNzIjogImF1dGgudGl"]
    Vendor "fivetran_key" ["fivetran"] "[A-Za-z0-9]{16,32}" Random(33) 600 High
        yes ["FIVETRAN_KEY={cut}A5cvSlLkB7YsRQOcxDwR" "{\"fivetran_token\": \"{cut}W0yLbQEPcB6Sh13fCp\"}"]
        no ["FIVETRAN_KEY={cut}xxxxxxxxxxxxxxxxxxxxxx" "fivetran_url=https://api.fivetran.com/v1"]
    Vendor "stitch_key" ["stitchdata" "stitch_api"] "[0-9a-f]{35,64}" Entropy(28) 600 High
        yes ["STITCHDATA_KEY={cut}d27c4f351f2ff20e75402c0e5d16875099f4c01c8ee" "{\"stitch_api_token\": \"{cut}9b9a925a186a3f8c1dfb65aa3f1802de3c1030b\"}"]
        no ["STITCHDATA_KEY={cut}000000000000000000000000000000000000" "stitchdata_url=https://api.stitchdata.com/v1"]
    Vendor "airbyte_secret" ["airbyte"] "[A-Za-z0-9]{32,64}" Random(38) 600 High
        yes ["AIRBYTE_KEY={cut}ZZrsBZ1OIfDXrskYFnyZInJ5LbzIKXfq" "{\"airbyte_token\": \"{cut}1cZDlhABmNxW2s76zlW83bStZZUFGXf4BKXzY\"}"]
        no ["AIRBYTE_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "airbyte_url=https://api.airbyte.com/v1"]
    Vendor "hasura_secret" ["hasura" "x-hasura-admin-secret"] r"[A-Za-z0-9_\-]{32,80}" Random(33) 650 Critical
        yes ["HASURA_KEY={cut}1PK2OHtC8O8fBxnikx4jGuGwQlZlpFUfhlZZddr" "{\"x-hasura-admin-secret_token\": \"{cut}nDKgYBhxnWo0LWOSXjTthoiNYg3HauY7Hj1vz\"}"]
        no ["HASURA_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "hasura_url=https://api.hasura.com/v1"]
}
