//! Credentials bound by prefix or structure: rows with the literal that must occur first, a pattern, and their own
//! yes and no examples.

use crate::patterns::grams::Grams;
use crate::prelude::*;
use core::ops::Range;
use once_cell::race::OnceBox;
use regex_automata::meta::Regex;
use regex_automata::util::syntax;
use regex_automata::{Anchored, Input};

/// One kind of credential.
pub(crate) struct Row {
    pub(crate) id: &'static str,
    /// One of these must occur, exactly so spelt, before the pattern is tried around it.
    literals: &'static [&'static str],
    /// How far before the literal the pattern may begin.
    reach: usize,
    pattern: &'static str,
    /// Thousandths.
    pub(crate) confidence: u16,
    /// `{cut}` is removed before use: no whole credential shape is committed.
    #[cfg(test)]
    yes: &'static [&'static str],
    #[cfg(test)]
    no: &'static [&'static str],
}

macro_rules! rows {
    ($($id:literal [$($literal:literal)*] $reach:literal $pattern:literal $confidence:literal
       yes [$($yes:literal)*] no [$($no:literal)*])*) => {
        const ROWS: &[Row] = &[$(Row {
            id: $id, literals: &[$($literal),*], reach: $reach, pattern: $pattern, confidence: $confidence,
            #[cfg(test)] yes: &[$($yes),*],
            #[cfg(test)] no: &[$($no),*],
        }),*];
    };
}

rows! {
    "aws_access_key" ["AKIA" "ASIA" "ABIA" "ACCA"] 0 r"A(KIA|SIA|BIA|CCA)[A-Z2-7]{16}\b" 930
        yes ["AKIA{cut}QX7TRMSV3BLNWD4K" "ASIA{cut}ZP5GHC2VRKTMY6QN"] no ["AKIA{cut}IOSFODNN7EXAMPLE" "AKIARBITRARY"]
    "github_token" ["ghp_" "gho_" "ghu_" "ghs_" "ghr_"] 0 r"gh[pousr]_[A-Za-z0-9]{36,251}\b" 960
        yes ["ghp_{cut}Zk3vQ9mXr2LsT7bNc5WdY1eHf8JgUa4PoRi6" "gho_{cut}aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xY2zA4"] no ["ghp_{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "ghp_short"]
    "github_fine_grained" ["github_pat_"] 0 r"github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}\b" 970
        yes ["github_pat_{cut}PTGuZeJFEBZj6SzwDOhiXR_xL0GQN87B1pzQzRMKTSo3u9224XF2mVqYgPLPeRF87038j1TA6Skt4T2wgM" "github_pat_{cut}abmSbcKOTQ0zCFCdoRhipe_sVJrMEa6MoocRLWbvlUojM5UG1DtORwln3PHV7LSdBCWsF599Svr9UBUSU9"] no ["github_pat_YOUR_TOKEN" "github_pat_"]
    "gitlab_token" ["glpat-" "gldt-" "glrt-" "glptt-"] 0 r"gl(pat|dt|rt|ptt)-[A-Za-z0-9_\-]{20,64}" 950
        yes ["glpat-{cut}x7Kd9Qm2Vb4Zt6Rn8Wp1" "glrt-{cut}t3_Lq8Yv5Hc2Jk9Xn7Zb4M"] no ["glpat-{cut}xxxxxxxxxxxxxxxxxxxx" "glpat-"]
    "slack_token" ["xoxb-" "xoxp-" "xoxa-" "xoxr-" "xoxs-" "xoxe-" "xapp-"] 0 r"(xox[bpares]|xapp)-[A-Za-z0-9\-]{24,200}" 950
        yes ["xoxb-{cut}482913746502-5839201746385-Tq7Zm3Vx9Kd2Lb5Nr8Wp4Jc6" "xoxp-{cut}1827364509-9182736450-5647382910-a9c8e7f6b5d4"] no ["xoxb-{cut}XXXXXXXXXXXX-XXXXXXXXXXXX-XXXXXXXXXXXX" "xoxb-your-token"]
    "slack_webhook" ["hooks.slack.com"] 0 r"hooks\.slack\.com/(services|workflows)/T[A-Za-z0-9_]{6,12}/[A-Z][A-Za-z0-9_]{6,20}/[A-Za-z0-9_]{16,40}" 930
        yes ["hooks.slack.com/services/{cut}T7K2M9QXZ/B4V8N3RLD/pQ7sX2mK9vB4tZ6wR1nL8yHc" "hooks.slack.com/services/{cut}T03AB9CD4/B05EF6GH7/zY8xW7vU6tS5rQ4pO3nM2lK1"] no ["hooks.slack.com/services/{cut}T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX" "hooks.slack.com/services/"]
    "stripe_key" ["sk_live_" "rk_live_" "whsec_"] 0 r"((sk|rk)_live_|whsec_)[A-Za-z0-9]{20,120}\b" 960
        yes ["sk_live_{cut}51Hq7ZkLm3Vx9Td2Nb5Rw8Pc" "rk_live_{cut}9Jf4Gh7Kd2Ls6Qm1Xz8Vb3Nt"] no ["sk_test_4eC39HqLyjWDarjtT1zdp7dc" "sk_live_{cut}xxxxxxxxxxxxxxxxxxxxxxxx"]
    "openai_key" ["sk-" "sess-"] 0 r"(sk-(proj|svcacct|admin)-[A-Za-z0-9_\-]{32,200}|sk-[A-Za-z0-9]{16,24}T3BlbkFJ[A-Za-z0-9]{16,24}|sk-[A-Za-z0-9]{40,60}\b|sk-or-v1-[0-9a-f]{64}|sess-[A-Za-z0-9]{40})" 930
        yes ["sk-proj-{cut}aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xY2zA4bC6dE8" "sk-{cut}9Kd2Lm5Nq8Rt1Vw4Xz7B3cF6gH0jP2sT5vY8aD1eG4hK7mQ0r"] no ["sk-...your-key" "sk-proj-{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"]
    "anthropic_key" ["sk-ant-"] 0 r"sk-ant-(api|admin|oat|sid)[0-9]{2}-[A-Za-z0-9_\-]{40,120}" 970
        yes ["sk-ant-{cut}api03-Qm7Zk3Vx9Td2Nb5Rw8Pc1Lf6Hj4Gs0Ya7Ue5Io3Kx9Bv2Dm8Cz" "sk-ant-{cut}admin01-Hj4Gs0Ya7Ue5Io3Kx9Bv2Dm8CzQm7Zk3Vx9Td2Nb5Rw8Pc1Lf6"] no ["sk-ant-api03-..." "sk-ant-YOUR_KEY"]
    "google_api_key" ["AIza"] 0 r"AIza[A-Za-z0-9_\-]{35}" 940
        yes ["AIza{cut}U8JZpDE0iGXlD6gNCFbaEPFjbD0kH8Oool8" "AIza{cut}DklZDOCj2ISaJiHkTj0rLGlkoMXGjtEkDnN"] no ["AIza{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "AIzaSy..."]
    "google_oauth" ["GOCSPX-" "ya29."] 0 r"(GOCSPX-[A-Za-z0-9_\-]{28}|ya29\.[A-Za-z0-9_\-]{50,})" 940
        yes ["GOCSPX-{cut}k3VxQ9mZr2LsT7bNc5WdY1eHf8Jg" "ya29.{cut}a0AfB_byCq7Zk3Vx9Td2Nb5Rw8Pc1Lf6Hj4Gs0Ya7Ue5Io3Kx9Bv2Dm8Cz"] no ["GOCSPX-" "ya29.token"]
    "sendgrid_key" ["SG."] 0 r"SG\.[A-Za-z0-9_\-]{22}\.[A-Za-z0-9_\-]{43}" 960
        yes ["SG.{cut}k3VxQ9mZr2LsT7bNc5WdY1.eHf8JgUa4PoRi6Tq7Zm3Vx9Kd2Lb5Nr8Wp4Jc6Xy1ZaB" "SG.{cut}aB3dE5fG7hJ9kL1mN2pQ4r.S6tU8vW0xY2zA4bC6dE8fG0hJ2kL4mN6pQ8rS0tU2vW"] no ["SG.EXAMPLE" "SG.a.b"]
    "twilio_key" ["SK" "AC"] 0 r"\b(SK|AC)[0-9a-f]{32}\b" 850
        yes ["SK{cut}9f3a7c1e5b8d2046f1a3c5e7092b4d68" "AC{cut}1b3d5f7092a4c6e8f0d2b4a69788c5e3"] no ["SK{cut}00000000000000000000000000000000" "ACCESS"]
    "npm_token" ["npm_"] 0 r"npm_[A-Za-z0-9]{36}\b" 960
        yes ["npm_{cut}Zk3vQ9mXr2LsT7bNc5WdY1eHf8JgUa4PoRi6" "npm_{cut}aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xY2zA4"] no ["npm_config_registry" "npm_{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"]
    "pypi_token" ["pypi-"] 0 r"pypi-AgEIcHlwaS5vcmc[A-Za-z0-9_\-]{40,}|pypi-AgENdGVzdC5weXBpLm9yZ[A-Za-z0-9_\-]{40,}" 970
        yes ["pypi-{cut}AgEIcHlwaS5vcmcCJGY3ZDk1YmEyLTRjNmUtNDhhMS05ZDNiLTJlNWYxYzBhN2Q2OA" "pypi-{cut}AgEIcHlwaS5vcmcCJDEyMzRhYmNkLTU2NzgtOTBlZi1naGlqLWtsbW5vcHFyc3R1dg"] no ["pypi-token" "pypi-AgEIcHlwaS5vcmc"]
    "shopify_token" ["shpat_" "shpss_" "shpca_" "shppa_"] 0 r"shp(at|ss|ca|pa)_[0-9a-fA-F]{32}\b" 960
        yes ["shpat_{cut}9f3a7c1e5b8d2046f1a3c5e7092b4d68" "shpss_{cut}1b3d5f7092a4c6e8f0d2b4a69788c5e3"] no ["shpat_{cut}00000000000000000000000000000000" "shpat_"]
    "digitalocean_token" ["dop_v1_" "doo_v1_" "dor_v1_"] 0 r"do[por]_v1_[0-9a-f]{64}\b" 970
        yes ["dop_v1_{cut}9f3a7c1e5b8d2046f1a3c5e7092b4d681b3d5f7092a4c6e8f0d2b4a69788c5e3" "doo_v1_{cut}1b3d5f7092a4c6e8f0d2b4a69788c5e39f3a7c1e5b8d2046f1a3c5e7092b4d68"] no ["dop_v1_" "dop_v1_token"]
    "telegram_bot" [":AA"] 16 r"(\b|\bbot)[0-9]{8,10}:AA[A-Za-z0-9_\-]{32,34}" 940
        yes ["7284910563:{cut}AAHq7Zk3Vx9Td2Nb5Rw8Pc1Lf6Hj4Gs0Ya7" "api.telegram.org/bot7284910563:{cut}AAHq7Zk3Vx9Td2Nb5Rw8Pc1Lf6Hj4Gs0Ya7/sendMessage" "192837465:{cut}AAEf5Gh7Jk9Lm1Np3Qr5St7Uv9Wx1Yz3Ab5"] no ["123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11" "12:AA"]
    "discord_webhook" ["/api/webhooks/"] 30 r"discord(app)?\.com/api/webhooks/[0-9]{17,20}/[A-Za-z0-9_\-]{60,80}" 940
        yes ["discord.com/api/webhooks/{cut}1029384756102938475/Hq7Zk3Vx9Td2Nb5Rw8Pc1Lf6Hj4Gs0Ya7Ue5Io3Kx9Bv2Dm8CzHq7Zk3Vx9Td2Nb5Rw8" "discordapp.com/api/webhooks/{cut}987654321098765432/aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xY2zA4bC6dE8fG0hJ2kL4mN6pQ8rS0tU2vW4"] no ["discord.com/api/webhooks/ID/TOKEN" "/api/webhooks/"]
    "discord_bot" ["MT" "Mz" "Mj" "Nj" "Nz" "ND" "NT" "OD" "OT"] 0 r"\b[MNO][A-Za-z0-9_\-]{23,25}\.[A-Za-z0-9_\-]{6}\.[A-Za-z0-9_\-]{27,38}\b" 850
        yes ["MTAy{cut}OTM4NDc1NjEwMjkzODQ3.Gk3VxQ.9mZr2LsT7bNc5WdY1eHf8JgUa4PoRi6Tq7Zm3V" "NzY1{cut}NDMyMTA5ODc2NTQzMjEw.Xy1ZaB.Kd2Lb5Nr8Wp4Jc6Hq7Zk3Vx9Td2Nb5Rw8Pc1"] no ["MyModule.method.call" "None.value.other"]
    "huggingface_token" ["hf_" "api_org_"] 0 r"(hf_|api_org_)[A-Za-z]{34}\b|hf_[A-Za-z0-9]{34,40}\b" 940
        yes ["hf_{cut}QmZkVxTdNbRwPcLfHjGsYaUeIoKxBvDmCz" "hf_{cut}wQzRtYpLkMnBvCxSdFgHjTrEqWzXcVbNmK"] no ["hf_{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "hf_token"]
    "json_web_token" ["eyJ"] 0 r"eyJ[A-Za-z0-9_\-]{10,}\.eyJ[A-Za-z0-9_\-]{10,}\.[A-Za-z0-9_\-]{16,}" 900
        yes ["eyJ{cut}hbGciOiJIUzI1NiJ9.eyJzdWIiOiI4NDEyMzkxIiwicm9sZSI6ImFkbWluIn0.k3VxQ9mZr2LsT7bNc5WdY1eHf8JgUa4PoRi6Tq7Zm3V" "eyJ{cut}hbGciOiJSUzI1NiJ9.eyJpc3MiOiJhdXRoLnRpZGUifQ.Kd2Lb5Nr8Wp4Jc6Hq7Zk3Vx9Td2Nb5Rw8Pc1"] no ["eyJhbGciOi..." "eyJrZXkiOiJ2YWx1ZSJ9"]
    "private_key" ["-----BEGIN"] 0 r"-----BEGIN (RSA |EC |DSA |OPENSSH |ENCRYPTED |PGP )?PRIVATE KEY( BLOCK)?-----\s*([A-Za-z0-9+/=\\\s]|rn){64,}" 970
        yes ["-----BEGIN RSA PRI{cut}VATE KEY-----\nMIIEowIBAAKCAQEAx7Kd9Qm2Vb4Zt6Rn8Wp1Lf6Hj4Gs0Ya7Ue5Io3Kx9Bv2Dm8CzQm7Zk3Vx9Td2Nb5Rw8Pc1Lf6Hj4G\n" "-----BEGIN OPENSSH PRI{cut}VATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZWQyNTUxOQAAACBx7Kd9Qm2V\n"] no ["-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAx7Kd9Qm2Vb4Zt6Rn8Wp1Lf6Hj4G" "-----BEGIN RSA PRIVATE KEY-----\n...\n-----END RSA PRIVATE KEY-----"]
    "url_password" ["://"] 16 r"\b(postgres(ql)?|mysql|mariadb|mongodb(\+srv)?|rediss?|amqps?|mssql|sqlserver|clickhouse|ftp|sftp|ssh|smtp|https?|jdbc:[a-z]+|couchdb|neo4j|bolt|ldaps?|nats|cassandra)://[A-Za-z0-9._%+\-]{0,64}:[^\s:@/\x22'<>{}$]{6,128}@[A-Za-z0-9.\-]+" 880
        yes ["postgres:/{cut}/svc_report:hV7q2Zk9Lm4X@db.tide.internal:5432/ledger" "https:/{cut}/deploy:Qm7Zk3Vx9Td2@repo.tide.internal/pkg"] no ["postgresql://user:password@localhost:5432/mydb" "https://user:pass@example.com"]
    "azure_account_key" ["AccountKey=" "SharedAccessKey="] 0 r"(AccountKey|SharedAccessKey)=[A-Za-z0-9+/]{43,86}={1,2}" 940
        yes ["AccountKey={cut}x7Kd9Qm2Vb4Zt6Rn8Wp1Lf6Hj4Gs0Ya7Ue5Io3Kx9Bv2Dm8CzQm7Zk3Vx9Td2Nb5Rw8Pc1Lf6Hj4Gs0Ya7Ueg==" "SharedAccessKey={cut}k3VxQ9mZr2LsT7bNc5WdY1eHf8JgUa4PoRi6Tq7Zm3U="] no ["AccountKey=<your-key>" "AccountKey=..."]
    "azure_client_secret" ["8Q~" "7Q~"] 4 r"\b[A-Za-z0-9_.~\-]{3}[78]Q~[A-Za-z0-9_.~\-]{31,34}" 900
        yes ["x7K{cut}8Q~d9Qm2Vb4Zt6Rn8Wp1Lf6Hj4Gs0Ya7Ue5" "aB3{cut}7Q~dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xY2zA"] no ["8Q~short" "xxx8Q~"]
    "linear_key" ["lin_api_" "lin_oauth_"] 0 r"lin_(api|oauth)_[A-Za-z0-9]{40,64}\b" 950
        yes ["lin_api_{cut}Zk3vQ9mXr2LsT7bNc5WdY1eHf8JgUa4PoRi6Bq2W" "lin_api_{cut}aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xY2zA4bC6d"] no ["lin_api_key" "lin_api_{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"]
    "figma_token" ["figd_"] 0 r"figd_[A-Za-z0-9_\-]{40,50}" 950
        yes ["figd_{cut}Zk3vQ9mXr2LsT7bNc5WdY1eHf8JgUa4PoRi6Bq2W" "figd_{cut}aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xY2zA4bC6d"] no ["figd_" "figd_token"]
    "notion_token" ["ntn_" "secret_"] 0 r"(ntn_[A-Za-z0-9]{44,50}|secret_[A-Za-z0-9]{43})\b" 930
        yes ["ntn_{cut}28374650192Zk3vQ9mXr2LsT7bNc5WdY1eHf8JgUa4Po" "secret_{cut}Zk3vQ9mXr2LsT7bNc5WdY1eHf8JgUa4PoRi6Bq2WxY7"] no ["secret_name" "ntn_"]
    "vault_token" ["hvs." "hvb."] 0 r"hv[sb]\.[A-Za-z0-9_\-]{24,200}" 940
        yes ["hvs.{cut}CAESIJx7Kd9Qm2Vb4Zt6Rn8Wp1Lf6" "hvb.{cut}AAAAAQk3VxQ9mZr2LsT7bNc5WdY1eHf8Jg"] no ["hvs.token" "hvs."]
    "mailchimp_key" ["-us"] 33 r"\b[0-9a-f]{32}-us[0-9]{1,2}\b" 900
        yes ["9f3a7c1e5b8d2046{cut}f1a3c5e7092b4d68-us21" "1b3d5f7092a4c6e8{cut}f0d2b4a69788c5e3-us6"] no ["region-us1" "00000000-us"]
    "mailgun_key" ["key-"] 0 r"\bkey-[0-9a-f]{32}\b" 900
        yes ["key-{cut}9f3a7c1e5b8d2046f1a3c5e7092b4d68" "key-{cut}1b3d5f7092a4c6e8f0d2b4a69788c5e3"] no ["key-value" "key-{cut}00000000000000000000000000000000"]
    "databricks_token" ["dapi"] 0 r"\bdapi[0-9a-f]{32}(-\d)?\b" 940
        yes ["dapi{cut}9f3a7c1e5b8d2046f1a3c5e7092b4d68" "dapi{cut}1b3d5f7092a4c6e8f0d2b4a69788c5e3-2"] no ["dapi" "dapi_key"]
    "atlassian_token" ["ATATT3" "ATCTT3"] 0 r"AT[AC]TT3[A-Za-z0-9_\-=]{60,250}" 950
        yes ["ATATT3{cut}xFfGF0Zk3vQ9mXr2LsT7bNc5WdY1eHf8JgUa4PoRi6Bq2WxY7Kd9Qm2Vb4Zt6Rn8Wp1" "ATATT3{cut}aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xY2zA4bC6dE8fG0hJ2kL4mN6pQ8rS0tU2vW4x"] no ["ATATT3" "ATATT3..."]
    "airtable_token" ["pat"] 0 r"\bpat[A-Za-z0-9]{14}\.[0-9a-f]{64}\b" 950
        yes ["pat{cut}x7Kd9Qm2Vb4Zt6.9f3a7c1e5b8d2046f1a3c5e7092b4d681b3d5f7092a4c6e8f0d2b4a69788c5e3" "pat{cut}aB3dE5fG7hJ9kL.1b3d5f7092a4c6e8f0d2b4a69788c5e39f3a7c1e5b8d2046f1a3c5e7092b4d68"] no ["patch" "path.to.file"]
    "postman_key" ["PMAK-"] 0 r"PMAK-[0-9a-f]{24}-[0-9a-f]{34}\b" 950
        yes ["PMAK-{cut}9f3a7c1e5b8d2046f1a3c5e7-092b4d681b3d5f7092a4c6e8f0d2b4a697" "PMAK-{cut}1b3d5f7092a4c6e8f0d2b4a6-9788c5e39f3a7c1e5b8d2046f1a3c5e709"] no ["PMAK-key" "PMAK-"]
    "square_token" ["EAAA" "sq0atp-" "sq0csp-"] 0 r"(EAAA[A-Za-z0-9_\-]{60}\b|sq0(atp|csp)-[A-Za-z0-9_\-]{22,43})" 920
        yes ["sq0atp-{cut}k3VxQ9mZr2LsT7bNc5WdY1" "sq0csp-{cut}k3VxQ9mZr2LsT7bNc5WdY1eHf8JgUa4PoRi6Tq7Zm3V"] no ["sq0atp-" "EAAA"]
    "newrelic_key" ["NRAK-" "NRJS-"] 0 r"(NRAK-[A-Z0-9]{27}|NRJS-[0-9a-f]{19})\b" 950
        yes ["NRAK-{cut}K3VXQ9MZR2LST7BNC5WDY1EHF8J" "NRJS-{cut}9f3a7c1e5b8d2046f1a"] no ["NRAK-" "NRAK-key"]
    "grafana_token" ["glsa_" "glc_"] 0 r"(glsa_[A-Za-z0-9]{32}_[0-9a-f]{8}|glc_[A-Za-z0-9+/=]{32,200})" 950
        yes ["glsa_{cut}k3VxQ9mZr2LsT7bNc5WdY1eHf8JgUa4P_9f3a7c1e" "glsa_{cut}aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xY_1b3d5f70"] no ["glsa_" "glc_token"]
    "supabase_key" ["sbp_" "sb_secret_"] 0 r"(sbp_[0-9a-f]{40}|sb_secret_[A-Za-z0-9_\-]{30,})" 950
        yes ["sbp_{cut}9f3a7c1e5b8d2046f1a3c5e7092b4d681b3d5f70" "sb_secret_{cut}k3VxQ9mZr2LsT7bNc5WdY1eHf8JgUa4P"] no ["sbp_" "sb_secret_key"]
    "age_secret_key" ["AGE-SECRET-KEY-1"] 0 r"AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}" 980
        yes ["AGE-SECRET-KEY-1{cut}QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7LQPZRY9X8GF2TVDW0S3JN54KHCE" "AGE-SECRET-KEY-1{cut}GF2TVDW0S3JN54KHCE6MUA7LQPZRY9X8GF2TVDW0S3JN54KHCE6MUA7LQP"] no ["AGE-SECRET-KEY-1..." "AGE-SECRET-KEY"]
}

/// A credential in a text.
pub(crate) struct Hit {
    pub(crate) row: &'static Row,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// Where a literal of some row may begin.
static BEGINNINGS: Grams = {
    let mut lists = [&[] as &[&str]; ROWS.len()];
    let mut row = 0;
    while row < ROWS.len() {
        #[expect(clippy::indexing_slicing, reason = "checked while compiling")]
        {
            lists[row] = ROWS[row].literals;
        }
        row += 1;
    }
    Grams::of(&lists)
};

struct Compiled {
    /// For each first byte, the literals that begin with it and the indices of their rows, short literals first.
    literals: Vec<Vec<(&'static str, usize)>>,
    patterns: Vec<OnceBox<Regex>>,
}

fn compiled() -> &'static Compiled {
    static COMPILED: OnceBox<Compiled> = OnceBox::new();
    COMPILED.get_or_init(|| {
        let mut literals: Vec<Vec<(&str, usize)>> = vec![Vec::new(); 256];
        for (index, row) in ROWS.iter().enumerate() {
            for literal in row.literals {
                let first = literal.bytes().next().unwrap_or_default();
                if let Some(begun) = literals.get_mut(usize::from(first)) {
                    begun.push((literal, index));
                }
            }
        }
        literals.iter_mut().for_each(|begun| begun.sort_by_key(|(literal, _)| literal.len()));
        let patterns = ROWS.iter().map(|_| OnceBox::new()).collect();
        Box::new(Compiled { literals, patterns })
    })
}

impl Compiled {
    /// Patterns are compiled when their literal first occurs.
    fn pattern(&self, index: usize) -> Option<&Regex> {
        let row = ROWS.get(index)?;
        let build = || {
            let syntax = syntax::Config::new().unicode(false).utf8(false);
            Box::new(
                Regex::builder().syntax(syntax).build(row.pattern).expect("the rows hold valid patterns"),
            )
        };
        Some(self.patterns.get(index)?.get_or_init(build))
    }
}

/// How far behind its literal a pattern that begins before it may end.
const LONGEST_TAIL: usize = 320;

/// Whether any literal occurs at all: one look over the bytes.
pub(crate) fn may_hold(text: &str) -> bool {
    candidates(text).next().is_some()
}

/// The literals of a text, each with the index of its row, that may be part of a credential.
fn candidates(text: &str) -> impl Iterator<Item = (usize, Range<usize>)> {
    let bytes = text.as_bytes();
    BEGINNINGS.places(text.bytes()).flat_map(move |start| {
        let rest = bytes.get(start..).unwrap_or_default();
        let begun = rest.first().and_then(|first| compiled().literals.get(usize::from(*first)));
        begun.into_iter().flatten().filter_map(move |(literal, index)| {
            let range = start..start + literal.len();
            let opens = ROWS.get(*index)?.reach == 0;
            let stands = rest.starts_with(literal.as_bytes()) && (!opens || goes_on(text, range.clone()));
            stands.then_some((*index, range))
        })
    })
}

/// Whether a literal that opens a credential is followed by what may be the rest of it. Literals of two or three
/// letters stand in many honest words; the credentials that begin with them go on for a while without a blank.
fn goes_on(text: &str, literal: Range<usize>) -> bool {
    const SHORT: usize = 3;
    const TAIL: usize = 8;
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    let tail = text.as_bytes().get(literal.end..literal.end + TAIL);
    literal.len() > SHORT || tail.is_some_and(|tail| tail.iter().all(is_part))
}

/// All credentials of a text that are not documented placeholders, left to right.
pub(crate) fn find(text: &str) -> Vec<Hit> {
    let compiled = compiled();
    let mut hits: Vec<Hit> = Vec::new();
    for (index, literal) in candidates(text) {
        let (Some(row), Some(pattern)) = (ROWS.get(index), compiled.pattern(index)) else { continue };
        if hits.iter().any(|hit| hit.start <= literal.start && literal.start < hit.end) {
            continue;
        }
        // Anchored where the literal opens the pattern; else the look-back and a bounded look-ahead are searched.
        let input = if row.reach == 0 {
            Input::new(text).range(literal.start..).anchored(Anchored::Yes)
        } else {
            let from = literal.start.saturating_sub(row.reach);
            Input::new(text).range(from..text.len().min(literal.end + LONGEST_TAIL))
        };
        let Some(found) = pattern.find(input) else { continue };
        // The pattern must sit on this literal, and not in the middle of a longer word.
        let sits = found.start() <= literal.start && found.end() >= literal.end;
        let value = text.get(found.range()).unwrap_or_default();
        if sits && !is_glued(text, found.start()) && !is_placeholder(value) {
            hits.push(Hit { row, start: found.start(), end: found.end() });
        }
    }
    hits
}

fn is_glued(text: &str, start: usize) -> bool {
    start > 0
        && text.as_bytes().get(start - 1).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
}

/// Documented examples and fillers: no credential anybody could use.
fn is_placeholder(value: &str) -> bool {
    const WORDS: [&str; 17] = [
        "example",
        "xxxx",
        "your",
        "placeholder",
        "changeme",
        "dummy",
        "sample",
        "redacted",
        "0000000",
        "1234567890",
        "abcdefgh",
        "insert",
        "replace",
        ":password@",
        ":pass@",
        "user:",
        "****",
    ];
    let lower = value.to_ascii_lowercase();
    if WORDS.iter().any(|word| lower.contains(word)) {
        return true;
    }
    let body: Vec<u8> = lower.bytes().filter(u8::is_ascii_alphanumeric).collect();
    let distinct = {
        let mut seen = body.clone();
        seen.sort_unstable();
        seen.dedup();
        seen.len()
    };
    distinct < 8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_knows_its_own_examples() {
        for row in ROWS {
            assert!(row.yes.len() >= 2 && row.no.len() >= 2, "{}", row.id);
            for yes in row.yes {
                let text = format!("the key is {} here", yes.replace("{cut}", ""));
                assert!(find(&text).iter().any(|hit| hit.row.id == row.id), "{} should match {yes}", row.id);
            }
            for no in row.no {
                let text = format!("the key is {} here", no.replace("{cut}", ""));
                assert!(find(&text).is_empty(), "{} should not match {no}", row.id);
            }
        }
    }
}
