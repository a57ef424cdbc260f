//! Payments, banking, markets.

use crate::sensitive::row::rows;

rows! {
    Bound "stripe_key" ["sk_live_" "rk_live_"] "[sr]k_live_[A-Za-z0-9]{14,120}" Entropy(33) 960 Critical
        yes ["sk_live_{cut}nlImMJdXkFDMIx1LMwfkC" "sk_live_{cut}d2KVDGglrlX5fwfMyS1"]
        no ["sk_live_{cut}xxxxxxxxxxxxxxxxxxxxxxxx" "sk_live_mode"]
    Bound "stripe_test_key" ["sk_test_" "rk_test_"] "[sr]k_test_[A-Za-z0-9]{20,120}" Random(33) 900 Medium
        yes ["sk_test_{cut}Pm4zfzBGFfISmqJIN6VbyV9WMk" "rk_test_{cut}4tH8RosGFbvNSePCV2UG7YF"]
        no ["sk_test_{cut}4eC39HqLyjWDarjtT1zdp7dc" "sk_test_mode"]
    Bound "stripe_webhook_secret" ["whsec_"] "whsec_[A-Za-z0-9+/]{24,72}={0,2}" Random(33) 950 High
        yes ["whsec_{cut}fznKJjmWdXCFkJwUUsdw855XlQgRl9Dq=" "whsec_{cut}mmof2TWvxEipbi9kCKG0GMlEpBQbX=="]
        no ["whsec_{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx==" "whsec_{cut}mmof2TWvxEip"]
    Bound "prod_secret_key" ["sk_prod_" "rk_prod_"] "[sr]k_prod_[A-Za-z0-9]{20,120}" Random(33) 940 Critical
        yes ["sk_prod_{cut}1gasCOCCuGxxM8FFS6kyRe" "sk_prod_{cut}lfBTJHkrKlA282ZJoewJd"]
        no ["sk_prod_{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxx" "sk_prod_{cut}lfBTJH"]
    Bound "braintree_token" ["access_token$"] r"access_token\$(production|sandbox)\$[a-z0-9]{16}\$[0-9a-f]{32}" Shape 970 Critical
        yes ["access_token${cut}production$ly2kwmgfva8kbztn$307312e7606bdb921dc1514e69bed8d1" "access_token${cut}production$ftjml7w6gouswtuz$50e938c25da6b260774a2d30a4159176"]
        no ["access_token${cut}sandbox$xxxxxxxxxxxxxxxx$00000000000000000000000000000000" "access_token${cut}production$ftjml7w6gous"]
    Bound "square_token" ["EAAA" "sq0atp-" "sq0csp-" "sq0idp-"] r"(EAAA[A-Za-z0-9_\-]{60,62}|sq0(atp|csp|idp)-[A-Za-z0-9_\-]{22,43})" Random(38) 920 Critical
        yes ["EAAA{cut}TUYQmoyMeUgIM9dXjhByFCSWGydmsCaVxhqI3pKX5DG1L1RGJZ89q7UtCxPp" "EAAA{cut}UR5xpm0twySYrRxGNlHUI3gtBohvGWPVYUAa2CU5SnNVTaQTyO9rm0dhEsIwt"]
        no ["sq0atp-" "EAAA"]
    Bound "flutterwave_key" ["FLWSECK" "FLWPUBK"] "FLW(SEC|PUB)K(_TEST)?-[0-9a-f]{12,32}-X" Shape 960 Critical
        yes ["FLWPUBK{cut}_TEST-cabd6ae6d57b-X" "FLWSECK{cut}-24996127e589a6a8e15-X"]
        no ["FLWPUBK{cut}_TEST-000000000000000000-X" "FLWSECK{cut}-249961"]
    Bound "razorpay_key" ["rzp_live_" "rzp_test_"] "rzp_(live|test)_[A-Za-z0-9]{14}" Random(30) 930 Critical
        yes ["rzp_test_{cut}kJGOSfynW6gmcS" "rzp_live_{cut}CCtS0Os5rdp1Fe"]
        no ["rzp_test_{cut}xxxxxxxxxxxxxx" "rzp_live_{cut}CC"]
    Bound "adyen_key" ["AQE"] r"AQE[a-z]hm[A-Za-z0-9+/]{10,60}[\-.*+/A-Za-z0-9]{40,160}" Random(40) 920 Critical
        yes ["AQE{cut}whm25APd7beJBMy3vP21rMWZkVusRZ7yWDlNouPeZwVPZAEIn0P7AIDG4bBRRm" "AQE{cut}uhm2bCemQZKiwYpwOYzEUb9oakrlnYr9KNvKAJuI0WyKCNdF9vFEBWz5k7"]
        no ["AQE{cut}uhmxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "AQE{cut}uhm2bCemQZKiwYpwOYzEUb9oakr"]
    Bound "plaid_token" ["access-sandbox-" "access-development-" "access-production-"] "access-(sandbox|development|production)-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}" Shape 970 Critical
        yes ["access-development-{cut}79cf7dfc-6d24-d78e-724c-e132e3d0994e" "access-production-{cut}6eeb44fe-134a-53ce-a683-4343d56d9ae2"]
        no ["access-sandbox-{cut}00000000-0000-0000-0000-000000000000" "access-production-{cut}6eeb44fe-"]
    Vendor "plaid_secret" ["plaid"] "[0-9a-f]{24,30}" Entropy(30) 650 Critical
        yes ["PLAID_KEY={cut}8ddca5ba5c64f6b1500668d9eed" "{\"plaid_token\": \"{cut}459a02816dc7430c2c322981dd71de\"}"]
        no ["PLAID_KEY={cut}000000000000000000000000000000" "plaid_url=https://api.plaid.com/v1"]
    Bound "mollie_key" ["live_"] "live_[A-Za-z0-9]{30}" Random(38) 850 Critical
        yes ["live_{cut}VKixu0kIBWJ2oj0pAgT1MatXfw8PK8" "live_{cut}bIlhqlBo8HMUh8v7R4RZjtzSWBXzHo"]
        no ["live_{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "live_configuration_is_loaded"]
    Bound "gocardless_token" ["live_" "sandbox_"] r"(live|sandbox)_[A-Za-z0-9_\-]{40}" Random(40) 850 Critical
        yes ["sandbox_{cut}bwzCRVdUxbGRduRQSID0ew1iCKYFRRvNk9cF8cK7" "sandbox_{cut}ryzzLSssWvDnpp7TKE5FBbuRRtmQFa54N5fUs1XQ"]
        no ["live_{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "sandbox_{cut}ryzzLSssWvDnpp7T"]
    Bound "checkout_key" ["sk_sbox_" "sk_"] "sk_(sbox_)?[a-z2-7]{26}[a-z0-9*]" Random(38) 850 Critical
        yes ["sk_{cut}nwvjuvegqftofxoqybgc64665px" "sk_{cut}td3lklf6iq3zs4hbrtxklfd2lgp"]
        no ["sk_{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxx" "sk_buffer_of_the_socket_is_full"]
    Bound "paddle_key" ["pdl_live_apikey_" "pdl_sdbx_apikey_"] "pdl_(live|sdbx)_apikey_[a-z0-9]{26}_[A-Za-z0-9]{22}_[A-Za-z0-9]{3}" Shape 970 Critical
        yes ["pdl_sdbx_apikey_{cut}sry6e7nl7z9h2jjiqdng0nvlz6_Xv9mvjCXNptyN26qCh9nkv_ntW" "pdl_live_apikey_{cut}aupns18xkt0x3km5vl73g3014x_oFlwX0lK4Yc8rTYV3jLnzS_Tsv"]
        no ["pdl_live_apikey_{cut}xxxxxxxxxxxxxxxxxxxxxxxxxx_xxxxxxxxxxxxxxxxxxxxxx_ic4" "pdl_live_apikey_{cut}aupns18xkt0x3km5vl"]
    Bound "xendit_key" ["xnd_production_" "xnd_development_"] "xnd_(production|development)_[A-Za-z0-9]{40,80}" Random(33) 960 Critical
        yes ["xnd_development_{cut}W14A58DjKNgE0lrbyR06DrG9TTaz26vXbR4wdKeo6CQu" "xnd_development_{cut}rrWMBTl6XYzpHXMVUjoyyFJbDYuZczSc451AVwgUY"]
        no ["xnd_development_{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "xnd_development_{cut}rrWMBTl6XYzp"]
    Bound "midtrans_key" ["Mid-server-"] r"(SB-)?Mid-server-[A-Za-z0-9_\-]{24}" Shape 940 Critical
        yes ["SB-Mid-server-{cut}87jAlkxDlQ4kjTjECN1KIyUQ" "SB-Mid-server-{cut}coiukl4Zfa36MJcTTJcAVYZl"]
        no ["Mid-server-{cut}xxxxxxxxxxxxxxxxxxxxxxxx" "SB-Mid-server-{cut}coiuk"]
    Bound "mercadopago_token" ["APP_USR-"] "APP_USR-[0-9]{13,19}-[0-9]{6}-[0-9a-f]{32}-[0-9]{6,10}" Shape 970 Critical
        yes ["APP_USR-{cut}52302545751165-869329-a50e06cf5319c6192658fd75c2d7bb48-362605235" "APP_USR-{cut}5595795144839676795-235840-c0b137f3d0eefef03b99ebf83aba80d1-92119441"]
        no ["APP_USR-{cut}000000000000000000-000000-00000000000000000000000000000000-000000" "APP_USR-{cut}5595795144839676795-235840-c0b"]
    Bound "pagarme_key" ["ak_live_" "ek_live_"] "[ae]k_live_[A-Za-z0-9]{30}" Random(35) 940 Critical
        yes ["ek_live_{cut}NYXgWwndRdaZ9122MEAv5lCPPN8ZS2" "ak_live_{cut}wncbomXVZ1qi7nKiAnlCIboYe6Xwiw"]
        no ["ak_live_{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "ak_live_{cut}wncbomXVZ1q"]
    Bound "omise_key" ["skey_" "pkey_"] "[sp]key_(test_)?[a-z0-9]{19,22}" Random(33) 850 Critical
        yes ["pkey_{cut}k93y9o7e4opbf7c90ct1" "skey_{cut}aq9285i5wwd6tkyppmy"]
        no ["skey_{cut}xxxxxxxxxxxxxxxxxxx" "pkey_of_the_certificate_x"]
    Bound "easypost_key" ["EZAK" "EZTK"] "EZ[AT]K[A-Za-z0-9]{54}" Shape 960 High
        yes ["EZTK{cut}gv7TUbca4PaSiTgv6wSp5ZwDO3O80EaWo1rWyM9e3gpKhd4JYE8AOs" "EZAK{cut}V9YJqqFerJYNdqFMcBXPzpJozuI8NUxjCnvVK65p7MmRuIs0A5ZIf8"]
        no ["EZTK{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "EZAK{cut}V9YJqqFerJYNdqFMcBXPzpJoz"]
    Bound "shippo_token" ["shippo_live_" "shippo_test_"] "shippo_(live|test)_[0-9a-fA-F]{40}" Shape 970 High
        yes ["shippo_live_{cut}770A5F43A1aFcAEc28B38fF7DBb117Df2E5Ff3EE" "shippo_live_{cut}04bbef762C8Db55EDcAae6bE88c8EBedeA24E89D"]
        no ["shippo_test_{cut}0000000000000000000000000000000000000000" "shippo_live_{cut}04bbef762C8Db5"]
    Bound "lob_key" ["live_"] "live_[0-9a-f]{35}" Entropy(30) 900 High
        yes ["live_{cut}6eb2d5412307add76ce99f2ba15b37b99d3" "live_{cut}fe1825cf3753171278be56a26b1d5ca8642"]
        no ["live_{cut}00000000000000000000000000000000000" "live_{cut}fe1825cf3753171"]
    Bound "duffel_token" ["duffel_live_" "duffel_test_"] r"duffel_(live|test)_[A-Za-z0-9_\-]{43}" Shape 970 High
        yes ["duffel_test_{cut}70G1HXqUxGKBRsMYmZF624WkJUdDjOJ9s9bPenwu5pE" "duffel_live_{cut}ztBE55lgdmeJHgaDOOKluVTS3uVtakCBJagDB4y37uq"]
        no ["duffel_test_{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "duffel_live_{cut}ztBE55lgdmeJHga"]
    Bound "flexport_token" ["shltm_"] r"shltm_[A-Za-z0-9_\-]{30,50}" Random(35) 930 High
        yes ["shltm_{cut}wYkRI4ymmN9JGaGyIgDanBkSUgY1j4ru2K" "shltm_{cut}IprLE13nIVXMgvVRTkV71KVGu2WaLv5q02lPqu"]
        no ["shltm_{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "shltm_{cut}IprLE13nIVXMgvVR"]
    Bound "fleetbase_key" ["flb_live_" "flb_test_"] "flb_(live|test)_[A-Za-z0-9]{20}" Random(33) 950 Medium
        yes ["flb_live_{cut}XdWUsCRI7HkQ48dhNQEG" "flb_live_{cut}Pu1xIx6id4kbJL5ZRG4W"]
        no ["flb_test_{cut}xxxxxxxxxxxxxxxxxxxx" "flb_live_{cut}Pu1xI"]
    Bound "klarna_key" ["klarna_live_api_" "klarna_test_api_"] "klarna_(live|test)_api_[A-Za-z0-9+/]{40,200}" Shape 960 Critical
        yes ["klarna_live_api_{cut}EMlLIvZNPxX8p0GD7Vy7mZQUJmylBJOkOnxNI71Pi034im" "klarna_test_api_{cut}9llUxPgLgZeg1DuASt3qCmb15mbRFWURTe3XpAye70oe3kn"]
        no ["klarna_test_api_{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "klarna_test_api_{cut}9llUxPgLgZeg1Du"]
    Bound "sumup_key" ["sup_sk_" "sup_pk_"] "sup_[sp]k_[A-Za-z0-9]{30,34}" Random(35) 930 Critical
        yes ["sup_sk_{cut}TSLHBlafd7lmg0kn0vy38Gq0xw2nW1X4" "sup_sk_{cut}AKsRmX4gX284Uu5moE0HiYP4sgr63JEb"]
        no ["sup_sk_{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "sup_sk_{cut}AKsRmX4gX284"]
    Bound "polar_token" ["polar_oat_" "polar_pat_"] "polar_[op]at_[A-Za-z0-9]{30,60}" Shape 950 High
        yes ["polar_oat_{cut}2qRtL0olyWJAfW7tin2XbonvrU7Qyw1f94vk" "polar_pat_{cut}XaJKBTuYgeiFHZmPuhxkVvJXOSFLK6LvRqaEH"]
        no ["polar_oat_{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "polar_pat_{cut}XaJKBTuYgeiFH"]
    Vendor "paypal_secret" ["paypal"] r"[A-Za-z0-9_\-]{60,80}" Random(40) 700 Critical
        yes ["PAYPAL_KEY={cut}gJVQf9XdZWgn9fdtU3o8A1zeRoIosUJlvhTacmB4fq4imqLgdnUZGXzLsSkMbj8Sd3" "{\"paypal_token\": \"{cut}6f7L3VcopfpfxZqPLkUfmdt9ZmNp6xSeRH4UJw6On8sVzHdspiriXEdl8ktrbot\"}"]
        no ["PAYPAL_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "paypal_url=https://api.paypal.com/v1"]
    Vendor "coinbase_secret" ["coinbase"] "[A-Za-z0-9]{32,64}" Random(38) 650 Critical
        yes ["COINBASE_KEY={cut}vvX74dwFoWHTnXb7Fzi7FV5WJw5KKTu4YFmY9s" "{\"coinbase_token\": \"{cut}Kcx4Sm7Luyq494CPFQ39TPJdLs7odk4hv7lCpxpX\"}"]
        no ["COINBASE_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "coinbase_url=https://api.coinbase.com/v1"]
    Vendor "wise_token" ["transferwise" "wise_api"] "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}" Entropy(25) 650 Critical
        yes ["TRANSFERWISE_KEY={cut}7a172b74-1658-686e-f14d-5814ca0b46d6" "{\"wise_api_token\": \"{cut}e34ac27b-a74f-8bf4-e25c-c7c85a3e1c72\"}"]
        no ["TRANSFERWISE_KEY={cut}00000000-0000-0000-0000-000000000000" "transferwise_url=https://api.transferwise.com/v1"]
    Vendor "recurly_key" ["recurly"] "[0-9a-f]{32}" Entropy(30) 600 Critical
        yes ["RECURLY_KEY={cut}2df8315e7b19a15a62d1bed171fb6d44" "{\"recurly_token\": \"{cut}93b5eb473c06196365313f310bb3d108\"}"]
        no ["RECURLY_KEY={cut}00000000000000000000000000000000" "recurly_url=https://api.recurly.com/v1"]
    Vendor "finicity_secret" ["finicity"] "[A-Za-z0-9]{20,32}" Random(33) 600 High
        yes ["FINICITY_KEY={cut}tzILfyRwSRlUqksKKy20sP0raCB" "{\"finicity_token\": \"{cut}KYuQLtEzJQXq01xjHowkE\"}"]
        no ["FINICITY_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxx" "finicity_url=https://api.finicity.com/v1"]
    Vendor "gumroad_token" ["gumroad"] r"[A-Za-z0-9_\-]{43}" Random(38) 600 High
        yes ["GUMROAD_KEY={cut}T31JnKXAwN0gq8flxewundTywK0V0UuZKOnf1jnOdUZ" "{\"gumroad_token\": \"{cut}aAxd7hKuza1a6gNhtp9UUMuiLPX1n0FRtgjSdLyu8gH\"}"]
        no ["GUMROAD_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "gumroad_url=https://api.gumroad.com/v1"]
    Vendor "privacy_key" ["privacy_api" "privacy_secret" "privacy_key"] "[0-9A-Za-z]{8}-[0-9A-Za-z]{4}-[0-9A-Za-z]{4}-[0-9A-Za-z]{4}-[0-9A-Za-z]{12}" Random(25) 600 High
        yes ["PRIVACY_API_KEY={cut}j5Skw8Gp-GQ0s-pHFo-ZiDK-OzaaRnKb5z6o" "{\"privacy_key_token\": \"{cut}ME90pNlW-otov-MT0f-OckH-krWlBcop5NPy\"}"]
        no ["PRIVACY_API_KEY={cut}xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx" "privacy_api_url=https://api.privacy-api.com/v1"]
    Vendor "binance_key" ["binance"] "[A-Za-z0-9]{64}" Random(40) 700 Critical
        yes ["BINANCE_KEY={cut}ZbAkGxtwPoDfW6JAqGY7zSNoi0Tte2qpL7pLu45gAatD6c219CLg7DDj2pyNGwYd" "{\"binance_token\": \"{cut}KZQjMNFqoQWyIt2fu0vxfjV5jLiNg0JtKCsHDwdCC069d4wIxvHmLl9ppvZ6wYnX\"}"]
        no ["BINANCE_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "binance_url=https://api.binance.com/v1"]
    Vendor "kraken_key" ["kraken"] "[A-Za-z0-9/+]{54,88}={0,2}" Random(40) 650 Critical
        yes ["KRAKEN_KEY={cut}dZkw1f188NztZ7GqU9EoVePp0981LwkD7wxWActKMWnvJvaBjyIbu356Yk7VO" "{\"kraken_token\": \"{cut}eKZTCEESfUF9v1tfC0ZOp549zoWnadwdceKh4U1mk0rn29aLkYcvhPjO2h2b=\"}"]
        no ["KRAKEN_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "kraken_url=https://api.kraken.com/v1"]
    Vendor "kucoin_secret" ["kucoin"] "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}" Entropy(25) 650 Critical
        yes ["KUCOIN_KEY={cut}90441522-c398-5f6a-6a34-b0c17b5f8e93" "{\"kucoin_token\": \"{cut}fc268e2e-14ab-8d10-5a3c-c8b288b08021\"}"]
        no ["KUCOIN_KEY={cut}00000000-0000-0000-0000-000000000000" "kucoin_url=https://api.kucoin.com/v1"]
    Vendor "bittrex_key" ["bittrex"] "[0-9a-f]{32}" Entropy(30) 600 Critical
        yes ["BITTREX_KEY={cut}7b1edc4c137dd89ad3766df90ec462e6" "{\"bittrex_token\": \"{cut}8f7d2dc031d2832642f98e897ca7ae9d\"}"]
        no ["BITTREX_KEY={cut}00000000000000000000000000000000" "bittrex_url=https://api.bittrex.com/v1"]
    Vendor "alpaca_key" ["alpaca" "apca"] "(PK|AK|CK)[A-Z0-9]{18}" Random(33) 700 Critical
        yes ["ALPACA_KEY={cut}PKBWK8RBY9S0K93NBP90" "{\"apca_token\": \"{cut}CKL5ZZCBP3282W0Y8X1K\"}"]
        no ["ALPACA_KEY={cut}AKXXXXXXXXXXXXXXXXXX" "alpaca_url=https://api.alpaca.com/v1"]
    Vendor "alphavantage_key" ["alphavantage" "alpha_vantage"] "[A-Z0-9]{16}" Random(33) 600 Low
        yes ["ALPHAVANTAGE_KEY={cut}EC7G45WGYUPY6D5G" "{\"alpha_vantage_token\": \"{cut}CKROZ2S0VRDU35ZK\"}"]
        no ["ALPHAVANTAGE_KEY={cut}XXXXXXXXXXXXXXXX" "alphavantage_url=https://api.alphavantage.com/v1"]
    Vendor "finnhub_key" ["finnhub"] "[a-z0-9]{20,40}" Random(33) 600 Low
        yes ["FINNHUB_KEY={cut}l8egkt50ph1f9ejgkfcsiz3q" "{\"finnhub_token\": \"{cut}qe9ziopzugsjmap2rg26va\"}"]
        no ["FINNHUB_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxx" "finnhub_url=https://api.finnhub.com/v1"]
    Vendor "polygon_key" ["polygon"] r"[A-Za-z0-9_\-]{32}" Random(33) 600 Low
        yes ["POLYGON_KEY={cut}Pz4RT9jBwFAMPjFX3bGttBU5Bl3wn8U0" "{\"polygon_token\": \"{cut}OaJardrSnJUkuomU30VyTPfbyTXdPnhG\"}"]
        no ["POLYGON_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "polygon_url=https://api.polygon.com/v1"]
    Bound "iex_token" ["sk_" "pk_" "Tsk_" "Tpk_"] "T?[sp]k_[0-9a-f]{32}" Entropy(30) 900 Medium
        yes ["Tsk_{cut}d3f98715515ef378602e8d8d46d85ccc" "Tpk_{cut}5fcc6c2ff7276b37bf6453c9139aeab1"]
        no ["sk_{cut}00000000000000000000000000000000" "pk_field_name"]
    Vendor "tradier_token" ["tradier"] "[A-Za-z0-9]{28}" Random(33) 600 High
        yes ["TRADIER_KEY={cut}WTUzE9JisMrVWBMp1JRJRGraU4t5" "{\"tradier_token\": \"{cut}raoxB1rEmH3eDEfH5hZlTN2tw5WO\"}"]
        no ["TRADIER_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxx" "tradier_url=https://api.tradier.com/v1"]
    Vendor "currency_key" ["currencylayer" "fixer_" "exchangerate" "openexchangerates" "fastforex"] "[a-z0-9]{20,36}" Random(30) 600 Low
        yes ["CURRENCYLAYER_KEY={cut}15i2xfihv1frkvdal4cxtucb1bhn" "{\"fastforex_token\": \"{cut}fk6pg8xesfnjoxehy7mw6ferile8\"}"]
        no ["CURRENCYLAYER_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxx" "currencylayer_url=https://api.currencylayer.com/v1"]
}
