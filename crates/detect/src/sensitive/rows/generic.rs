//! Names that hold secrets, whoever made them.

use crate::sensitive::row::rows;

rows! {
    Keyword "password" ["password" "passwd" "passphrase" "pwd"] r#"[^ \t\r\n"'`,;<>&]{6,128}"# Password 450 High
        yes ["PASSWORD={cut}SqEi7rBV!7q" "\"pwd\": \"{cut}fp8PeJWS!7q\""]
        no ["password=<password>" "password: string" "PASSWORD=${DB_PASSWORD}" "password = getpass.getpass()" "password=changeme"]
    Keyword "secret" ["secret"] r"[A-Za-z0-9_\-+/=.~!%]{12,512}" Random(28) 500 High
        yes ["SECRET={cut}MYBC9CQR0kLJaLer" "\"secret\": \"{cut}OkVo4AZwyDP1SskgpiH\""]
        no ["secret=my-application-secret" "client_secret: {cut}YOUR_CLIENT_SECRET_1a2b3c4d5e6f7g8h"]
    Keyword "token" ["token"] r"[A-Za-z0-9_\-+/=.~!%]{16,2000}" Random(28) 500 High
        yes ["TOKEN={cut}QuWUTF5BPt4coSIN5CxK" "\"token\": \"{cut}gmfLCUP9WtJyVr3P\""]
        no ["token=authentication_required" "max_tokens: 4096"]
    Keyword "api_key" ["api_key" "apikey" "api-key" "api key" "access_key" "accesskey" "access-key" "access key"] r"[A-Za-z0-9_\-+/=.~!%]{10,512}" Random(25) 550 High
        yes ["API_KEY={cut}LcHlHr4w0cs" "\"access key\": \"{cut}3looP9qyo5a83Sg\""]
        no ["api_key=configuration" "api_key: YOUR_API_KEY"]
    Keyword "key" ["key"] r"[A-Za-z0-9_\-+/=.~!%]{16,512}" Random(28) 400 Medium
        yes ["KEY={cut}RunqCSEwVVESUStFHoaxc" "\"key\": \"{cut}My2D0LhzGxE02vku4Aa3DZF\""]
        no ["\"key\": \"user-profile-settings\"" "\"key\": \"2024-11-05T10:20:30Z\""]
    Keyword "private_access" ["private" "access"] r"[A-Za-z0-9_\-+/=.~!%]{20,512}" Random(28) 400 Medium
        yes ["PRIVATE={cut}9CXqw0TtcveP58yhX5aGTetNE6" "\"access\": \"{cut}2uTAF2NVmP4mnPn6eJxNgx\""]
        no ["access=read-only-for-everyone" "private: repository_visibility"]
    Keyword "credential" ["credential"] r"[A-Za-z0-9_\-+/=.~!%]{12,512}" Random(30) 450 High
        yes ["CREDENTIAL={cut}TlUHZ8SUv9ZYjaKS2Wby" "\"credential\": \"{cut}Ywkkn9VIsMfFsq6o\""]
        no ["credentials: same-origin" "credential=service-account-default"]
    Keyword "auth" ["auth"] r"[A-Za-z0-9_\-+/=.~!%]{16,512}" Random(30) 400 High
        yes ["AUTH={cut}NYXIiGMbzdshGwrFl5I" "\"auth\": \"{cut}7PTj32DdNR1dn67bFvMAgeNi\""]
        no ["auth: basic-authentication" "author=Margaret-Hollingsworth"]
    Keyword "bearer" ["bearer"] r"[A-Za-z0-9_\-+/=.~]{16,2000}" Random(28) 600 High
        yes ["BEARER={cut}eTUxDzoqkCL8Rcy2tY" "\"bearer\": \"{cut}2g7gNWHCG0in3u26cEJp\""]
        no ["bearer token-authentication" "Bearer realm=\"example\""]
}
