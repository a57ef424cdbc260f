//! Models, inference, vector stores.

use crate::sensitive::row::rows;

rows! {
    Bound "openai_key" ["T3BlbkFJ"] r"sk-[A-Za-z0-9_\-]{16,100}^T3BlbkFJ[A-Za-z0-9_\-]{16,100}" Shape 980 Critical
        yes ["sk-FIBt4Lu0QJ{cut}n5IlWKOu3MyyWaT3BlbkFJDoFjFNdB3ZU0AnvNH" "sk-1xpn3VZ6{cut}QEBnaxJidmaT3BlbkFJy0Utc3xR9L1S73KzWMp"]
        no ["sk-xxxxxxxxxx{cut}xxxxxxxxxxxxxT3BlbkFJxxxxxxxxxxxxxxxx" "naxJidmaT3BlbkFJ{cut}y0Utc3xR9L1S73KzWMp"]
    Bound "openai_project_key" ["sk-proj-" "sk-svcacct-" "sk-admin-" "sk-service-"] r"sk-(proj|svcacct|admin|service)-[A-Za-z0-9_\-]{32,220}" Random(35) 960 Critical
        yes ["sk-service-{cut}oTKCgESXFdPI8gGdpaq52EPPk3IHWlUmvpa" "sk-admin-{cut}8LiyAvK1OI0jK1jytY7Wnf8OCf2uG5rb"]
        no ["sk-proj-{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "sk-proj-your-key"]
    Bound "openai_old_key" ["sk-"] "sk-[A-Za-z0-9]{40,60}" Random(38) 900 Critical
        yes ["sk-{cut}pOzFlMXYyaZDPCbkt1km0ngNcfY3eU5zsvQQ0ttGqaAZKI" "sk-{cut}k08omKYvv1bh4iHb8tjRlWlu65V1HJUsBvrqC1fvWFZbTHH"]
        no ["sk-...your-key" "sk-circle-loading-indicator"]
    Bound "openai_session" ["sess-"] "sess-[A-Za-z0-9]{40}" Random(38) 900 Critical
        yes ["sess-{cut}Sh58IAO6BDyD9pmacUvkOVNeOpXtJKeX6Z6PdTop" "sess-{cut}7qbrqz2tZe1sGyfQgiXTiqjEOZm2fWkcoz32Q7o2"]
        no ["sess-{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "sess-{cut}7qbrqz2tZe1sGyfQg"]
    Bound "hex_model_key" ["sk-"] "sk-[0-9a-f]{32}" Entropy(32) 900 Critical
        yes ["sk-{cut}170aff4677a4d0eea5cefd3f076568fb" "sk-{cut}35618ade8b758accca3f9aa59083500c"]
        no ["sk-{cut}00000000000000000000000000000000" "sk-folding-cube-grid"]
    Bound "openrouter_key" ["sk-or-v1-"] "sk-or-v1-[0-9a-f]{64}" Shape 970 Critical
        yes ["sk-or-v1-{cut}85a929da6973f31805157bb03ab874f1fc1938eb7c442109fdaa928f66616b4a" "sk-or-v1-{cut}6bd09f2ee2b8c11ab8eff21f0ef9a6ee2570d110b3cec68d3cdbb884fe47341b"]
        no ["sk-or-v1-{cut}0000000000000000000000000000000000000000000000000000000000000000" "sk-or-v1-{cut}6bd09f2ee2b8c11ab8eff21f0ef"]
    Bound "anthropic_key" ["sk-ant-"] r"sk-ant-(api|admin|oat|sid|ort)[0-9]{2,3}-[A-Za-z0-9_\-]{40,120}" Shape 970 Critical
        yes ["sk-ant-{cut}ort76-W0d0y5jqQ3oOwQcdOYzq3CyQvxTdTcJWxnijIZbu" "sk-ant-{cut}oat507-r09rD5jn9Xwla19uZt1aLi7ihAzNeGu3QFK0fWNQx"]
        no ["sk-ant-api03-..." "sk-ant-YOUR_KEY"]
    Bound "huggingface_token" ["hf_"] "hf_[A-Za-z0-9]{34,40}" Entropy(35) 940 High
        yes ["hf_{cut}f4fyMpPsTs66prWj6q2mX4QgiwjHcFMhLtypzYmM" "hf_{cut}EEXCOBCrCxVROIifrRMbC1SnwIqAjtvsxUhCh"]
        no ["hf_{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "hf_token"]
    Bound "huggingface_org_token" ["api_org_"] "api_org_[A-Za-z]{34}" Entropy(35) 940 High
        yes ["api_org_{cut}jpTIhSSbYeKBFdEzGFBMiqKygIFPgDjEOS" "api_org_{cut}dinjmhqgNkbMJoZvBLwmaNCfsBUonxZpbF"]
        no ["api_org_{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "api_org_{cut}dinjmhqgNkbMJ"]
    Bound "replicate_token" ["r8_"] "r8_[A-Za-z0-9]{37,45}" Random(35) 940 High
        yes ["r8_{cut}fPHiBG1F0AwOOJI0sm2Aglf3K1EVZtLcO2eOmaX" "r8_{cut}5ITUzNmBd3jYQr2rqSI4yp11CuwRqS5achmidbpTnl"]
        no ["r8_{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "r8_{cut}5ITUzNmBd3jYQr2rqSI"]
    Bound "groq_key" ["gsk_"] "gsk_[A-Za-z0-9]{50,56}" Shape 960 High
        yes ["gsk_{cut}mxTfbZHNY2ZMIRZANBXbwSBd9nygSutUKLZCdh4vo4wBTkGh9xMVrpK" "gsk_{cut}D8t9ep9kgy4DDodVG6ykQHEtP3JOPegkTXsA7gUuJEzc7vjKSV"]
        no ["gsk_{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "gsk_{cut}D8t9ep9kgy4DDodVG6ykQHE"]
    Bound "xai_key" ["xai-"] "xai-[A-Za-z0-9_]{70,90}" Random(38) 960 High
        yes ["xai-{cut}jE7Rg6DzU3cYfqTHOfkD5Jrgg36mxsCdnlfrjtMpZcxvQHdfN23uSgjwZcID1N6K6mBU20Rr" "xai-{cut}yoEXm9X6rxg0izV0zxvMhyTah4Dp3xnW3ghx7QPEUdHM3F2TcqmUiRNuTqYjKoWD5m5Qa6szhn"]
        no ["xai-{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "xai-{cut}yoEXm9X6rxg0izV0zxvMhyTah4Dp3xnW3gh"]
    Bound "perplexity_key" ["pplx-"] "pplx-[A-Za-z0-9]{48,56}" Shape 960 High
        yes ["pplx-{cut}bztaxJkWIdtsciteAWOdU2QvPVixVJ3Wip27zgXcfXFsRHYxqOywt" "pplx-{cut}mWIW3zi1dJydbfS877NSi2cbEYcd152MLdQxpuopnjPNy4ax0nOiGxf"]
        no ["pplx-{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "pplx-{cut}mWIW3zi1dJydbfS877NSi2cbE"]
    Bound "together_key" ["tgp_v1_"] r"tgp_v1_[A-Za-z0-9_\-]{43}" Shape 950 High
        yes ["tgp_v1_{cut}SL2ULQccOhurrJBdAbmhrdDeCXQpDjeINOKOw0xjZfp" "tgp_v1_{cut}pBAmCN2NBbtxA8LF0hQIYb1xFGN3IpWTncvpgSfTAzO"]
        no ["tgp_v1_{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "tgp_v1_{cut}pBAmCN2NBbtxA8LF0h"]
    Vendor "together_old_key" ["together_ai" "together_api" "togetherai"] "[0-9a-f]{64}" Entropy(32) 650 High
        yes ["TOGETHER_AI_KEY={cut}5b4766cdb4fda5848b0f4a56cf2d34b1020d6dc41629deeb150ac30245a0333a" "{\"togetherai_token\": \"{cut}22d36a518c4572bfbb69342fb4e72fabe4e29118493fd7f1c5fb91441def1d63\"}"]
        no ["TOGETHER_AI_KEY={cut}0000000000000000000000000000000000000000000000000000000000000000" "together_ai_url=https://api.together-ai.com/v1"]
    Bound "fireworks_key" ["fw_"] "fw_[A-Za-z0-9]{22,24}" Random(38) 880 High
        yes ["fw_{cut}NIOtTJAk99tG69jjRCFYoIr" "fw_{cut}iZzbBy2plIQN0dQhZloSCnH1"]
        no ["fw_{cut}xxxxxxxxxxxxxxxxxxxxxx" "fw_configuration_directory"]
    Bound "elevenlabs_key" ["sk_"] "sk_[0-9a-f]{48}" Entropy(32) 930 High
        yes ["sk_{cut}e69b757409fc5804380a314d5684197b083903099fea72b2" "sk_{cut}079b6bb5636d8044def827152b9c94bef3242bad4972053e"]
        no ["sk_{cut}000000000000000000000000000000000000000000000000" "sk_buff_head_init"]
    Vendor "elevenlabs_old_key" ["elevenlabs" "xi-api-key"] "[0-9a-f]{32}" Entropy(30) 650 High
        yes ["ELEVENLABS_KEY={cut}140806ff9cb8539e6a7ed997680930a7" "{\"xi-api-key_token\": \"{cut}fa8b51f113cbc4be1c486e0503e30cdb\"}"]
        no ["ELEVENLABS_KEY={cut}00000000000000000000000000000000" "elevenlabs_url=https://api.elevenlabs.com/v1"]
    Vendor "cohere_key" ["cohere" "co_api_key"] "[A-Za-z0-9]{40}" Random(38) 650 High
        yes ["COHERE_KEY={cut}bfeqRdU33uGuzRx1wbbycKwWbfDjRVSqgXPQpTxB" "{\"co_api_key_token\": \"{cut}7mJNhNPo4SZGWK18qFJ7F5Bk1AWlYOTYBzU4CQoR\"}"]
        no ["COHERE_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "cohere_url=https://api.cohere.com/v1"]
    Vendor "mistral_key" ["mistral"] "[A-Za-z0-9]{32}" Random(38) 650 High
        yes ["MISTRAL_KEY={cut}WD7KRrofw8QTxUYXeqW9zVXAkUanw3RN" "{\"mistral_token\": \"{cut}WkVsAAuoTIdG90UnNhNdf8Cr0E3PteWR\"}"]
        no ["MISTRAL_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "mistral_url=https://api.mistral.com/v1"]
    Vendor "assemblyai_key" ["assemblyai"] "[a-z0-9]{32}" Random(33) 650 High
        yes ["ASSEMBLYAI_KEY={cut}ylgqibhg8d5uj02hug3nn1smpmpuc3rh" "{\"assemblyai_token\": \"{cut}au0rrmz30yi71sloo3nih516zcake689\"}"]
        no ["ASSEMBLYAI_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "assemblyai_url=https://api.assemblyai.com/v1"]
    Vendor "deepgram_key" ["deepgram"] "[a-z0-9]{40}" Random(33) 650 High
        yes ["DEEPGRAM_KEY={cut}xagllw7ka78rk09zma02mlcq15p7flbtzh53oa8h" "{\"deepgram_token\": \"{cut}whrd8h8ve0eb4h1u9hoaeadqtqjg1f099hg1oh3u\"}"]
        no ["DEEPGRAM_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "deepgram_url=https://api.deepgram.com/v1"]
    Bound "langsmith_key" ["lsv2_pt_" "lsv2_sk_"] "lsv2_(pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}" Shape 970 High
        yes ["lsv2_pt_{cut}5e951449f7da738d4e7c308ae012f4ed_4e9816ca7e" "lsv2_sk_{cut}b8ad0b50069bdcd469e80838ab3c7a07_f8ff4ebdd8"]
        no ["lsv2_pt_{cut}00000000000000000000000000000000_0000000000" "lsv2_sk_{cut}b8ad0b50069bdcd46"]
    Bound "langsmith_old_key" ["ls__"] "ls__[0-9a-f]{32}" Shape 930 High
        yes ["ls__{cut}e9519a73671553064e9a54d4a7236a67" "ls__{cut}e38a00401709f5da575f2856107dfb60"]
        no ["ls__{cut}00000000000000000000000000000000" "ls__{cut}e38a00401709f5"]
    Bound "langfuse_key" ["sk-lf-" "pk-lf-"] "[sp]k-lf-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}" Shape 960 High
        yes ["pk-lf-{cut}f7dc8dc0-60f2-8628-627d-7733ccde6efb" "pk-lf-{cut}bb7c7488-63f3-8495-0566-c3a305ccf466"]
        no ["pk-lf-{cut}00000000-0000-0000-0000-000000000000" "pk-lf-{cut}bb7c7488-63f3-8"]
    Bound "helicone_key" ["sk-helicone-"] "sk-helicone-(eu-|cp-)?[a-z0-9]{7}-[a-z0-9]{7}-[a-z0-9]{7}-[a-z0-9]{7}" Shape 950 High
        yes ["sk-helicone-{cut}eu-058sifx-lmhjjxd-b4eoxu7-1gb9p43" "sk-helicone-{cut}cp-4onue2n-rpv06ev-zbw5c60-bgmdl1i"]
        no ["sk-helicone-{cut}xxxxxxx-xxxxxxx-xxxxxxx-xxxxxxx" "sk-helicone-{cut}cp-4onue2n-"]
    Bound "pinecone_key" ["pcsk_"] "pcsk_[A-Za-z0-9]{4,8}_[A-Za-z0-9]{50,80}" Shape 970 High
        yes ["pcsk_{cut}aCDvRV83_6RWzwAo8pO2alHBBN3Mq4Yh3S1pCODV75TvvsW9jsj3CXcrSrWfDc" "pcsk_{cut}9F0PeO_W4k0gOnUCwJZFIIHJSGtGXT9YSX79mxcp0naOqkiyPIiBumyB0IOZkWb"]
        no ["pcsk_{cut}xxxxxxx_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "pcsk_{cut}9F0PeO_W4k0gOnUCwJZFIIHJSGtGX"]
    Vendor "pinecone_old_key" ["pinecone"] "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}" Entropy(25) 650 High
        yes ["PINECONE_KEY={cut}fe263d73-1237-72c6-0a53-f77fdaf372fe" "{\"pinecone_token\": \"{cut}99acda3b-48bd-a1d5-74a4-8f348caed02d\"}"]
        no ["PINECONE_KEY={cut}00000000-0000-0000-0000-000000000000" "pinecone_url=https://api.pinecone.com/v1"]
    Vendor "weaviate_key" ["weaviate"] "[A-Za-z0-9]{36,40}" Random(38) 600 High
        yes ["WEAVIATE_KEY={cut}y9oh4TLS5lv3Kkf7LUM2gr92J2BSkCJRB1ES8e" "{\"weaviate_token\": \"{cut}pvn5VY6cXQeuAP3WT1o9wVtT0LYMyJPm6jUW8b\"}"]
        no ["WEAVIATE_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "weaviate_url=https://api.weaviate.com/v1"]
    Vendor "qdrant_key" ["qdrant"] r"[A-Za-z0-9_\-]{40,60}" Random(38) 600 High
        yes ["QDRANT_KEY={cut}ap1451Q2nRVPm8OKxEkkIMUcJKs4MP81GI5Lj1zOnt0" "{\"qdrant_token\": \"{cut}ObSW90spjEdyNnL7JBUtrkIFB7gbT8iAinXqMiGag4w7MY\"}"]
        no ["QDRANT_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "qdrant_url=https://api.qdrant.com/v1"]
    Vendor "wandb_key" ["wandb" "weights_and_biases"] "[0-9a-f]{40}" Entropy(32) 700 High
        yes ["WANDB_KEY={cut}a1042f42590f6138e5b14c4fc0a339c6743e0210" "{\"weights_and_biases_token\": \"{cut}94bc5cc4048f144aa3f66d10d3f8248d874ae5f3\"}"]
        no ["WANDB_KEY={cut}0000000000000000000000000000000000000000" "wandb_url=https://api.wandb.com/v1"]
    Bound "wandb_new_key" ["wandb_v1_"] r"wandb_v1_[A-Za-z0-9_\-]{40,100}" Random(38) 950 High
        yes ["wandb_v1_{cut}OVGAl8ZmrfGfrVzip19BEOKVqVWxXCQi4x9UYnR5rPqLJJ" "wandb_v1_{cut}M471gPSckEwCBJUDq164wYfLCsxqnVfx4gpj6KpD3KMh"]
        no ["wandb_v1_{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "wandb_v1_{cut}M471gPSckEwCBJUDq"]
    Bound "nvidia_key" ["nvapi-"] r"nvapi-[A-Za-z0-9_\-]{60,70}" Shape 970 High
        yes ["nvapi-{cut}DrrO2YEY2i7c9jlbS8dHDx1nzVNxvWCNh8PwQUifMgZhkdIp9EoerVfUZzhTWrSMnZw1" "nvapi-{cut}an71qcqAM4ntGZNoiYE8UuvG6gU58jHnoDl7DNXu2thlj1aQBUOd9GWhCHjSIf4"]
        no ["nvapi-{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "nvapi-{cut}an71qcqAM4ntGZNoiYE8UuvG6gU5"]
    Bound "cerebras_key" ["csk-"] "csk-[a-z0-9]{48}" Random(35) 950 High
        yes ["csk-{cut}5vs8tchl9ijuv5qbx5yr3fo6e6jg9a8ois644j2ga2l0xn6o" "csk-{cut}lr73wi4bdvu9y5otmekl9lm2nuvdwufxtfgdaf0mb1pg5lo6"]
        no ["csk-{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "csk-{cut}lr73wi4bdvu9y5otmekl9l"]
    Vendor "voyage_key" ["voyage"] r"pa-[A-Za-z0-9_\-]{43}" Random(38) 700 High
        yes ["VOYAGE_KEY={cut}pa-dAFekpdZqYbQKknX1EjmNwTLdHHmnATEBOsiCujo1uZ" "{\"voyage_token\": \"{cut}pa-4jbBoLYU0DGJX2PGaCwR4cUrtjmLvkvkTUfxgEzW6XT\"}"]
        no ["VOYAGE_KEY={cut}pa-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "voyage_url=https://api.voyage.com/v1"]
    Bound "jina_key" ["jina_"] r"jina_[0-9a-f]{32}[A-Za-z0-9_\-]{28}" Shape 960 High
        yes ["jina_{cut}a28b184bf973d635d3e0b4f7038a6731WDH3NZ0NUeq5kFbJr5Kc8MKA8q24" "jina_{cut}0cf1efd25a06028bd6c0385695d80986c2hJmTjZwTwgqaMDsaWVnZHyZn5k"]
        no ["jina_{cut}00000000000000000000000000000000xxxxxxxxxxxxxxxxxxxxxxxxxxxx" "jina_{cut}0cf1efd25a06028bd6c0385695d"]
    Bound "tavily_key" ["tvly-"] r"tvly-(dev-|prod-)?[A-Za-z0-9_\-]{30,48}" Random(35) 950 Medium
        yes ["tvly-{cut}NP4bNvVO7Ju7F6S4ngjSsKm7KqSukA" "tvly-{cut}X46Sgc3HkEoMQmvdbNfE0yPAAB2FyYam"]
        no ["tvly-{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "tvly-{cut}X46Sgc3HkEoMQ"]
    Bound "firecrawl_key" ["fc-"] "fc-[0-9a-f]{32}" Entropy(32) 930 Medium
        yes ["fc-{cut}9b1b519b9856171b1c7e30224eb69f01" "fc-{cut}17447c9b65273d09dc80c2e092a55235"]
        no ["fc-{cut}00000000000000000000000000000000" "fc-{cut}17447c9b65273d"]
    Bound "e2b_key" ["e2b_" "sk_e2b_"] "(sk_)?e2b_[0-9a-f]{40}" Shape 960 High
        yes ["sk_e2b_{cut}d7ecbe7d8d29d1cae67b7b10c2de4ffec8e5f548" "sk_e2b_{cut}657724ba623d1d02a8f0fbe4c2ed0e4ce0cb0054"]
        no ["sk_e2b_{cut}0000000000000000000000000000000000000000" "sk_e2b_{cut}657724ba623d1d02"]
    Bound "runpod_key" ["rpa_"] "rpa_[A-Z0-9]{36,44}[A-Za-z0-9]{4,12}" Random(38) 930 High
        yes ["rpa_{cut}UBHDYX5YK3SEY1FNT2D1X5DYM9CW7UHVY20JZAOYP2RTkDT60w" "rpa_{cut}JX1PYX3G1ZAOS3Q14KE2ZXRUY9JE906MPFHE1FBCIZTCOZxK"]
        no ["rpa_{cut}XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXxxxxxxxx" "rpa_{cut}JX1PYX3G1ZAOS3Q14KE2ZX"]
    Bound "cursor_key" ["key_"] "key_[0-9a-f]{64}" Entropy(32) 920 High
        yes ["key_{cut}20771b23782e7badb670b8a326d14e564ed8a00f0dea53fbe671236a1eb52683" "key_{cut}27affdc80d44f9f4d0a4208f6f6d17709a8dd773aecd4af8ccaaf00a09d647eb"]
        no ["key_{cut}0000000000000000000000000000000000000000000000000000000000000000" "key_value_store_name"]
    Bound "friendli_token" ["flp_"] "flp_[A-Za-z0-9]{46}" Shape 940 High
        yes ["flp_{cut}sZRdknt2cK8vnqDEbm81ACXDZYCDux1Daa1AhmAuK2Zbpm" "flp_{cut}CgA2aI8ald80gZiUPzAk7LapW41lLjl1oYl2aflAnoD5hl"]
        no ["flp_{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "flp_{cut}CgA2aI8ald80gZiUPzAk7"]
    Bound "databricks_token" ["dapi" "dkea" "dose"] "d(api|kea|ose)[0-9a-f]{32}(-[0-9])?" Shape 940 Critical
        yes ["dose{cut}c770aaec17536e1c6eafba1d891bbdcb-6" "dose{cut}b26400ed1a7afe1ef2215c324c113306-7"]
        no ["dapi" "dapi_key"]
    Vendor "serpapi_key" ["serpapi" "serp_api"] "[0-9a-f]{64}" Entropy(32) 650 Medium
        yes ["SERPAPI_KEY={cut}bc3a32ccd94aced9e7ed8efb8417e207c8b48a773d4c5b20513a405e20c0037e" "{\"serp_api_token\": \"{cut}d5421ca611e03684e444028231f5c039788029e34b76f2d7ad3e9ee724ebbff3\"}"]
        no ["SERPAPI_KEY={cut}0000000000000000000000000000000000000000000000000000000000000000" "serpapi_url=https://api.serpapi.com/v1"]
    Vendor "zhipu_key" ["zhipu" "glm_" "bigmodel"] r"[0-9a-f]{32}\.[A-Za-z0-9]{16}" Entropy(38) 750 High
        yes ["ZHIPU_KEY={cut}a8e3c0c6895e4b24ae440596ae432b59.OfszhkIzBrYaTYEN" "{\"bigmodel_token\": \"{cut}871050312b4a86ce5f462d582248cc4b.J3KaITy5inwhgPP3\"}"]
        no ["ZHIPU_KEY={cut}00000000000000000000000000000000.xxxxxxxxxxxxxxxx" "zhipu_url=https://api.zhipu.com/v1"]
    Vendor "exa_key" ["exa_api"] "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}" Entropy(25) 600 Medium
        yes ["EXA_API_KEY={cut}ed3e70b4-90e8-c77c-237c-24a6181c71aa" "{\"exa_api_token\": \"{cut}dbf0f012-3149-38cd-f418-757dc4c74e9f\"}"]
        no ["EXA_API_KEY={cut}00000000-0000-0000-0000-000000000000" "exa_api_url=https://api.exa-api.com/v1"]
    Vendor "clarifai_key" ["clarifai"] "[0-9a-f]{32}" Entropy(30) 600 High
        yes ["CLARIFAI_KEY={cut}490e604180452d2a1b861f35dbc3dc74" "{\"clarifai_token\": \"{cut}68faf01bb42a1464f768c8df3d1a5caf\"}"]
        no ["CLARIFAI_KEY={cut}00000000000000000000000000000000" "clarifai_url=https://api.clarifai.com/v1"]
    Bound "modal_token" ["ak-" "as-"] "a[ks]-[A-Za-z0-9]{22}" Random(37) 860 High
        yes ["as-{cut}FigcZZriELvyyyFa4hEgXq" "as-{cut}rdz4VpfTUvqYarXoBQRvmM"]
        no ["ak-{cut}xxxxxxxxxxxxxxxxxxxxxx" "as-internationalization"]
    Bound "portkey_key" ["pk-live-"] "pk-live-[A-Za-z0-9]{20,40}" Random(35) 880 High
        yes ["pk-live-{cut}CGeaDL0DpmoFP1LgU80f" "pk-live-{cut}JDl4kIzY4SLgV7w0Tdvh0H"]
        no ["pk-live-{cut}xxxxxxxxxxxxxxxxxxxxxxxx" "pk-live-{cut}JDl4kIz"]
    Bound "braintrust_key" ["bt-st-"] "bt-st-[A-Za-z0-9]{40,60}" Random(38) 940 High
        yes ["bt-st-{cut}xyWmCM593VyWZvZJ7Zkc5T1VL2bF6EUBP7ACneIJ6" "bt-st-{cut}YNB2hPNeDfMwYwY3G0RO9MkuJUKSS2D8iANzso5jCq1mIEc"]
        no ["bt-st-{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "bt-st-{cut}YNB2hPNeDfMwYwY3G0RO"]
    Bound "smithery_key" ["smithery_"] r"smithery_[A-Za-z0-9_\-]{30,60}" Random(35) 850 High
        yes ["smithery_{cut}3ONynDvCYsOfiB6HqafIN7sbaTEY4xXh" "smithery_{cut}WtHIwF4t67ZOV8p5EGYpvcGugDeeVSss"]
        no ["smithery_{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "smithery_{cut}WtHIwF4t67Z"]
}
