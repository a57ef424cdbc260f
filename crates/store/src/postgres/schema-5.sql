-- Version 5: what only one gateway does at a time, by name. A row whose time is over belongs to nobody.
CREATE TABLE leases (
    name text PRIMARY KEY,
    holder text NOT NULL,
    address text NOT NULL,
    until timestamptz NOT NULL,
    seal bytea NOT NULL
);
