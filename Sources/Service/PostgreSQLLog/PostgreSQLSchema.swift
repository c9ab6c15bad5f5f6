/// The tables and functions of a shared log in PostgreSQL.
///
/// The owner of the database creates them once. The role of the service can read the tables and call the functions; it cannot change
/// or delete a row in another way.
public enum PostgreSQLSchema {
    /// The version that this program needs.
    static let version: Int64 = 2

    /// SQL for `psql`, run by a superuser or by an owner who is a member of `pg_monitor`. Can be run again.
    ///
    /// - Parameter role: the role of the service, which must exist.
    public static func sql(role: String) -> String {
        let role = "\"" + role.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
        return """
            BEGIN;
            CREATE SCHEMA IF NOT EXISTS muniment;

            CREATE TABLE IF NOT EXISTS muniment.version (version bigint PRIMARY KEY);
            INSERT INTO muniment.version VALUES (\(version)) ON CONFLICT DO NOTHING;

            -- The end of each log: the last commit and the last refusal (0 for none).
            CREATE TABLE IF NOT EXISTS muniment.heads (
                store text PRIMARY KEY,
                revision bigint NOT NULL,
                hash bytea NOT NULL,
                refusal bigint NOT NULL,
                refusal_hash bytea NOT NULL
            ) WITH (fillfactor = 50);

            CREATE TABLE IF NOT EXISTS muniment.commits (
                store text NOT NULL,
                revision bigint NOT NULL,
                bytes bytea NOT NULL,
                hash bytea NOT NULL,
                -- The attempt to append; the same if it was sent again.
                attempt uuid NOT NULL,
                PRIMARY KEY (store, revision)
            );
            ALTER TABLE muniment.commits ALTER bytes SET STORAGE EXTERNAL;

            CREATE TABLE IF NOT EXISTS muniment.refusals (
                store text NOT NULL,
                number bigint NOT NULL,
                bytes bytea NOT NULL,
                hash bytea NOT NULL,
                attempt uuid NOT NULL,
                PRIMARY KEY (store, number)
            );
            ALTER TABLE muniment.refusals ALTER bytes SET STORAGE EXTERNAL;

            -- Appends to a log if it still ends where the caller says. after_revision -1: the log has no store yet.
            -- Returns 1 if it appended, 2 if an earlier call with this attempt did, and 0 if the log ends elsewhere.
            CREATE OR REPLACE FUNCTION muniment.append(
                of_store text, of_attempt uuid, after_revision bigint, after_hash bytea, after_refusal bigint,
                after_refusal_hash bytea, new_commits bytea[], commit_hashes bytea[], new_refusals bytea[], refusal_hashes bytea[]
            ) RETURNS integer LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
            DECLARE
                commit_count integer := cardinality(new_commits);
                refusal_count integer := cardinality(new_refusals);
                new_hash bytea := CASE WHEN commit_count > 0 THEN commit_hashes[commit_count] ELSE after_hash END;
                new_refusal_hash bytea := CASE WHEN refusal_count > 0 THEN refusal_hashes[refusal_count] ELSE after_refusal_hash END;
            BEGIN
                -- A log has the name of a store, or is the log of tokens, whose lines are small.
                IF (of_store COLLATE "C" ~ '^[a-z0-9][a-z0-9_-]{0,62}$' OR (of_store = '/tokens' AND refusal_count = 0
                    AND (SELECT max(octet_length(line)) FROM unnest(new_commits) AS line) <= 20000)) IS NOT TRUE THEN
                    RAISE EXCEPTION 'muniment.append: this is not a record of a store or of the tokens';
                END IF;
                IF (after_revision >= -1 AND after_refusal >= 0 AND (after_revision >= 0 OR after_refusal = 0)
                    AND (SELECT bool_and(coalesce(octet_length(hash), 0) = 32) FROM unnest(commit_hashes || refusal_hashes) AS hash)
                    ) IS NOT TRUE THEN
                    RAISE EXCEPTION 'muniment.append: a hash has 32 bytes, and records are numbered from 0';
                END IF;
                IF commit_count <> cardinality(commit_hashes) OR refusal_count <> cardinality(refusal_hashes)
                    OR commit_count + refusal_count = 0 OR (after_revision < 0 AND commit_count = 0) THEN
                    RAISE EXCEPTION 'muniment.append: each record needs one hash';
                END IF;
                IF after_revision < 0 THEN
                    INSERT INTO muniment.heads VALUES
                        (of_store, commit_count - 1, new_hash, refusal_count, new_refusal_hash) ON CONFLICT DO NOTHING;
                ELSE
                    UPDATE muniment.heads
                        SET revision = after_revision + commit_count, hash = new_hash,
                            refusal = after_refusal + refusal_count, refusal_hash = new_refusal_hash
                        WHERE store = of_store AND revision = after_revision AND hash = after_hash
                            AND refusal = after_refusal AND refusal_hash = after_refusal_hash;
                END IF;
                IF NOT FOUND THEN
                    IF commit_count > 0 THEN
                        PERFORM FROM muniment.commits
                            WHERE store = of_store AND revision = after_revision + 1 AND attempt = of_attempt;
                    ELSE
                        PERFORM FROM muniment.refusals
                            WHERE store = of_store AND number = after_refusal + 1 AND attempt = of_attempt;
                    END IF;
                    RETURN CASE WHEN FOUND THEN 2 ELSE 0 END;
                END IF;
                INSERT INTO muniment.commits
                    SELECT of_store, after_revision + place, new_commits[place], commit_hashes[place], of_attempt
                    FROM generate_series(1, commit_count) AS place;
                INSERT INTO muniment.refusals
                    SELECT of_store, after_refusal + place, new_refusals[place], refusal_hashes[place], of_attempt
                    FROM generate_series(1, refusal_count) AS place;
                RETURN 1;
            END $$;

            -- Whether enough synchronous standbys have written the log of the engine up to a place to their disks. Without
            -- synchronous standbys: whether this server has.
            CREATE OR REPLACE FUNCTION muniment.is_durable(place pg_lsn) RETURNS boolean
            LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
            DECLARE
                names text := current_setting('synchronous_standby_names');
                needed integer;
            BEGIN
                IF names = '' THEN RETURN pg_current_wal_flush_lsn() >= place; END IF;
                needed := coalesce(substring(names from '(?i)^\\s*(?:any|first)?\\s*(\\d+)\\s*\\(')::integer, 1);
                RETURN needed <= (
                    SELECT count(*) FROM pg_stat_replication WHERE sync_state IN ('sync', 'quorum') AND flush_lsn >= place);
            END $$;

            -- Returns after everything before was written to the disks of the synchronous standbys: what was read before this call
            -- in the same transaction was then the present of the cluster, and not of a server that was replaced.
            CREATE OR REPLACE FUNCTION muniment.confirm() RETURNS void
            LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
                SELECT pg_logical_emit_message(true, 'muniment', '')
            $$;

            REVOKE ALL ON FUNCTION muniment.append, muniment.is_durable, muniment.confirm FROM PUBLIC;
            GRANT USAGE ON SCHEMA muniment TO \(role);
            GRANT SELECT ON muniment.version, muniment.heads, muniment.commits, muniment.refusals TO \(role);
            GRANT EXECUTE ON FUNCTION muniment.append, muniment.is_durable, muniment.confirm TO \(role);
            COMMIT;

            """
    }
}
