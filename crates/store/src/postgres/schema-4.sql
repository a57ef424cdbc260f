-- Version 4: the oldest version of Portcullis that can still work with these tables, so that gateways can be upgraded one by one.
ALTER TABLE schema_version ADD COLUMN oldest integer NOT NULL DEFAULT 4;
