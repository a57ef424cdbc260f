-- Version 3: small texts kept beside approvals, such as tokens.
CREATE TABLE documents (
    kind text NOT NULL,
    name text NOT NULL,
    json text NOT NULL,
    seal bytea NOT NULL,
    PRIMARY KEY (kind, name)
);
