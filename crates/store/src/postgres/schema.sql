-- Version 1 of the tables. Times are microseconds since 1970, days are days since 1970, UTC.
CREATE TABLE store (id integer PRIMARY KEY CHECK (id = 1), key_check bytea NOT NULL);

-- One chain of records for each writer; head and records change in one statement.
CREATE TABLE writers (
    writer text PRIMARY KEY,
    seq bigint NOT NULL,
    hash bytea NOT NULL,
    voucher bytea NOT NULL,
    day integer NOT NULL,
    dropped_seq bigint NOT NULL,
    dropped_hash bytea NOT NULL
);

-- The public keys a writer signs checkpoints with, each under a seal of the store's key.
CREATE TABLE signing_keys (writer text NOT NULL, public text NOT NULL, seal bytea NOT NULL, PRIMARY KEY (writer, public));

CREATE SEQUENCE activity_id;
-- `header` and `body` are what the chain covers; the other columns repeat the header for questions.
CREATE TABLE activity (
    day integer NOT NULL,
    writer text NOT NULL,
    seq bigint NOT NULL,
    id bigint NOT NULL DEFAULT nextval('portcullis.activity_id'),
    at_us bigint NOT NULL,
    kind text NOT NULL,
    status text NOT NULL,
    risk smallint NOT NULL,
    server text NOT NULL,
    tool text NOT NULL,
    session text NOT NULL,
    sensitive text NOT NULL,
    header bytea NOT NULL,
    hash bytea NOT NULL,
    body bytea,
    PRIMARY KEY (writer, seq, day)
) PARTITION BY RANGE (day);
CREATE INDEX activity_by_id ON activity (id);
CREATE INDEX activity_by_session ON activity (session, id);
CREATE INDEX activity_by_tool ON activity (server, tool, id);

-- The partitions there are.
CREATE TABLE days (day integer PRIMARY KEY, is_redacted boolean NOT NULL);

CREATE TABLE counters (
    day integer NOT NULL,
    writer text NOT NULL,
    dimension text NOT NULL,
    value text NOT NULL,
    count bigint NOT NULL,
    PRIMARY KEY (day, writer, dimension, value)
);

CREATE TABLE checkpoints (writer text NOT NULL, seq bigint NOT NULL, line text NOT NULL, PRIMARY KEY (writer, seq));

CREATE FUNCTION ensure_day(wanted integer) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(7301, 2);
    IF to_regclass('portcullis.activity_d' || wanted) IS NULL THEN
        EXECUTE format('CREATE TABLE portcullis.activity_d%s (LIKE portcullis.activity INCLUDING ALL)', wanted);
        EXECUTE format('ALTER TABLE portcullis.activity ATTACH PARTITION portcullis.activity_d%s
            FOR VALUES FROM (%s) TO (%s)', wanted, wanted, wanted + 1);
    END IF;
    INSERT INTO portcullis.days VALUES (wanted, false) ON CONFLICT (day) DO UPDATE SET is_redacted = false;
END $$;
