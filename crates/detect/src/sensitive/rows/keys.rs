//! Private keys, wallets, password hashes.

use crate::sensitive::row::rows;

rows! {
    Bound "private_key" ["-----BEGIN"] r#"-----BEGIN [A-Z0-9 ]{0,24}PRIVATE KEY( BLOCK)?-----([ \\rnt\r\n]{0,6}Proc-Type: [^\-]{1,40}-Info: [A-Z0-9\-]{3,20},)?([ \\rnt\r\n]{0,6}(Version|Comment): [^\n\\]{1,80})?[A-Za-z0-9+/= \\\r\n\t"',:]{40,20000}(-----END [A-Z0-9 ]{0,24}PRIVATE KEY( BLOCK)?)?"# Pem 970 Critical
        yes ["-----BEGIN PRI{cut}VATE KEY-----\nMIIEowIBAAKCAQEAx7Kd9Qm2Vb4Zt6Rn8Wp1Lf6Hj4Gs0Ya7Ue5Io3Kx9Bv2Dm8C\n and so-on" "-----BEGIN RSA PRI{cut}VATE KEY-----\nMIIEowIBAAKCAQEAx7Kd9Qm2Vb4Zt6Rn8Wp1Lf6Hj4Gs0Ya7Ue5Io3Kx9Bv2Dm8CzQm7Zk3Vx9Td2Nb5Rw8Pc1Lf6Hj4G\n-----END RSA PRIVATE KEY-----" "-----BEGIN OPENSSH PRI{cut}VATE KEY-----\\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZWQyNTUxOQAAACBx7Kd9Qm2V\\n" "-----BEGIN EC PRI{cut}VATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,9F3A7C1E5B8D2046F1A3C5E7092B4D68\n\nx7Kd9Qm2Vb4Zt6Rn8Wp1Lf6Hj4Gs0Ya7Ue5Io3Kx9Bv2Dm8CzQm7Zk3Vx9Td2Nb5R\n" "-----BEGIN PGP PRI{cut}VATE KEY BLOCK-----\nVersion: GnuPG v2\n\nlQOYBFzk3Vx9Td2Nb5Rw8Pc1Lf6Hj4Gs0Ya7Ue5Io3Kx9Bv2Dm8CzQm7Zk3Vx9Td2\n"]
        no ["-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAx7Kd9Qm2Vb4Zt6Rn8Wp1Lf6Hj4G" "-----BEGIN RSA PRIVATE KEY-----\n...\n-----END RSA PRIVATE KEY-----"]
    Bound "private_key_base64" ["LS0tLS1CRUdJTi"] "LS0tLS1CRUdJTi[A-Za-z0-9+/]{0,40}UFJJVkFURSBLRVkt[A-Za-z0-9+/=]{60,8000}" Shape 960 Critical
        yes ["LS0tLS1CRUdJTi{cut}d1UFJJVkFURSBLRVktvNQMFVfJ5Kdpjd789RFdWB2t8LeusUrPiBXnBqSSe4cTYz7Y4fN4HRI2fcGMYh" "LS0tLS1CRUdJTi{cut}znRSEUFJJVkFURSBLRVktrNFFGvWviu0Vs9GRBAhedFzjqhNmmPa1Hxt6Ck7SkD2ZYvL4ZIYXO3fPHf4Jde"]
        no ["LS0tLS1CRUdJTi{cut}UFJJVkFURSBLRVktxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "LS0tLS1CRUdJTi{cut}znRSEUFJJVkFURSBLRVktrNFFGvWviu0Vs"]
    Bound "putty_key" ["Private-Lines:"] r"Private-Lines: [0-9]{1,3}[ \\rnt\r\n]{1,6}[A-Za-z0-9+/=]{40,80}" Shape 970 Critical
        yes ["Private-Lines:{cut} 6rtrnncJ1AOwoAI12g7tL9D1m2pSQf57yfeFDvv6E6yJi1AnG" "Private-Lines:{cut} 07rbfd9iygYphVA59MEAMidyEZOZVesOmjSKSZJBZ4tRIDMww"]
        no ["Private-Lines:{cut} 6ttrxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "Private-Lines:{cut} 07rbfd9iygYphVA59"]
    Bound "openvpn_key" ["-----BEGIN" "OpenVPN" "Static"] r"-----BEGIN OpenVPN Static key V1-----[ \\rnt\r\n]{1,6}[0-9a-f]{32}" Shape 960 Critical
        yes ["-----BEGIN{cut} OpenVPN Static key V1-----rrnn192df70bb6aeaa64bf7dc2343879850d" "-----BEGIN{cut} OpenVPN Static key V1-----nnr2955faab6ca9af6f9728e03b59a6d1a5"]
        no ["-----BEGIN{cut} OpenVPN Static key V1-----rrrrrr00000000000000000000000000000000" "-----BEGIN{cut} OpenVPN Static key V1----"]
    Bound "age_secret_key" ["AGE-SECRET-KEY-1" "AGE-PLUGIN-"] "AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}" Shape 980 Critical
        yes ["AGE-SECRET-KEY-1{cut}XULUGQD7TCQZ8N2Y7YA2765JWXHEHPREDG0L0FUQNXGZYWJTKEZT3QJNKC" "AGE-SECRET-KEY-1{cut}HDAX0GG80RYS067EM05QGUW9C0WV8Z2UPM9RCWMM036JQ5GLR2AE7J8ZAG"]
        no ["AGE-SECRET-KEY-1..." "AGE-SECRET-KEY"]
    Bound "google_service_account" ["\"private_key_id\""] r#""private_key_id"[ ]{0,4}:[ ]{0,4}"[0-9a-f]{40}""# Shape 900 Medium
        yes ["\"private_key_id\"{cut}:   \"45b7892b88b55aa8767e984e2a92c0c7767971d2\"" "\"private_key_id\"{cut}  : \"8ca24619e45338a8e16a182e765b7ba645b66fed\""]
        no ["\"private_key_id\"{cut}:  \"0000000000000000000000000000000000000000\"" "\"private_key_id\"{cut}  : \"8ca24619e4"]
    Vendor "wireguard_key" ["privatekey" "presharedkey" "preshared_key" "wireguard"] "[A-Za-z0-9+/]{43}=" Entropy(38) 800 Critical
        yes ["PRIVATEKEY={cut}HrsXCY1CmOCN6N5R8EnYmR9ASK5idrOvak2pEC2VrZu=" "\"wireguard_token\": \"{cut}HDSfooaKwY4Vw89PXCeS6wjC1W14YijbrUxVYe5hAvu=\""]
        no ["PRIVATEKEY_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx=" "privatekey_url=https://api.privatekey.com/v1"]
    Bound "extended_private_key" ["xprv" "zprv"] "[xz]prv[1-9A-HJ-NP-Za-km-z]{107,108}" Base58Check 990 Critical
        yes ["xprv{cut}9xzYoYoVWjSTCPooMbmSK2BAhRLM4ahxeo3Jp3gPp5W3H6uY2dxYxaQQZFDsCxLG6Zc6BuspZwWS8Zk2ijrCnSzan2fT9MeZ2jn4FzmnJVf" "xprv{cut}9yfZTd9mh1oZ8vHPdRcQgBFakNVRqvCLaHLWCX7HdX2LAVr9kyQPHFKyU3xt5dB7SDK3iEDPt9F6fTnQzjYUmybMo4YMmnFJyczXh59xQiN"]
        no ["xprv{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "xprv{cut}9yfZTd9mh1oZ8vHPdRcQgBFakNVRqvCLaHLWCX7HdX2LAVr9kyQ"]
    Vendor "bitcoin_key" ["bitcoin" "wif" "privkey" "private_key"] "[5KLc9][1-9A-HJ-NP-Za-km-z]{50,51}" Base58Check 950 Critical
        yes ["BITCOIN_KEY={cut}L1wFSHNh4dKZ5gXFJLXxA9ibAod8eB9rye8rd6yT7sTDkUi1QsUv" "{\"private_key_token\": \"{cut}KzoupoES85u1GM41uFxhhZ2KeCX3sCS2hse14gBaP8Wy8FtYwEsM\"}"]
        no ["BITCOIN_KEY={cut}Lxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "bitcoin_url=https://api.bitcoin.com/v1"]
    Vendor "ethereum_key" ["ethereum" "eth_private" "private_key" "privatekey" "wallet_key" "deployer" "mnemonic_key"] "(0x)?[0-9a-fA-F]{64}" Entropy(30) 800 Critical
        yes ["ETHEREUM_KEY={cut}0xaA6fA711Bcb8E86d3dE9de68dcc995211af2fE0BDC72934BA03b8675aB2D7EeA" "{\"mnemonic_key_token\": \"{cut}0x9475c0dd8570Fc0aC6eC52CAfefe0828a8CADA9b805fc7eAfe6F53d54930aCAd\"}"]
        no ["private_key=0x{cut}0000000000000000000000000000000000000000000000000000000000000000" "private_key_path=/etc/keys"]
    Vendor "solana_key" ["solana" "phantom" "secret_key"] "[1-9A-HJ-NP-Za-km-z]{87,88}" Random(45) 750 Critical
        yes ["SOLANA_KEY={cut}c5eohPrJ2YGpncZKGugqHenkmsX6LbEDRYneKorP6hakCqKgMCsKxXJPEJdPyz5qwKw9LUatb6UWQ4bUUMePHdzC" "{\"secret_key_token\": \"{cut}tPdjE9794xd1ErwcpkXTRyM3Kmc2JeXx8qfT1bB2ovRdjtn2VbzCXfiYg5c98kiMzhVq2aexNxXm59eGarZG5tj\"}"]
        no ["SOLANA_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "solana_url=https://api.solana.com/v1"]
    Bound "nostr_key" ["nsec1"] "nsec1[qpzry9x8gf2tvdw0s3jn54khce6mua7l]{58}" Shape 980 Critical
        yes ["nsec1{cut}63v77drjcg6e5wl4ut90dd7ysa5nx8asuleas8pytgk4aqkvjagwv2d83u" "nsec1{cut}xxdpw9jg9a0ag0uvws0g5n5kzk854kueluf9jrr82nxt08knqaqwvz4ksu"]
        no ["nsec1{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "nsec1{cut}xxdpw9jg9a0ag0uvws0g5n5kzk"]
    Bound "tezos_key" ["edsk"] "edsk[1-9A-HJ-NP-Za-km-z]{50,94}" Random(40) 960 Critical
        yes ["edsk{cut}YYP2dc4z23ByjEeyDirkCDCbjzeUsxc5kGFJbXW3HaPqmnFHgRES" "edsk{cut}R2ecYwcfbKMwL9X94A89fhh2DJog2nXQ8cdo1y3Z6oQpMyQJYSkJrf7C3H"]
        no ["edsk{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "edsk{cut}R2ecYwcfbKMwL9X94A89fhh2DJo"]
    Bound "cardano_key" ["ed25519e_sk1" "ed25519_sk1" "root_xsk1" "acct_xsk1" "addr_xsk1"] "(ed25519e?_sk1|(root|acct|addr)_xsk1)[qpzry9x8gf2tvdw0s3jn54khce6mua7l]{58,200}" Shape 970 Critical
        yes ["acct_xsk1{cut}9ka4uzd7gfrwtg5yc2tnxs6drt08jyktezt05w8cemu3sa8nzd5ce4m2fuu" "ed25519e_sk1{cut}yxvhfqna4vhh4eqxdrj6yezy704yx8xk8nldlh8gpkug4camy3mpecdrwdnl6"]
        no ["acct_xsk1{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "ed25519e_sk1{cut}yxvhfqna4vhh4eqxdrj6yezy"]
    Vendor "stellar_seed" ["stellar" "xlm"] "S[A-Z2-7]{55}" Random(38) 850 Critical
        yes ["STELLAR_KEY={cut}SJFEBZVK42QNI2J35LOUMXDOJWN4AVUOMGZUSSHDMDI74O4GM6U3NCHU" "{\"xlm_token\": \"{cut}SKCDUNRXX3PPSVLDOE7K3QLBQGFPAOVWK5H5GWUIUENY2WENR6SVKZYU\"}"]
        no ["STELLAR_KEY={cut}SXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX" "stellar_url=https://api.stellar.com/v1"]
    Vendor "infura_key" ["infura"] "[0-9a-f]{32}" Entropy(30) 650 Medium
        yes ["INFURA_KEY={cut}8f43db31f10cfba80af24e7d604c313a" "{\"infura_token\": \"{cut}92d2f520cb7ac138c02b091c7843a07d\"}"]
        no ["INFURA_KEY={cut}00000000000000000000000000000000" "infura_url=https://api.infura.com/v1"]
    Vendor "alchemy_key" ["alchemy"] r"[A-Za-z0-9_\-]{32}" Random(33) 650 Medium
        yes ["ALCHEMY_KEY={cut}kGwGVwwS1zr8xwxQ2gf9uRqnBA5b704q" "{\"alchemy_token\": \"{cut}jsy68wci9J193YTmLgdhTwghFlcxoTkn\"}"]
        no ["ALCHEMY_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "alchemy_url=https://api.alchemy.com/v1"]
    Vendor "etherscan_key" ["etherscan" "bscscan" "polygonscan" "arbiscan"] "[A-Z0-9]{34}" Random(33) 600 Low
        yes ["ETHERSCAN_KEY={cut}4CSII32K6PXHWISUNQFHC93UM7HY45W55O" "{\"arbiscan_token\": \"{cut}MH4UAHWOZTVUDSUE9BU9F0OVF34FTAUYQ8\"}"]
        no ["ETHERSCAN_KEY={cut}XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX" "etherscan_url=https://api.etherscan.com/v1"]
    Vendor "moralis_key" ["moralis" "quicknode" "blocknative" "tatum"] r"[A-Za-z0-9_\-]{36,64}" Random(30) 600 Medium
        yes ["MORALIS_KEY={cut}1iSJvvzet55CXIKxGLfXMFCU5V52xuZ8UMYrs6tFM" "{\"tatum_token\": \"{cut}kI7UZCm5Yp10Jrc9AnQP4ukTMr3k8rk0h3C2B\"}"]
        no ["MORALIS_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "moralis_url=https://api.moralis.com/v1"]
    Bound "wallet_phrase" [] "" Shape 950 Critical
        yes ["scene reduce absent {cut}gain liberty spot empty mix monster equip pig cricket" "raccoon fade chief t{cut}ent pull number fuel owner olympic used admit language"]
        no ["abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon" "legal winner thank year wave sausage worth useful legal winner thank zoo"]
    Bound "bcrypt_hash" ["$2a$" "$2b$" "$2y$"] r"\$2[aby]\$[0-9]{2}\$[A-Za-z0-9./]{53}" Shape 900 High
        yes ["$2a${cut}10$5Jp7eTDU5xxrsdvFfnHcdiZL3dFtKOg9VmaNLdiaOe6V4qyj6YLs4" "$2y${cut}07$8P5T6qXJ7VxgyDY6I2r6s4JneIucmPlcaRkKZumoHWEnwgn5VNax4"]
        no ["$2a${cut}10$xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "$2y${cut}07$8P5T6qXJ7VxgyDY6I2r6s4J"]
    Bound "sha_crypt_hash" ["$5$" "$6$"] r"\$[56]\$(rounds=[0-9]{4,9}\$)?[A-Za-z0-9./]{1,16}\$[A-Za-z0-9./]{43,86}" Shape 900 High
        yes ["$5${cut}rounds=9793$g6q9m$pxSpWV7lkHBL7mGHv4ozE2CQIJQ9rFGBp0cQtIXmzBck" "$5${cut}rounds=2120925$eCK1ODz$vguQiXgIDc7ulK1HmyOZp5EpeeYHUxAZCgQ7mIhIFL4XJUoBe"]
        no ["$5${cut}rounds=0000000$xxxx$xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "$5${cut}rounds=2120925$eCK1ODz$vguQiXgIDc7"]
    Bound "md5_crypt_hash" ["$1$" "$apr1$"] r"\$(1|apr1)\$[A-Za-z0-9./]{1,8}\$[A-Za-z0-9./]{22}" Shape 900 High
        yes ["$apr1${cut}4CurubH2$qxlo2V0ze0WC1OQMTtBO44" "$apr1${cut}Lp$6nTucUTPmQ6cG3mqoDdNEw"]
        no ["$1${cut}xxxxx$xxxxxxxxxxxxxxxxxxxxxx" "$apr1${cut}Lp$6nTucU"]
    Bound "cisco_hash" ["$8$" "$9$"] r"\$[89]\$[A-Za-z0-9./]{14}\$[A-Za-z0-9./]{43}" Shape 900 High
        yes ["$9${cut}m5wRGnmkiWbaFQ$LmzjFEpJHA8SO8OtIQZPYev0eEVFYS2KUmQPvsFOLO9" "$9${cut}BCgVq4ufscjBCR$wtJnZaHJQwiXTSIZtJHFJXUxKHhk3L3oY1ODcHXdNVt"]
        no ["$8${cut}xxxxxxxxxxxxxx$xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "$9${cut}BCgVq4ufscjBCR$wtJnZaHJQwiX"]
    Bound "argon_hash" ["$argon2id$" "$argon2i$" "$argon2d$"] r"\$argon2(id|i|d)\$v=[0-9]{2}\$m=[0-9]{2,8},t=[0-9]{1,4},p=[0-9]{1,3}\$[A-Za-z0-9+/]{11,64}\$[A-Za-z0-9+/]{20,90}" Shape 900 High
        yes ["$argon2d${cut}v=55$m=571340,t=6588,p=1$FgFNcCWLCYVhbkVDUM7$uRIzZFyjOxpd24wZVV2B8I4" "$argon2d${cut}v=26$m=58,t=6990,p=630$CAUwmFUeUReU$skpr0kEMywoNOw8CsrLG57t"]
        no ["$argon2id${cut}v=71$m=0000000,t=1,p=069$xxxxxxxxxxxxx$xxxxxxxxxxxxxxxxxxxxxxxxxx" "$argon2d${cut}v=26$m=58,t=6990,p=630$CA"]
    Bound "django_hash" ["pbkdf2_sha"] r"pbkdf2_sha(256|1)\$[0-9]{4,8}\$[A-Za-z0-9]{8,32}\$[A-Za-z0-9+/]{27,44}=?" Shape 900 High
        yes ["pbkdf2_sha{cut}256$7595600$ZtExWTsihAkE7R$HB4kgXsuF7Dl5qoKZyxW3ZuTaQk1z=" "pbkdf2_sha{cut}1$47082$qlMKbkbfq91$gZ3m7nTqm6aeoEVpng1bSiSVpYyK4m0U="]
        no ["pbkdf2_sha{cut}1$00000$xxxxxxxxxxxxxxx$xxxxxxxxxxxxxxxxxxxxxxxxxxxx" "pbkdf2_sha{cut}1$47082$qlMKbkbfq91$g"]
    Bound "kerberos_hash" ["$krb5tgs$" "$krb5asrep$" "$krb5pa$"] r#"\$krb5(tgs|asrep|pa)\$[0-9]{1,2}\$[^ \t\r\n"']{32,2000}"# Shape 940 High
        yes ["$krb5asrep${cut}33$kHIg75fo0Bfiz55TuOcTOgCTTVHHZiBwnYK7V8Eq" "$krb5asrep${cut}4$PtOWNAJIxkJVFWX5ezOCc8rcAmt8h8wxiYxn2"]
        no ["$krb5asrep${cut}6$xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "$krb5asrep${cut}4$PtOWNAJIxkJV"]
    Bound "ansible_vault" ["$ANSIBLE_VAULT;"] r"\$ANSIBLE_VAULT;[0-9.]{3};AES256[^0-9a-f]{1,6}[0-9a-f]{40,80}" Shape 900 Medium
        yes ["$ANSIBLE_VAULT;{cut}277;AES256n025ca905d714f99474ade15f9c37d81bce013ac881228" "$ANSIBLE_VAULT;{cut}344;AES256ROpB4e7de422c82303cd612e98c8df0ed64a7d1ba870d89077d8"]
        no ["$ANSIBLE_VAULT;{cut}366;AES256UK0000000000000000000000000000000000000000000" "$ANSIBLE_VAULT;{cut}344;AES256ROpB4e7de422c"]
    Bound "k3s_token" ["::server:"] "K10[0-9a-f]{64}^::server:[A-Za-z0-9]{16,64}" Shape 970 Critical
        yes ["K109b128b32f9975629fe0a1b14277b04{cut}393e285bff13d113483453ff9e06ab77dd::server:qJujYRXKEfgQ8Wksna4n6xo9" "K10134ae14b33adb858ceab2b8fc3ce6b{cut}1cd3483f0b9ebdc70cde662ccc7d631a00::server:7HtsLHAHOvICe8YD70"]
        no ["K10000000000000000000000000000000{cut}0000000000000000000000000000000000::server:xxxxxxxxxxxxxxxxxxxx" "3483f0b9ebdc70c{cut}de662ccc7d631a00::server:7HtsLHAHOvICe8YD70"]
    Bound "rancher_token" ["token-"] "token-[a-z0-9]{5}:[a-z0-9]{54}" Shape 950 Critical
        yes ["token-{cut}bwe4l:9y7z1j9bxp5mum6s1h7rxp6jtpoufvrlp6c6xmvbcjadu2o63x52cn" "token-{cut}t6y4i:a461yhvsn3f3tojbc2pkcci19vavu9xu1jztxef1pj1f5emtvhnv2z"]
        no ["token-{cut}xxxxx:xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "token-{cut}t6y4i:a461yhvsn3f3tojbc2pkc"]
    Vendor "kube_key_data" ["client-key-data"] "[A-Za-z0-9+/]{64,8000}={0,2}" Entropy(35) 850 Critical
        yes ["CLIENT-KEY-DATA={cut}bcRiw2oTosMReZXhMxgefLr5sWpNxjVTOCNFvIJm5It2pO7oi52nI1eZ295nOjIGlU1qPtcF==" "\"client-key-data\": \"{cut}kk1rjRBQeAbEjFb6B16Lm7y0hj7pWjw39GcYDgoFJGUjRYgF7f0oElr9FGbk1MIZlAIVSFl==\""]
        no ["CLIENT-KEY-DATA_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx==" "client-key-data_url=https://api.client-key-data.com/v1"]
    Vendor "docker_auth" ["docker_auth" "registry_auth" "\"auth\""] "[A-Za-z0-9+/]{20,400}={1,2}" Random(33) 650 High
        yes ["DOCKER_AUTH_KEY={cut}RKf4gCPL3LsYoXTxnzYmKSADgRU=" "\"auth\": \"{cut}hQdvpopuJaBFwb0m6P8GeE2TYH9=\""]
        no ["DOCKER_AUTH_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxx=" "docker_auth_url=https://api.docker-auth.com/v1"]
}
