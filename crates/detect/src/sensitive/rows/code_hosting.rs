//! Code hosting, registries of packages and images.

use crate::sensitive::row::rows;

rows! {
    Bound "github_token" ["ghp_" "gho_" "ghu_" "ghs_" "ghr_"] "gh[pousr]_[A-Za-z0-9]{36}" Crc32 990 Critical
        yes ["gho_{cut}Ts44nlkTyETEC8ZWMnrLJTdUPWfn7L3jXxeG" "ghp_{cut}cO4WqwLmgt4zPtREiYtmhnMEi6Bea50j0Ttr"]
        no ["ghp_{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "ghp_{cut}Zk3vQ9mXr2LsT7bNc5WdY1eHf8JgUa4PoRi6"]
    Bound "github_token_unchecked" ["ghp_" "gho_" "ghu_" "ghs_" "ghr_"] "gh[pousr]_[A-Za-z0-9]{36,251}" Random(35) 850 Critical
        yes ["ghu_{cut}Nw8ABZYjvcnXsvejtdd5kAu44NnpWGFL3fWITkTodq3h" "ghs_{cut}cuVlSngRW5SKaZWBaVDYGirjCWgDOpaOEReOJAzkM"]
        no ["ghr_{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "ghs_{cut}cuVlSngRW5SKaZWBaV"]
    Bound "github_fine_grained" ["github_pat_"] "github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}" Shape 970 Critical
        yes ["github_pat_{cut}CPAJCLZgM4SNfLNGUJc72W_vlZ17EVy3tnm2gFUgl0xD4hTuBKnzZnsRR3vPTglBojuLDWH0Qe3AwvMvhQ" "github_pat_{cut}J9ZtegxbRUOAp1fzqqSRA0_qeZcig1iKvWQq0wO6XEkdoBygUYBJo4gnB73ZcRcU5RUVgC6gjo9FxwOrMy"]
        no ["github_pat_YOUR_TOKEN" "github_pat_"]
    Vendor "github_old_token" ["github" "gh_token"] "[0-9a-f]{40}" Entropy(32) 650 Critical
        yes ["GITHUB_KEY={cut}e47266c09841626bc6af790cf503ea5e81fd2bae" "{\"gh_token_token\": \"{cut}f96d86f97190110f170080bb6191a884904bd341\"}"]
        no ["GITHUB_KEY={cut}0000000000000000000000000000000000000000" "github_url=https://api.github.com/v1"]
    Bound "gitlab_token" ["glpat-" "gldt-" "glrt-" "glptt-" "glft-" "glsoat-" "glcbt-" "glimt-" "gloas-" "glffct-" "glagent-"] r"gl(pat|dt|rt|ptt|ft|soat|cbt|imt|oas|ffct|agent)-[A-Za-z0-9_.\-]{20,128}" Random(30) 950 Critical
        yes ["glimt-{cut}s6T0mpkLMm7BrSr9FexIsVzPiETY" "glcbt-{cut}3xKtx2z19pRnPRO5AVZTaHsSRV"]
        no ["glpat-{cut}xxxxxxxxxxxxxxxxxxxx" "glrt-runner-registration-of-team"]
    Bound "gitlab_runner_token" ["GR1348941"] r"GR1348941[A-Za-z0-9_\-]{20}" Shape 960 Critical
        yes ["GR1348941{cut}CaSAMauJFrQZRvhguFQN" "GR1348941{cut}JIhDX388x7PzwfmKP6ZM"]
        no ["GR1348941{cut}xxxxxxxxxxxxxxxxxxxx" "GR1348941{cut}JIhDX"]
    Bound "gitlab_session" ["_gitlab_session="] "_gitlab_session=[0-9a-f]{32}" Shape 930 Critical
        yes ["_gitlab_session={cut}da123a0f86664b21dc9c1369fff940d9" "_gitlab_session={cut}495dc4ef6692f262f000a89f7103a32a"]
        no ["_gitlab_session={cut}00000000000000000000000000000000" "_gitlab_session={cut}495dc4ef"]
    Vendor "gitlab_old_token" ["gitlab"] r"[A-Za-z0-9_\-]{20}" Random(33) 600 Critical
        yes ["GITLAB_KEY={cut}SANW8EWUDv4975codHtu" "{\"gitlab_token\": \"{cut}knbyWbNoFD390f7YW04n\"}"]
        no ["GITLAB_KEY={cut}xxxxxxxxxxxxxxxxxxxx" "gitlab_url=https://api.gitlab.com/v1"]
    Bound "bitbucket_app_password" ["ATBB"] "ATBB[A-Za-z0-9]{32}" Random(35) 940 Critical
        yes ["ATBB{cut}uifB7Un39RTMs8QasxNSfDd2gYZRZiTF" "ATBB{cut}MrLUEC5qwzi8y0hO2ZEfQzMMreaTVt0Z"]
        no ["ATBB{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "ATBB{cut}MrLUEC5qwzi8y0"]
    Vendor "bitbucket_key" ["bitbucket"] r"[A-Za-z0-9_\-=]{30,64}" Random(33) 600 High
        yes ["BITBUCKET_KEY={cut}Ldh0UXW4s1LRaQPXCYoqlueR4UPqlrQNtwm4" "{\"bitbucket_token\": \"{cut}6sLWpykzeIeeVOYRcjEos1GasXlnL5F7Xv\"}"]
        no ["BITBUCKET_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "bitbucket_url=https://api.bitbucket.com/v1"]
    Vendor "gitea_token" ["gitea" "forgejo" "codeberg" "gogs"] "[0-9a-f]{40}" Entropy(32) 650 High
        yes ["GITEA_KEY={cut}afa5818260a5da10ded19fdc166d7b8abdedf7d6" "{\"gogs_token\": \"{cut}db7bf6c4681be0925cef330af9ca3ded076c8cd9\"}"]
        no ["GITEA_KEY={cut}0000000000000000000000000000000000000000" "gitea_url=https://api.gitea.com/v1"]
    Vendor "gitee_token" ["gitee"] "[0-9a-f]{32}" Entropy(30) 600 High
        yes ["GITEE_KEY={cut}22fca89e7cb4b6e468f66b9f1d78216c" "{\"gitee_token\": \"{cut}dfba3896920a0b995e5772f701622c4f\"}"]
        no ["GITEE_KEY={cut}00000000000000000000000000000000" "gitee_url=https://api.gitee.com/v1"]
    Bound "sourcegraph_token" ["sgp_"] "sgp_([0-9a-fA-F]{16}_|local_)?(local_)?[0-9a-fA-F]{40}" Shape 960 High
        yes ["sgp_{cut}DdC75a90FEd151E43AE46A1FabBA78fa2C60AFAC" "sgp_{cut}38AcbEEbffeD3a85_local_F0c1b963A030A9D4E3C960BB9F581679F7BB52e3"]
        no ["sgp_{cut}0000000000000000000000000000000000000000" "sgp_{cut}38AcbEEbffeD3a85_local_F0c1b9"]
    Bound "sourcegraph_licence" ["slk_"] "slk_[0-9a-f]{64}" Shape 950 Medium
        yes ["slk_{cut}9d0363b598eb8412cc4abf4d6efc28d85e1b848c9fbec2f29ea61d31076eabb2" "slk_{cut}49e22b289e0afd0e9ea4f9b94f2b3d63c4bda4e91cc3200eecd57a91233e7635"]
        no ["slk_{cut}0000000000000000000000000000000000000000000000000000000000000000" "slk_{cut}49e22b289e0afd0e9ea4f9b94f2b3d"]
    Bound "npm_token" ["npm_"] "npm_[A-Za-z0-9]{36}" Crc32 990 Critical
        yes ["npm_{cut}Z1Fwl061ZOluerWbWkZTQAUXYQdIH71OLGXH" "npm_{cut}Nht1YgfOZirv8UBQFkpbTRTeNRWIoL3SlNVM"]
        no ["npm_{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "npm_config_registry"]
    Bound "npm_token_unchecked" ["npm_"] "npm_[A-Za-z0-9]{36}" Random(35) 850 Critical
        yes ["npm_{cut}b5l2YS1N36OZI5Vj2rW71pb4jZh3eSR3FWRh" "npm_{cut}pix9BiM0Rax5XO31U4rhSbMijmv3DeorH4IQ"]
        no ["npm_{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "npm_config_registry"]
    Bound "npm_auth_token" ["_authToken"] r#"_authToken"?[ ]{0,3}[=:][ ]{0,3}"?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"# Shape 930 Critical
        yes ["_authToken{cut}=   95f9a7c3-b37e-f47b-1e76-0d6ae10cc4fd" "_authToken{cut}\" =   \"2c3d6d7c-8532-a48a-1688-f5e04912f29c"]
        no ["_authToken=00000000-0000-0000-0000-000000000000" "_authToken=${NPM_TOKEN}"]
    Vendor "npm_old_token" ["_authtoken" "npm_token"] "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}" Entropy(25) 750 Critical
        yes ["_AUTHTOKEN={cut}5ec19f2a-7d13-8af8-1ba7-8106ed9c0f43" "\"npm_token\": \"{cut}e0f136ba-9d4d-0567-9c77-ec0a79daa3e3\""]
        no ["_AUTHTOKEN_KEY={cut}00000000-0000-0000-0000-000000000000" "_authtoken_url=https://api.-authtoken.com/v1"]
    Bound "pypi_token" ["pypi-AgEIcHlwaS5vcmc" "pypi-AgENdGVzdC5weXBpLm9yZ"] r"pypi-(AgEIcHlwaS5vcmc|AgENdGVzdC5weXBpLm9yZ)[A-Za-z0-9_\-]{40,250}" Shape 980 Critical
        yes ["pypi-AgEIcHlwaS5vcmc{cut}9ZqOyJWcDGKqt8ph92HvMFllHfUcJBmAEWa0hgcii" "pypi-AgENdGVzdC5weXBpLm9yZ{cut}TVJPnWBQyolnXjHFQt1canrIj1rCucJsgNXEPw9hfNSeEqUG"]
        no ["pypi-AgEIcHlwaS5vcmc{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "pypi-AgENdGVzdC5weXBpLm9yZ{cut}TVJPnWBQyol"]
    Bound "rubygems_key" ["rubygems_"] "rubygems_[0-9a-f]{48}" Shape 970 Critical
        yes ["rubygems_{cut}b406227f7ce93a3d9f5779f9fa4d9d4494754c4e8c3b0d1d" "rubygems_{cut}f507ec2611e4355d3f65bdb7ee868ea965eeb9e898448300"]
        no ["rubygems_{cut}000000000000000000000000000000000000000000000000" "rubygems_{cut}f507ec2611e4355d3f6"]
    Bound "crates_token" ["cio"] "cio[A-Za-z0-9]{32}" Random(38) 900 Critical
        yes ["cio{cut}92rdmPH38qmXgicTHaUSwJWfyMRJRxWl" "cio{cut}ThWyqFfD4l35p0yQMFywreq7BfWwwEWE"]
        no ["cio{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "cio{cut}ThWyqFfD4l35p0"]
    Bound "nuget_key" ["oy2"] "oy2[a-z0-9]{43}" Random(35) 930 Critical
        yes ["oy2{cut}5mywdsc9v99iis6kg5musiin9nyzecgrr5p50rpspm5" "oy2{cut}4psisn0ifrrurn06jl72qccdcnpdkpg0ztfn7we6912"]
        no ["oy2{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "oy2{cut}4psisn0ifrrurn06jl72"]
    Bound "clojars_token" ["CLOJARS_"] "CLOJARS_[a-z0-9]{60}" Shape 960 Critical
        yes ["CLOJARS_{cut}mvs6312ukk4zo6qad7pldxok1eoa7amn1r4k9k492nrw1mqnr2vt1p9x399o" "CLOJARS_{cut}uv2xx8vmu9547jfczplbv5zg6sl1w7q33sq491ck03gezzndhzoopp1t9rxe"]
        no ["CLOJARS_{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "CLOJARS_{cut}uv2xx8vmu9547jfczplbv5zg6s"]
    Bound "packagist_token" ["packagist_"] "packagist_(out|ort|uut|ord)_[0-9a-f]{68}" Shape 960 Critical
        yes ["packagist_{cut}uut_0746e65cf824c5189509d1364ba7e4e2d2b6b164ee07fc5d433bece82e2d91250584" "packagist_{cut}ort_d58b36dd10d7e5308a7f6fe2a85c57c339545f088a35bbb46fab46bb9d5810fbf2dc"]
        no ["packagist_{cut}out_00000000000000000000000000000000000000000000000000000000000000000000" "packagist_{cut}ort_d58b36dd10d7e5308a7f6fe2a85"]
    Vendor "packagecloud_token" ["packagecloud"] "[0-9a-f]{48}" Entropy(30) 650 High
        yes ["PACKAGECLOUD_KEY={cut}21397099fcb5ccdf2e5e6ad60f9a6494ce11e3f782f2229f" "{\"packagecloud_token\": \"{cut}fbbf5c210110e33960a76bf4b22991b19b6895f898e97e5d\"}"]
        no ["PACKAGECLOUD_KEY={cut}000000000000000000000000000000000000000000000000" "packagecloud_url=https://api.packagecloud.com/v1"]
    Bound "docker_token" ["dckr_pat_" "dckr_oat_"] r"dckr_(pat|oat)_[A-Za-z0-9_\-]{27,40}" Shape 970 Critical
        yes ["dckr_oat_{cut}TiB34DilZlmMHEAgFZ7uD01LZrXfMyA4" "dckr_pat_{cut}AVuv9fJPghLbaIlna7DpYqavPgLiSdjouD9"]
        no ["dckr_pat_{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "dckr_pat_{cut}AVuv9fJPghLba"]
    Bound "artifactory_key" ["AKCp"] "AKCp[A-Za-z0-9]{64,72}" Shape 950 Critical
        yes ["AKCp{cut}OMeLYqwWXi2plub7SzMKyLiJjcHAHyxvi1o1PivOVAq2TGfQ6JjSBrs7G0QUs1N8E" "AKCp{cut}ogf5vjOp0zgZUDxZZJzv1g2UATiP7Jlh4mTlfc9Ao78FloBzHqtiuRkuG6ZYDCCxQkXc"]
        no ["AKCp{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "AKCp{cut}ogf5vjOp0zgZUDxZZJzv1g2UATiP7Jlh"]
    Bound "artifactory_reference_token" ["cmVmdGtu"] "cmVmdGtu[A-Za-z0-9]{56}" Shape 950 Critical
        yes ["cmVmdGtu{cut}xfnOB6H8L6HA4tYHRClcOQ8zEsNL9z5t77uhWN3oB9gtTKgo9f9sM6id" "cmVmdGtu{cut}l9ZGUQMXuRuhvuZBkijgxUZpcU9rD5hCdJYKaifZKbTG7qOXNTZaZZlh"]
        no ["cmVmdGtu{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "cmVmdGtu{cut}l9ZGUQMXuRuhvuZBkijgxUZp"]
    Vendor "artifactory_password" ["artifactory" "jfrog"] "[A-Za-z0-9]{32,80}" Random(33) 600 Critical
        yes ["ARTIFACTORY_KEY={cut}pWBC3S1nzOsNdKE45lmRXElPWt1Y07ejn4" "{\"jfrog_token\": \"{cut}Jas18nJehzk1vdKHGOBzQzUDVtQyiRnUou\"}"]
        no ["ARTIFACTORY_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "artifactory_url=https://api.artifactory.com/v1"]
    Vendor "cloudsmith_key" ["cloudsmith"] "[0-9a-f]{40}" Entropy(32) 650 High
        yes ["CLOUDSMITH_KEY={cut}e5f6df7566b728306cb7e4f029ec8025555c6468" "{\"cloudsmith_token\": \"{cut}65e5920825575413c14eea6635b747f382df477e\"}"]
        no ["CLOUDSMITH_KEY={cut}0000000000000000000000000000000000000000" "cloudsmith_url=https://api.cloudsmith.com/v1"]
    Bound "hex_key" ["hex_api_"] "hex_api_[0-9a-f]{32}" Shape 900 High
        yes ["hex_api_{cut}ebb875913cba9a80346741e60fc690f7" "hex_api_{cut}6771af3347b65b191822404a15d4fcd3"]
        no ["hex_api_{cut}00000000000000000000000000000000" "hex_api_{cut}6771af3347b6"]
    Bound "gitguardian_webhook" ["ggtt-v-"] "ggtt-v-[a-z0-9]{10,40}" Random(30) 900 Medium
        yes ["ggtt-v-{cut}t8mtkwi5nw9" "ggtt-v-{cut}6lwieyaxxp8df"]
        no ["ggtt-v-{cut}xxxxxxxxxxxxx" "ggtt-v-{cut}6lw"]
    Vendor "phabricator_token" ["phabricator" "conduit"] "(api|cli)-[a-z0-9]{28}" Random(33) 700 High
        yes ["PHABRICATOR_KEY={cut}api-k7d3aa383au9ryagw3d137pkix1g" "{\"conduit_token\": \"{cut}api-rv9uangy0d9gj0h4r0q63x9l0lbj\"}"]
        no ["PHABRICATOR_KEY={cut}cli-xxxxxxxxxxxxxxxxxxxxxxxxxxxx" "phabricator_url=https://api.phabricator.com/v1"]
    Bound "jsr_token" ["jsrp_" "jsrd_"] "jsr[pd]_[A-Za-z0-9]{30,70}" Random(35) 900 High
        yes ["jsrd_{cut}Mrbm4gl9fYURzFWKXxwj6AODq5PuV2" "jsrp_{cut}JZORp2c3qUJC68GX1bY9Vdbpqt6CQD9"]
        no ["jsrp_{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "jsrp_{cut}JZORp2c3qUJC6"]
    Vendor "sonatype_token" ["nexus" "sonatype" "ossrh"] "[A-Za-z0-9]{20,64}" Random(35) 500 High
        yes ["NEXUS_KEY={cut}7XiQR6oPIseePGX7rtBDw" "{\"ossrh_token\": \"{cut}kJa2N56OCAfIoKksIABUIwE\"}"]
        no ["NEXUS_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxx" "nexus_url=https://api.nexus.com/v1"]
}
