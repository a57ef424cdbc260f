-- Version 2: the registry of approvals, and baselines.
CREATE TABLE registry_head (id integer PRIMARY KEY CHECK (id = 1), version bigint NOT NULL);
INSERT INTO registry_head VALUES (1, 0);

CREATE TABLE registry (
    server text NOT NULL,
    kind text NOT NULL,
    name text NOT NULL,
    version bigint NOT NULL,
    record text NOT NULL,
    seen text NOT NULL,
    approved text,
    seal bytea NOT NULL,
    PRIMARY KEY (server, kind, name)
);
CREATE INDEX registry_by_version ON registry (version);

CREATE TABLE baselines (
    server text NOT NULL,
    tool text NOT NULL,
    kind text NOT NULL,
    version bigint NOT NULL,
    json text NOT NULL,
    PRIMARY KEY (server, tool, kind)
);
