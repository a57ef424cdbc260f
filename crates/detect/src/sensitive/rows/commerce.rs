//! Shops, content, work management.

use crate::sensitive::row::rows;

rows! {
    Bound "shopify_token" ["shpat_" "shpss_" "shpca_" "shppa_" "shpua_"] "shp(at|ss|ca|pa|ua)_[0-9a-fA-F]{32}" Shape 960 Critical
        yes ["shpua_{cut}9f83fe3dEe63cD5CD61ddEff125CbFBD" "shppa_{cut}2e500B4cCe2eDDF0C83A5785B3BC7524"]
        no ["shpat_{cut}00000000000000000000000000000000" "shpat_"]
    Bound "woocommerce_key" ["ck_" "cs_"] "c[ks]_[0-9a-f]{40}" Entropy(32) 930 High
        yes ["ck_{cut}6cbd9b5450eb063b32df57c255dd4805296c915d" "cs_{cut}46d0d91fe6dd53a7a88c835acb6b0e4013128363"]
        no ["ck_{cut}0000000000000000000000000000000000000000" "cs_course_title"]
    Bound "ebay_key" ["PRD-" "SBX-"] "(PRD|SBX)-[0-9a-f]{12}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}" Shape 960 High
        yes ["PRD-{cut}65c901408acc-62b3-bed9-effe-10b4" "SBX-{cut}16cd200a016a-77e9-82fe-cb21-d2e1"]
        no ["PRD-{cut}000000000000-0000-0000-0000-0000" "SBX-{cut}16cd200a016a-7"]
    Vendor "bigcommerce_token" ["bigcommerce" "x-auth-token"] "[a-z0-9]{31}" Random(33) 600 High
        yes ["BIGCOMMERCE_KEY={cut}jdgtsjwuxlbvke02b9xoligpd29foxm" "{\"x-auth-token_token\": \"{cut}7y36rohme5w0vo5fht7wq0naglwdach\"}"]
        no ["BIGCOMMERCE_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "bigcommerce_url=https://api.bigcommerce.com/v1"]
    Vendor "etsy_key" ["etsy_"] "[a-z0-9]{24}" Random(33) 600 High
        yes ["ETSY_KEY={cut}m0rq5xeav4uhy5pra6u5c8fu" "{\"etsy_token\": \"{cut}3m6uxgf4iqthivm3vmky82h8\"}"]
        no ["ETSY_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxx" "etsy_url=https://api.etsy.com/v1"]
    Vendor "shipstation_key" ["shipstation"] "[0-9a-f]{32}" Entropy(30) 600 High
        yes ["SHIPSTATION_KEY={cut}3a15b9f8038d6cfab2fc28c6107f2774" "{\"shipstation_token\": \"{cut}50026e0745b98be05d0e67fad7bad567\"}"]
        no ["SHIPSTATION_KEY={cut}00000000000000000000000000000000" "shipstation_url=https://api.shipstation.com/v1"]
    Vendor "printful_token" ["printful" "printify"] "[A-Za-z0-9]{40}" Random(38) 600 Medium
        yes ["PRINTFUL_KEY={cut}zx114UbFAz2gcbKZWQ5tVillDY0qlOEqmUQeJbBd" "{\"printify_token\": \"{cut}f2iZGsWKIMTKDKRwKnFNJWgB08uHJFvdiY9tRowN\"}"]
        no ["PRINTFUL_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "printful_url=https://api.printful.com/v1"]
    Vendor "squarespace_key" ["squarespace"] "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}" Entropy(25) 650 High
        yes ["SQUARESPACE_KEY={cut}83baf2f5-9336-3be4-32a1-7665f2a81bc7" "{\"squarespace_token\": \"{cut}07739e17-3114-c178-82ed-af1e7e76672e\"}"]
        no ["SQUARESPACE_KEY={cut}00000000-0000-0000-0000-000000000000" "squarespace_url=https://api.squarespace.com/v1"]
    Bound "contentful_token" ["CFPAT-"] r"CFPAT-[A-Za-z0-9_\-]{43,64}" Shape 950 High
        yes ["CFPAT-{cut}1aFO0lWEYZ6PaIphZ8UH3zyoMCD7IpPWrxsdimUgJy4BEhJF" "CFPAT-{cut}GJlnfc29JyBjKR2kWAuQXEspht9JHjeVBLB0QyjjXmtYRYw"]
        no ["CFPAT-{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "CFPAT-{cut}GJlnfc29JyBjKR2kWAuQ"]
    Vendor "contentful_key" ["contentful"] r"[A-Za-z0-9_\-]{43}" Random(38) 600 Medium
        yes ["CONTENTFUL_KEY={cut}S3wU4LiIfEZAWx0OHntvpmouNxa8RXDUg9pAnhtCCOH" "{\"contentful_token\": \"{cut}hfAWJmMcdqXcT4sUbxTwg6XPKaX4tOdanXMBwGcofX6\"}"]
        no ["CONTENTFUL_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "contentful_url=https://api.contentful.com/v1"]
    Vendor "storyblok_token" ["storyblok"] "[A-Za-z0-9]{22}tt" Random(33) 700 Medium
        yes ["STORYBLOK_KEY={cut}fCbfwD1hOfxx7c1e58zT4ftt" "{\"storyblok_token\": \"{cut}bnNZogu7r4VqmVloiXtJb0tt\"}"]
        no ["STORYBLOK_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxtt" "storyblok_url=https://api.storyblok.com/v1"]
    Vendor "sanity_token" ["sanity_"] "sk[A-Za-z0-9]{100,200}" Random(40) 700 High
        yes ["SANITY_KEY={cut}sktwzr8OPZtl9n0YRtQng6qHwlyQKmuth8AmoOkp4rIEa1siS32ZYcSxxpRFJcKPWkIHWMDmdrzIcUcuqp9LBTgIGioDl1gJCC6urZ9PYn1HWyO" "{\"sanity_token\": \"{cut}skMIJt5w32QssaHi3uodEOTfNPdBNrmEEuJZHTfO64OdNhVhK9bVwNfFOoUY9hhXrCQrZWG5nx5TY8eFeOkGc6Rhdwf90Ju89g4AuJrLUbjtk2V27xJIle\"}"]
        no ["SANITY_KEY={cut}skxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "sanity_url=https://api.sanity.com/v1"]
    Vendor "ghost_admin_key" ["ghost_"] "[0-9a-f]{24}:[0-9a-f]{64}" Entropy(32) 750 High
        yes ["GHOST_KEY={cut}b8c351d4a273a11384d43906:b431e39b3a26e86d2f162cfc7f29fec9be5b23aa2609673c257bcfb2ebb5dad6" "{\"ghost_token\": \"{cut}d10158f22e623c01c839158e:4602a4d4d2557ef8e7b9677c96a8d473b3846d45f8ca46d348ac3079f305a1be\"}"]
        no ["GHOST_KEY={cut}000000000000000000000000:0000000000000000000000000000000000000000000000000000000000000000" "ghost_url=https://api.ghost.com/v1"]
    Vendor "webflow_token" ["webflow"] "[0-9a-f]{64}" Entropy(32) 650 High
        yes ["WEBFLOW_KEY={cut}0169f3882a1bdbcdf80b4e206cce359728681cd6a6036430480f9b76692bf872" "{\"webflow_token\": \"{cut}ad4182f07aed6996be98200096ae21060dba97d70e45fbcf21e5ab83c4bf90e4\"}"]
        no ["WEBFLOW_KEY={cut}0000000000000000000000000000000000000000000000000000000000000000" "webflow_url=https://api.webflow.com/v1"]
    Bound "wix_key" ["IST.eyJ"] r"IST\.eyJ[A-Za-z0-9_\-]{20,600}\.[A-Za-z0-9_\-]{20,1200}\.[A-Za-z0-9_\-]{20,1000}" Shape 960 High
        yes ["IST.eyJ{cut}qcCGCINth8oLXQ8Mi1JxfnurP5.cmCPQsTS8ENVm5XdcWRzQi.k1xm2Bge4nCpQyeT1hIPCa" "IST.eyJ{cut}cOdvfv2TSnAzksajel03AbL5O0fr.l3ued7eFewYAMLo1QdmM.AticmpyfIxd6txp5bbf9tMdz9"]
        no ["IST.eyJ{cut}xxxxxxxxxxxxxxxxxxxxx.xxxxxxxxxxxxxxxxxxxxxxxxxxx.xxxxxxxxxxxxxxxxxxxx" "IST.eyJ{cut}cOdvfv2TSnAzksajel03AbL5O0fr.l3ued"]
    Bound "typeform_token" ["tfp_"] r"tfp_[A-Za-z0-9_\-.=]{40,59}" Entropy(35) 950 Medium
        yes ["tfp_{cut}xY1BKWGhVUvravyvpK3dnNv3Qs9MFAzlOe8rI9ti" "tfp_{cut}zp6XNIQrvgD1Irz3d9nyLpgycvvpjBaymODM48vHFw5"]
        no ["tfp_{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "tfp_{cut}zp6XNIQrvgD1Irz3d9n"]
    Bound "airtable_token" ["pat"] r"pat[A-Za-z0-9]{14}\.[0-9a-f]{64}" Shape 950 High
        yes ["pat{cut}vJGY1bqK2ilBtE.436688d83b985c685bf22766f031abed81692352262eb875a13386ff823160b9" "pat{cut}NgRvfL4RErud1v.187e6bf67b2190c29eceaf1699bf4bb70494f831c3787c4413455d688e3cfb90"]
        no ["patch" "path.to.file"]
    Vendor "airtable_key" ["airtable"] "key[A-Za-z0-9]{14}" Random(30) 700 High
        yes ["AIRTABLE_KEY={cut}key0lJN40P2H4ydBv" "{\"airtable_token\": \"{cut}keylSQKG0PZQlhy46\"}"]
        no ["AIRTABLE_KEY={cut}keyxxxxxxxxxxxxxx" "airtable_url=https://api.airtable.com/v1"]
    Bound "notion_token" ["ntn_"] "ntn_[0-9]{8,12}[A-Za-z0-9]{34,40}" Random(38) 950 High
        yes ["ntn_{cut}6442094824m8JkzGmC0A1muasI6BOipVNBR0hZvRToJy" "ntn_{cut}7580490842375WwQuX73VQk2iab5QKlnlw1WBWRJMVl4X6Hluv"]
        no ["secret_name" "ntn_"]
    Bound "notion_old_token" ["secret_"] "secret_[A-Za-z0-9]{43}" Random(38) 900 High
        yes ["secret_{cut}wX3tgtSJDGqbzf73m2TbO8DV8J7Ac3ZAxC0btsYEpcy" "secret_{cut}booQSNTFLwHYtcoZ3PWUXg0pyb5o7UGCUqxi9A3ssCH"]
        no ["secret_{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "secret_key_of_the_service_that_we_used_before"]
    Bound "linear_key" ["lin_api_" "lin_oauth_"] "lin_(api|oauth)_[A-Za-z0-9]{32,64}" Random(35) 950 High
        yes ["lin_oauth_{cut}nECFAHlSuL6pGiglNUpQSXEGmYWHwDZdOz" "lin_api_{cut}B98MxbGWNEIuvdLhtOIkUCDZ6dnuNTE5Z"]
        no ["lin_api_key" "lin_api_{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"]
    Vendor "asana_token" ["asana_" "asana" "asana-token"] "([0-9]/)?[0-9a-zA-Z:/]{16,70}" Random(28) 600 High
        yes ["ASANA_KEY={cut}PrOwnIXQHhLVLMLZKfQZ" "{\"asana_token\": \"{cut}6/SZ0NAykG35I0HURcG9\"}"]
        no ["ASANA_KEY={cut}6/xxxxxxxxxxxxxxxxxx" "asana_url=https://api.asana.com/v1"]
    Bound "clickup_token" ["pk_"] "pk_[0-9]{6,9}_[A-Z0-9]{32}" Random(30) 950 High
        yes ["pk_{cut}253666719_JQVZKNWIHX12NODN5QRXC7H18CG5DWF4" "pk_{cut}698283_RQNPXWW54H06FLC2NNCH8Q0EJ6BFSJZH"]
        no ["pk_{cut}0000000_XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX" "pk_1234567_name"]
    Bound "trello_token" ["ATTA"] "ATTA[0-9a-f]{64}[0-9a-fA-F]{8}" Shape 960 High
        yes ["ATTA{cut}12876402d5bcdeb401d729e2faeeb74f5a09b04d297694deae735639c4399e723CDeb8e9" "ATTA{cut}f871a174e33bdad15a65d53e1d6d2f5aa1ad19db6a691c1ce89c7d966625b01c7Be6a08b"]
        no ["ATTA{cut}000000000000000000000000000000000000000000000000000000000000000000000000" "ATTA{cut}f871a174e33bdad15a65d53e1d6d2f5aa1"]
    Vendor "trello_key" ["trello"] "[A-Za-z0-9]{32,64}" Random(33) 600 High
        yes ["TRELLO_KEY={cut}eUcxY8nnLavoKfSgqPTVel3pkHz0Felpy46IvbU" "{\"trello_token\": \"{cut}f40ioFAwsKf7u4gcPaYkHZ3hxTuuIr5uatonc\"}"]
        no ["TRELLO_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "trello_url=https://api.trello.com/v1"]
    Bound "atlassian_token" ["ATATT3" "ATCTT3"] r"AT[AC]TT3[A-Za-z0-9_\-=]{60,250}" Shape 950 Critical
        yes ["ATATT3{cut}SIku1PHp7Q4ofkAiXgIA2Nk0UMoBp0Tus74QBvLcAYoyCjG0lilBF7Frnu1HhebSrq" "ATATT3{cut}OZfMYOlOWA9jdptPl3VMp2dCDUTTjkziq2KC2UXkFKwcgaWb4xxs8ArjC1HT6sT"]
        no ["ATATT3" "ATATT3..."]
    Vendor "atlassian_old_token" ["atlassian" "jira" "confluence"] "[A-Za-z0-9]{24}" Random(33) 600 Critical
        yes ["ATLASSIAN_KEY={cut}4ZP6lmnFbUhmTFwh8zC5OTa9" "{\"confluence_token\": \"{cut}qVUumzYxSWUsUin8d7AozpyF\"}"]
        no ["ATLASSIAN_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxx" "atlassian_url=https://api.atlassian.com/v1"]
    Bound "figma_token" ["figd_" "figo_" "figdr_"] r"fig(d|o|dr)_[A-Za-z0-9_\-]{38,50}" Random(35) 950 High
        yes ["figdr_{cut}WCza756EKF2fbKAiG6CEWv3ggU777MG2qfPLvPPwpsV" "figdr_{cut}KFyiOI3nL1j2bdIMgr40gWuuu4eP2GQuoVXMchj"]
        no ["figd_" "figd_token"]
    Vendor "figma_old_token" ["x-figma-token" "figma"] "[0-9]{4,7}-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}" Entropy(30) 750 High
        yes ["X-FIGMA-TOKEN={cut}3413-3c5a1952-3d4d-95d0-4d34-a4b17b774959" "\"figma_token\": \"{cut}11205-1c3e9cba-d100-ff89-8dab-36539e4715dc\""]
        no ["X-FIGMA-TOKEN_KEY={cut}00000-00000000-0000-0000-0000-000000000000" "x-figma-token_url=https://api.x-figma-token.com/v1"]
    Vendor "miro_token" ["miro_"] r"[A-Za-z0-9_\-]{27}" Random(33) 600 Medium
        yes ["MIRO_KEY={cut}AbNjfhqDbOeraj775zIBL9mTC6N" "{\"miro_token\": \"{cut}CYy3uKEAaZa9y7HdALFLIGvhREX\"}"]
        no ["MIRO_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxx" "miro_url=https://api.miro.com/v1"]
    Vendor "coda_token" ["coda_" "codatoken"] "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}" Entropy(25) 650 Medium
        yes ["CODA_KEY={cut}bf2797ae-d393-2033-9ea0-f509ada84bfc" "{\"coda_token\": \"{cut}26752165-abf7-0cc6-b10c-ef95841458d8\"}"]
        no ["CODA_KEY={cut}00000000-0000-0000-0000-000000000000" "coda_url=https://api.coda.com/v1"]
    Vendor "todoist_token" ["todoist"] "[0-9a-f]{40}" Entropy(30) 650 Medium
        yes ["TODOIST_KEY={cut}db180d7a18bd2e39418c05cf2dab5726ab05c893" "{\"todoist_token\": \"{cut}5879a1c92f003819abe07200fe3d32da9c121cc9\"}"]
        no ["TODOIST_KEY={cut}0000000000000000000000000000000000000000" "todoist_url=https://api.todoist.com/v1"]
    Vendor "clockify_key" ["clockify"] "[A-Za-z0-9]{48}" Random(33) 600 Medium
        yes ["CLOCKIFY_KEY={cut}5xmlC8xh0o4qApT6ENbFeUqq0hF2SnvUaIPHrp17TYEcXiZ3" "{\"clockify_token\": \"{cut}5TLKWlgO2KZsrZBLLF64dzJwX91AC4hiLtVkqEN2u0ivKn4W\"}"]
        no ["CLOCKIFY_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "clockify_url=https://api.clockify.com/v1"]
    Vendor "toggl_token" ["toggl"] "[0-9a-f]{32}" Entropy(30) 600 Medium
        yes ["TOGGL_KEY={cut}a7e4ec6de9f9887390af18643bd2f53d" "{\"toggl_token\": \"{cut}571bc505a8d66d88a003a263374737f0\"}"]
        no ["TOGGL_KEY={cut}00000000000000000000000000000000" "toggl_url=https://api.toggl.com/v1"]
    Bound "dropbox_token" ["sl."] r"sl\.(u\.)?[A-Za-z0-9_\-]{100,1500}" Random(40) 940 High
        yes ["sl.{cut}6t11xdBM00IKElfk2gwd5gH0AnkzNnZoEmIr673QpRLmNqVeq9WileaF6MsKX5iJWYOHT8LA1AblQbpsTxbaQ0MJCQ8tXVeCoxwjo64UIjImHiJ" "sl.{cut}u.TDutfz6BKnpSnCuHAo5ayyJN66UsWVONRRE2nnhAPzhytt5sclcCEv8uxafmOX0SbqzhowVWOswamgAGmK1BBAJjpYqzpeHFLIcsOQ6DP9Wvge24Nym18"]
        no ["sl.{cut}u.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "sl.{cut}u.TDutfz6BKnpSnCuHAo5ayyJN66UsWVONRRE2nnhAPzhytt5sclcCEv8u"]
    Vendor "dropbox_secret" ["dropbox"] "[a-z0-9]{15}" Random(30) 600 High
        yes ["DROPBOX_KEY={cut}02cetd19i7eyhbk" "{\"dropbox_token\": \"{cut}h8oqluugs1ubcq1\"}"]
        no ["DROPBOX_KEY={cut}xxxxxxxxxxxxxxx" "dropbox_url=https://api.dropbox.com/v1"]
    Vendor "box_secret" ["box_" "box-" "boxkey" "boxtoken"] "[A-Za-z0-9]{32}" Random(33) 600 High
        yes ["BOX_KEY={cut}T4SgGFtMQEIAvno3B5FnTrOKmcs46DdG" "{\"box_token\": \"{cut}4b3BPtP1cPBV882chjvBQxj84FL7PQlx\"}"]
        no ["BOX_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "box_url=https://api.box.com/v1"]
    Vendor "docusign_key" ["docusign"] "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}" Entropy(25) 650 High
        yes ["DOCUSIGN_KEY={cut}faa95c66-3b09-dd24-c08a-83a7d6209761" "{\"docusign_token\": \"{cut}40e44f31-e635-ecab-15f9-02cb4bf1f439\"}"]
        no ["DOCUSIGN_KEY={cut}00000000-0000-0000-0000-000000000000" "docusign_url=https://api.docusign.com/v1"]
    Vendor "hellosign_key" ["hellosign" "dropboxsign"] "[0-9a-f]{64}" Entropy(30) 650 High
        yes ["HELLOSIGN_KEY={cut}42b86edd6eaeceb4432c6de54f12f692afec85c1e45f59463df391053246dfd5" "{\"dropboxsign_token\": \"{cut}2c45fb01251e354bdc219464c429f3ed23c96e0a251cef3b307d47943536b17e\"}"]
        no ["HELLOSIGN_KEY={cut}0000000000000000000000000000000000000000000000000000000000000000" "hellosign_url=https://api.hellosign.com/v1"]
    Vendor "pandadoc_key" ["pandadoc"] "[0-9a-f]{40}" Entropy(30) 650 High
        yes ["PANDADOC_KEY={cut}422fde69ecda27e36fad22aafe55bb7718d98123" "{\"pandadoc_token\": \"{cut}820c231633d395371a5b9d66d2f2d7f41992c2a6\"}"]
        no ["PANDADOC_KEY={cut}0000000000000000000000000000000000000000" "pandadoc_url=https://api.pandadoc.com/v1"]
    Bound "evernote_token" [":U="] "S=s[0-9]{1,4}^:U=[0-9a-f]{1,8}:E=[0-9a-f]{9,13}:C=[0-9a-f]{9,13}:P=[0-9a-f]{2,5}:A=[^:]{1,64}:V=2:H=[0-9a-f]{32}" Shape 980 High
        yes ["S=s29:U={cut}dd:E=df1f537f9:C=06968e4b9bb20:P=958eb:A=vs4e2yxYl:V=2:H=50367864ed728941105e16f312e332c6" "S=s63:U={cut}74fb2:E=20879bf63f:C=3a2c5557d2ec:P=74b:A=RnkoC1Y:V=2:H=e7d706cbdd2b58dba8363ffd86a0533b"]
        no ["S=s777:U={cut}000000:E=000000000000:C=0000000000:P=0000:A=xxxxxxxxx:V=2:H=00000000000000000000000000000000" ":U={cut}74fb2:E=20879bf63f:C=3a2c5557d2ec:P=74b:A=RnkoC1Y:V=2:H=e7d706cbdd2b58dba8363ffd86a0533b"]
    Vendor "smartsheet_token" ["smartsheet"] "[A-Za-z0-9]{26,37}" Random(33) 650 High
        yes ["SMARTSHEET_KEY={cut}I20iPlulkB6P27TFUemPS0WH9K9zSJypuG" "{\"smartsheet_token\": \"{cut}lGesQftx4DJWh1ANZqa34EEz4T\"}"]
        no ["SMARTSHEET_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxx" "smartsheet_url=https://api.smartsheet.com/v1"]
    Bound "n8n_key" ["n8n_api_"] "n8n_api_[A-Za-z0-9]{40,400}" Random(33) 950 High
        yes ["n8n_api_{cut}oys421B7EA69KeDT1MQvtiVBuShx9v76WvlNSpBOBVcd9gTA" "n8n_api_{cut}NNfIxEkEEUSYRn8OmHV9AwegwoylNuAAhsbpMHh6uS58H8"]
        no ["n8n_api_{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "n8n_api_{cut}NNfIxEkEEUSYRn8OmHV"]
    Bound "rapidapi_key" ["msh"] "[0-9a-f]{10}^msh[0-9a-f]{15}p1[0-9a-f]{5}jsn[0-9a-f]{11}" Shape 970 High
        yes ["9e0b2{cut}1a7cbmsh25af7688658def4p1fe751jsn341605aac97" "a4aa2{cut}fdb92msh5a4cf79083e782ap1a5eb7jsn058cc148181"]
        no ["00000{cut}00000msh000000000000000p100000jsn00000000000" "92msh{cut}5a4cf79083e782ap1a5eb7jsn058cc148181"]
    Vendor "rapidapi_host_key" ["rapidapi"] "[A-Za-z0-9]{50}" Random(33) 650 High
        yes ["RAPIDAPI_KEY={cut}A4rbUImj8bhETxV6BqTN19UuRQB2bNrOyQA6oYE9ybT847dqyG" "{\"rapidapi_token\": \"{cut}4PisELKSUS49cWGhcZTnoaBa7ERkudVztdKMK6UaCltTruKCk4\"}"]
        no ["RAPIDAPI_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "rapidapi_url=https://api.rapidapi.com/v1"]
    Bound "apify_token" ["apify_api_"] "apify_api_[A-Za-z0-9]{34,40}" Random(33) 960 High
        yes ["apify_api_{cut}txoexCoEcYb7mQBiSTGHbkhMvAobSOA81Y7Fy5CU" "apify_api_{cut}sltIjCfZttoyJQcFMBVawcChIZSZQO4Koq"]
        no ["apify_api_{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "apify_api_{cut}sltIjCfZttoy"]
    Vendor "apify_key" ["apify"] "[A-Za-z0-9]{36}" Random(33) 600 High
        yes ["APIFY_KEY={cut}WRua34iFOHZj1VgWhWkzD7crLoRsmW78D0eG" "{\"apify_token\": \"{cut}NTSf75oCVxVAZ4WOQcwOKwj6NdR3prZJmAsd\"}"]
        no ["APIFY_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "apify_url=https://api.apify.com/v1"]
    Bound "postman_key" ["PMAK-" "PMAT-"] "PMA[KT]-[A-Za-z0-9]{24,26}(-[0-9a-f]{34})?" Shape 950 High
        yes ["PMAT-{cut}Uy9rvQ6dQxHycN5yKctJJ0sbS" "PMAT-{cut}hEGTphlA2j3bSIc5Ue4lVDom-4390dbf174d33659c3949bdb9b94b32cf2"]
        no ["PMAK-key" "PMAK-"]
    Bound "readme_key" ["rdme_"] "rdme_[a-z0-9]{70}" Shape 960 Medium
        yes ["rdme_{cut}3ev1u9fnr9bpr6wd31lasm0vrtwv1uexpoq3c9uq9cuujem0iwdz6bgtwumotpxs457h8m" "rdme_{cut}fk5duvjgt01xrdna2371l4r99hxlpqbbpl7d0l08fzbpvqc5jh14l30crvrc3m1qkeqwey"]
        no ["rdme_{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "rdme_{cut}fk5duvjgt01xrdna2371l4r99hxlpqbb"]
    Bound "kong_token" ["kpat_" "spat_"] "[ks]pat_[A-Za-z0-9]{40,70}" Random(38) 940 High
        yes ["spat_{cut}bk4973DrmwvdwVWvDc96vcxgsEJ5KwoOMdu61nKTPeEuXOU" "spat_{cut}HIBIVVGTHe6SwcwTPAoIZvXV4buWolDZ23YzyhBQoKi5gpWP"]
        no ["kpat_{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "spat_{cut}HIBIVVGTHe6SwcwTPAoIZ"]
    Vendor "algolia_key" ["algolia"] "[a-z0-9]{32}" Random(30) 650 High
        yes ["ALGOLIA_KEY={cut}otywmhqztrgmmqv1o7g1a2f4iahr1o7i" "{\"algolia_token\": \"{cut}r7vgxjfzfywnchb0mwtdt0zl1caye7gn\"}"]
        no ["ALGOLIA_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "algolia_url=https://api.algolia.com/v1"]
    Vendor "typesense_key" ["typesense" "meilisearch" "meili_master"] r"[A-Za-z0-9_\-]{32,64}" Random(33) 600 High
        yes ["TYPESENSE_KEY={cut}XeVzmbGPh5C5ZIDsu6P1bcQ4L0BWhCpW4KJdk9" "{\"meili_master_token\": \"{cut}WFhZZo70SouUbceBo17IOqtc6JLMfudTfYTy\"}"]
        no ["TYPESENSE_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "typesense_url=https://api.typesense.com/v1"]
    Vendor "calendly_key" ["calendly"] r"[A-Za-z0-9_\-]{40,64}" Random(38) 600 Medium
        yes ["CALENDLY_KEY={cut}NKohnHLJC1jYDpqwwkICPWWhVi6fFxKKOGWmjOdvOUfecW" "{\"calendly_token\": \"{cut}M8W6difMz8KqMhBftcwDLj21oV6JKoGvMj7bDwbMWxG\"}"]
        no ["CALENDLY_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "calendly_url=https://api.calendly.com/v1"]
    Vendor "pipedrive_token" ["pipedrive"] "[A-Za-z0-9]{40}" Random(33) 650 High
        yes ["PIPEDRIVE_KEY={cut}cimuL6GA7dFZtrmshaN6hshyKiM3U4v9cBqOtqVS" "{\"pipedrive_token\": \"{cut}6I6nPSa2wO4enu6aC3uayDWgfAkj3mbRHGBmd7aJ\"}"]
        no ["PIPEDRIVE_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "pipedrive_url=https://api.pipedrive.com/v1"]
    Vendor "close_key" ["close_api" "closecrm" "closeio"] r"api_[A-Za-z0-9]{40,60}(\.[A-Za-z0-9]{20,30})?" Random(33) 700 High
        yes ["CLOSE_API_KEY={cut}api_6gZUs6C9rd3eS2ccFOGY5sexTG5oTGL4PzxUettHOjbfW.aJvMOTyQ4iwlWzpee6Q74A" "{\"closeio_token\": \"{cut}api_QakER6EUBTaFA6uOWqE47xhoC2CTuYDmYIZ7hl0sAn\"}"]
        no ["CLOSE_API_KEY={cut}api_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "close_api_url=https://api.close-api.com/v1"]
    Bound "salesforce_session" ["!AQ" "!AR" "!AS"] "00D[A-Za-z0-9]{12,15}^!A[QRS][A-Za-z0-9_.]{90,120}" Shape 970 Critical
        yes ["00DMPZqgM{cut}VEak6yy2H!ASasJqJavdWMcWMJhkRXGH6ByzahmsgPd4T0cBKYiYYNwLJGyCiTTm9PfGju3IqNHxMoNFUkAB5WR69xHkj8oMbwfYCUrlv" "00DpnbS3{cut}P90rHNrst!ARaTCZgrtdFiyiaRSbdaGtDOJd08ckU1NSoF1j73wt1LCTyUwUxJzBMBX8pSSZKzuC2CCQhCcMXCA4w5kJEim2JxMGyCsq"]
        no ["00Dxxxx{cut}xxxxxxxx!ASxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "rHNrst!AR{cut}aTCZgrtdFiyiaRSbdaGtDOJd08ckU1NSoF1j73wt1LCTyUwUxJzBMBX8pSSZKzuC2CCQhCcMXCA4w5kJEim2JxMGyCsq"]
    Vendor "salesforce_secret" ["salesforce" "sfdc"] r"[A-Za-z0-9_.\-]{50,90}" Random(38) 600 Critical
        yes ["SALESFORCE_KEY={cut}uosTWTmOdThQ5UyWy2rtDWdD5jRqidFIaZjauHh3PB5jicc3zFhX87R2" "{\"sfdc_token\": \"{cut}ENfT5jmHJvNOPjQQYBtJuIU5xoSm2UE7mBh2R1BbJpZlINhoqQDNqCnjT\"}"]
        no ["SALESFORCE_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "salesforce_url=https://api.salesforce.com/v1"]
    Vendor "freshbooks_secret" ["freshbooks"] "[0-9a-f]{64}" Entropy(30) 600 High
        yes ["FRESHBOOKS_KEY={cut}7721a12545f9c571b79bce953e8a105f8029c830c073f8c113708171e3ad7a60" "{\"freshbooks_token\": \"{cut}f5045728ccf98fed12653475eba81808eefec99fb705b51ee91703e6ebca5ef3\"}"]
        no ["FRESHBOOKS_KEY={cut}0000000000000000000000000000000000000000000000000000000000000000" "freshbooks_url=https://api.freshbooks.com/v1"]
    Vendor "quickbooks_secret" ["quickbooks" "intuit"] "[A-Za-z0-9]{40,50}" Random(38) 600 Critical
        yes ["QUICKBOOKS_KEY={cut}rMV0BKFe7HIRM8B6CSNzCUns1eVo5AZ5r0rvo2sdMZXCnFtm" "{\"intuit_token\": \"{cut}Ze4gmKagFn5FR5K2dQy3mfffPjogUVvcA8loMRO1\"}"]
        no ["QUICKBOOKS_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "quickbooks_url=https://api.quickbooks.com/v1"]
    Vendor "xero_secret" ["xero"] r"[A-Za-z0-9_\-]{48}" Random(38) 600 Critical
        yes ["XERO_KEY={cut}V136t3pc1jW7CyOPcxIKsb63BTwyMzib6HhaYubFh5BDDTAx" "{\"xero_token\": \"{cut}HOPlBXpqwqrmQHrAJ29C6lAmy5Xro9OQW8ZYXYdvwosWeW4M\"}"]
        no ["XERO_KEY={cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "xero_url=https://api.xero.com/v1"]
    Bound "shutterstock_token" ["v2/"] "v2/[A-Za-z0-9+/]{388}" Random(40) 900 Medium
        yes ["v2/{cut}TnjlGzwnuGyLtl884AkfrIvnB8bMAhttTa9D4dUKABpBK395tx2iRVhVAPYInpsWe08j6n8mcRAzuiGGvEpDqsSvPHTpTSpqbLOE2Ze5pYqWcK5rRImCtUvR1xM7WYmfBT6BJC4L7NTiC3uQL1iTsCyZFRoS1jODEsI8NP8eRJgPzXTCOXp1HjFqbfMid3n5KHZWrx15CWYVd599uuzfvmsBu3g7Zv3reb3ac2zt7Emw9rXq8dT1twkaraLalE9BuVI0sCcMz4PbCBc66f09HOtbVFdiYXOKIbKZfLywmJXXmJfILItQsa44aOU3EWFYWkLYsTj8WYQzmazZZR5OrgZeA09t5pIqA1RNTCWfip61kSlTOyTlK8uhdxSAi6jpl4fM" "v2/{cut}Jz0xdQVQptz1qXYUzmBW2M0dsheOeQxYFGBGRlDxB0tJxiPf9PMgbmDAQtdzChi9a3dCq03U1XpaEhmVjUyacjmp05LyVNif1LyCdiTmJxkyd7WDEGGfdiox8YrHYEbxmsTnqhSggcGU8lAQWpsPw8PNOexLgKbEiGT8cKkl4wYol3v7RcezgvWon6MjXMTBWoYAwGUMW5TN5FUp05XV9NXqlQ42aPYbjfXP2qD8BDogmIYrMuCdAPCmMpm4WeqTdMrStKX76Qk7A49iqmpxlrWGMLk5pm7dVtBeWkW4vOPjln32jGkuqDHy634cYQjdVF8b5rbDnnXwHSB9mo73gGVKeSOzUrdgdrjc742IfxoYoRFFuIin0WPptyclRyPy1lum"]
        no ["v2/{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "v2/{cut}Jz0xdQVQptz1qXYUzmBW2M0dsheOeQxYFGBGRlDxB0tJxiPf9PMgbmDAQtdzChi9a3dCq03U1XpaEhmVjUyacjmp05LyVNif1LyCdiTmJxkyd7WDEGGfdiox8YrHYEbxmsTnqhSggcGU8lAQWpsPw8PNOexLgKbEiGT8cKkl4wYol3v7RcezgvWon6MjXMTB"]
    Bound "teamwork_token" ["tkn.v1_"] r"tkn\.v1_[A-Za-z0-9+/]{60,90}={0,2}" Shape 960 High
        yes ["tkn.v1_{cut}MYtcQDZ4MD8xxmyr3FeXftLJB7qa4u5NR1vXzeVXW4gd63zS9TK8zswUSMt2z1M" "tkn.v1_{cut}8seNUZqnXucTQwoyNByEMaZFLzmQGdiLxL0li1S4n6TCEjQTJpeRestXZINnD7S=="]
        no ["tkn.v1_{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "tkn.v1_{cut}8seNUZqnXucTQwoyNByEMaZFLzmQG"]
    Bound "ionic_token" ["ion_"] "ion_[A-Za-z0-9]{42}" Random(38) 930 Medium
        yes ["ion_{cut}eW9jeOiWWu2cwlidyPV1Q1CQfTznbzqbdXAhjRX2YU" "ion_{cut}FCaC9HhjD6H2rDhpgZ7KYZbYcbLsmfjanjCCfqsH7X"]
        no ["ion_{cut}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "ion_{cut}FCaC9HhjD6H2rDhpgZ7"]
}
