/// The tables and functions of a shared log in PostgreSQL.
///
/// The owner of the database creates them once. The role of the service can read the tables and call the functions; it cannot change
/// or delete a row in another way.
public enum PostgreSQLSchema {
    /// The version that this program needs.
    static let version: Int64 = 2

    /// SQL for `psql`, run by a superuser or by an owner who is a member of `pg_monitor`. Can be run again by the same role.
    ///
    /// It changes nothing if another role has made a part of the schema, or if a table is not as the script makes it: the role of the
    /// service would trust rows of another table.
    ///
    /// - Parameter role: the role of the service, which must exist.
    public static func sql(role: String) -> String {
        let literal = "'" + role.replacing("'", with: "''") + "'"
        let role = "\"" + role.replacing("\"", with: "\"\"") + "\""
        return """
            BEGIN;
            -- Only functions of the engine run, whatever others have created.
            SET LOCAL search_path = pg_catalog, pg_temp;
            SELECT set_config('muniment.role', \(literal), true);

            DO $$
            DECLARE
                me oid := (SELECT oid FROM pg_roles WHERE rolname = current_user);
                problem text;
            BEGIN
                IF to_regrole(quote_ident(current_setting('muniment.role'))) IS NULL THEN
                    RAISE EXCEPTION 'muniment: the role % does not exist', current_setting('muniment.role');
                END IF;
                -- A role that makes roles can become a member of the one that made the tables.
                IF pg_has_role(current_setting('muniment.role'), me, 'MEMBER') OR EXISTS (
                    SELECT FROM pg_roles WHERE CASE
                        WHEN rolname IN ('pg_write_all_data', 'pg_write_server_files', 'pg_execute_server_program')
                            THEN pg_has_role(current_setting('muniment.role'), oid, 'MEMBER')
                        ELSE rolcreaterole AND pg_has_role(current_setting('muniment.role'), oid, 'MEMBER')
                        END
                ) THEN
                    RAISE EXCEPTION 'muniment: the role % of the service could change the tables', current_setting('muniment.role')
                        USING HINT = 'Run this script as another role, such as the owner of the database, or take memberships and '
                            'CREATEROLE from the role of the service.';
                END IF;
                SELECT string_agg(what, '; ') INTO problem FROM (
                    SELECT format('the schema belongs to %s', nspowner::regrole) FROM pg_namespace
                        WHERE nspname = 'muniment' AND nspowner <> me
                    UNION ALL SELECT format(
                        '%s may create objects in the schema', CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END)
                        FROM pg_namespace, aclexplode(nspacl)
                        WHERE nspname = 'muniment' AND privilege_type = 'CREATE' AND grantee <> nspowner
                    UNION ALL SELECT format('%s belongs to %s', oid::regclass, relowner::regrole) FROM pg_class
                        WHERE relnamespace = to_regnamespace('muniment') AND relowner <> me
                    UNION ALL SELECT format('%s belongs to %s', oid::regprocedure, proowner::regrole) FROM pg_proc
                        WHERE pronamespace = to_regnamespace('muniment') AND proowner <> me
                ) AS found (what);
                IF problem IS NOT NULL THEN
                    RAISE EXCEPTION 'muniment: another role has made what this script makes: %', problem
                        USING HINT = 'Run this script as the role that made the tables, or drop the schema muniment if it has no log.';
                END IF;
            END $$;

            CREATE SCHEMA IF NOT EXISTS muniment;

            CREATE TABLE IF NOT EXISTS muniment.version (version bigint PRIMARY KEY);

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
            CREATE TABLE IF NOT EXISTS muniment.refusals (
                store text NOT NULL,
                number bigint NOT NULL,
                bytes bytea NOT NULL,
                hash bytea NOT NULL,
                attempt uuid NOT NULL,
                PRIMARY KEY (store, number)
            );
            -- Before anything is written: a trigger would run with the rights of this script's role.
            DO $$
            DECLARE
                problem text;
            BEGIN
                SELECT string_agg(format('the table %s has other %s', name, what), '; ') INTO problem FROM (
                    SELECT name, CASE
                        WHEN relkind <> 'r' OR relpersistence <> 'p'
                            OR EXISTS (SELECT FROM pg_inherits WHERE c.oid IN (inhrelid, inhparent))
                            THEN 'storage: it is not an ordinary, logged table'
                        WHEN columns IS DISTINCT FROM (
                            SELECT string_agg(
                                format('%s %s %s', attname, format_type(atttypid, atttypmod), attnotnull), ', ' ORDER BY attnum)
                            FROM pg_attribute WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped)
                            OR EXISTS (SELECT FROM pg_attribute WHERE attrelid = c.oid AND attnum > 0 AND (atthasdef OR attidentity <> ''
                                OR attcollation NOT IN (0, 'pg_catalog."default"'::regcollation)))
                            THEN 'columns'
                        WHEN key IS DISTINCT FROM (SELECT string_agg(pg_get_constraintdef(oid), ', ')
                            FROM pg_constraint WHERE conrelid = c.oid AND contype <> 'n')
                            OR (SELECT count(*) FROM pg_index WHERE indrelid = c.oid) <> 1
                            THEN 'keys or indexes'
                        WHEN relrowsecurity OR EXISTS (SELECT FROM pg_trigger WHERE tgrelid = c.oid)
                            OR EXISTS (SELECT FROM pg_rewrite WHERE ev_class = c.oid)
                            THEN 'triggers, rules or policies'
                        WHEN EXISTS (SELECT FROM aclexplode(relacl) WHERE grantee <> relowner AND privilege_type <> 'SELECT')
                            OR EXISTS (
                                SELECT FROM pg_attribute, aclexplode(attacl)
                                WHERE attrelid = c.oid AND privilege_type <> 'SELECT')
                            THEN 'rights: another role may change it'
                        END AS what
                    FROM (VALUES
                        ('version', 'version bigint t', 'PRIMARY KEY (version)'),
                        ('heads', 'store text t, revision bigint t, hash bytea t, refusal bigint t, refusal_hash bytea t',
                            'PRIMARY KEY (store)'),
                        ('commits', 'store text t, revision bigint t, bytes bytea t, hash bytea t, attempt uuid t',
                            'PRIMARY KEY (store, revision)'),
                        ('refusals', 'store text t, number bigint t, bytes bytea t, hash bytea t, attempt uuid t',
                            'PRIMARY KEY (store, number)')
                    ) AS expected (name, columns, key)
                    JOIN pg_class AS c ON c.relname = name AND c.relnamespace = to_regnamespace('muniment')
                ) AS found WHERE what IS NOT NULL;
                IF problem IS NOT NULL THEN
                    RAISE EXCEPTION 'muniment: the tables are not as this script makes them: %', problem
                        USING HINT = 'Undo the changes, or drop the schema muniment if it has no log.';
                END IF;
            END $$;
            ALTER TABLE muniment.commits ALTER bytes SET STORAGE EXTERNAL;
            ALTER TABLE muniment.refusals ALTER bytes SET STORAGE EXTERNAL;
            INSERT INTO muniment.version VALUES (\(version)) ON CONFLICT DO NOTHING;

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
