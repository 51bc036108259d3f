-- One role a service, with only the rights it uses; rights on tables are beside each service's functions.
-- Roles belong to the whole cluster, where another database may be migrating at this moment: who comes second finds the
-- role made. Settings are those of this database alone, so they cannot collide, and a pooler that ignores start-up
-- options still has them. Passwords are set by whoever deploys (`ALTER ROLE … PASSWORD`), never by a migration.
-- A host backend that commits jobs in its own transactions is given `GRANT md_producer TO <its role>`.
DO $$
DECLARE
    -- role, longest statement, longest open transaction that does nothing
    limits constant text[] := ARRAY[
        ['md_relay', '15s', '15s'], ['md_recorder', '15s', '15s'], ['md_coordinator', '30s', '60s'],
        ['md_gateway', '10s', '15s'], ['md_operator', '5min', '5min'], ['md_producer', '30s', '60s']];
    entry text[];
BEGIN
    FOREACH entry SLICE 1 IN ARRAY limits LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = entry[1]) THEN
            BEGIN
                EXECUTE format('CREATE ROLE %I LOGIN', entry[1]);
            EXCEPTION WHEN duplicate_object OR unique_violation THEN
                NULL;  -- made meanwhile by the migration of another database
            END;
        END IF;
        EXECUTE format('ALTER ROLE %I IN DATABASE %I SET statement_timeout = %L',
                       entry[1], current_database(), entry[2]);
        EXECUTE format('ALTER ROLE %I IN DATABASE %I SET idle_in_transaction_session_timeout = %L',
                       entry[1], current_database(), entry[3]);
        EXECUTE format('ALTER ROLE %I IN DATABASE %I SET lock_timeout = %L', entry[1], current_database(), '5s');
        -- A lost claim would use a seq twice, a lost grant an epoch: decision 2, b.2.4.
        EXECUTE format('ALTER ROLE %I IN DATABASE %I SET synchronous_commit = on', entry[1], current_database());
        IF entry[1] <> 'md_producer' THEN  -- a producer's names are its own affair
            EXECUTE format('ALTER ROLE %I IN DATABASE %I SET search_path = delivery, pg_temp',
                           entry[1], current_database());
        END IF;
        EXECUTE format('GRANT USAGE ON SCHEMA delivery TO %I', entry[1]);
    END LOOP;
END;
$$;
