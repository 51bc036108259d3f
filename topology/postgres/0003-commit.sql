-- What everybody's transactions share: announcing an event (decision 10) and committing a job (P1).
-- These functions run with their owner's rights, so that a producer needs nothing but EXECUTE and no service needs to
-- write `due` to announce something; hence the fixed search path and full names.

-- The share of `due` that a text belongs to: an account for hints, a job for events.
CREATE FUNCTION delivery.share_of(key text) RETURNS smallint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (hashtextextended(key, 0) & 63)::smallint;

-- Milliseconds since 1970, as instants travel in messages.
CREATE FUNCTION delivery.milliseconds(instant timestamptz) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN floor(extract(epoch FROM instant) * 1000)::bigint;

-- Writes the event and its due row of route 0; the relay publishes it after the commit. Without `message_id` the event's
-- own id is the message's. Returns the event's id.
CREATE FUNCTION delivery.announce(
    exchange text, routing_key text, type text, message_id uuid, headers jsonb, body jsonb, share smallint
) RETURNS uuid
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    event constant uuid := gen_random_uuid();
    moment constant timestamptz := now();
BEGIN
    INSERT INTO delivery.event_outbox (created_at, id, exchange, routing_key, type, message_id, headers, body)
    VALUES (moment, event, announce.exchange, announce.routing_key, announce.type,
            coalesce(announce.message_id, event), coalesce(announce.headers, '{}'),
            convert_to(announce.body::text, 'UTF8'));
    INSERT INTO delivery.due (entry, created_at, due_at, route, share)
    VALUES (event, moment, clock_timestamp(), 0, announce.share);
    RETURN event;
END;
$$;

-- Whether this database wants the events that are announced only on demand (W5):
-- ALTER DATABASE … SET mobile_delivery.announce = 'job.committed,device.acknowledged'
CREATE FUNCTION delivery.announces(event text) RETURNS boolean
LANGUAGE sql STABLE
RETURN event = ANY (string_to_array(coalesce(current_setting('mobile_delivery.announce', true), ''), ','));

-- The content key sealed to one device under the key of that id (K2).
CREATE TYPE delivery.sealed_key AS (device_id uuid, key_id text, sealed bytea);

-- The active devices of an account with the key to seal to and the version of the set; MD007 for an unknown account.
CREATE FUNCTION delivery.account_devices(account text)
RETURNS TABLE (device_id uuid, key_id text, public_key bytea, device_set_version bigint)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    IF NOT EXISTS (SELECT FROM delivery.account a WHERE a.account_id = account_devices.account) THEN
        RAISE EXCEPTION 'unknown account' USING ERRCODE = 'MD007';
    END IF;
    RETURN QUERY
        SELECT d.device_id, k.key_id, k.public_key, a.device_set_version
          FROM delivery.account a
          JOIN delivery.device d ON d.account_id = a.account_id AND d.state = 'active'
          JOIN delivery.device_key k ON k.device_id = d.device_id AND k.state = 'current'
         WHERE a.account_id = account_devices.account
         ORDER BY d.device_id;
END;
$$;

-- What is wrong with arguments by themselves, before any row is read; raises the SQLSTATE of topology/README.md. Part of
-- commit_job, whose search path holds here too.
CREATE FUNCTION delivery.check_commit(
    document_type text, body bytea, body_digest bytea, commitment bytea, signature bytea, signing_key_id text,
    sealed_keys delivery.sealed_key[], recipients text[], lifetime interval, traceparent text
) RETURNS void
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    recipient text;
    named text[] := '{}';
    sealed delivery.sealed_key;
    devices uuid[] := '{}';
    is_valid boolean;
BEGIN
    IF document_type IS NULL OR document_type NOT IN ('RECEIPT', 'CREDIT_NOTE') THEN
        RAISE EXCEPTION 'unknown document type' USING ERRCODE = 'MD003', HINT = 'RECEIPT or CREDIT_NOTE';
    END IF;
    IF octet_length(body) > 262144 THEN
        RAISE EXCEPTION 'body of % bytes is too large', octet_length(body)
            USING ERRCODE = 'MD004', HINT = 'at most 262144 bytes';
    END IF;
    IF cardinality(sealed_keys) > 32 THEN
        RAISE EXCEPTION '% devices are too many', cardinality(sealed_keys)
            USING ERRCODE = 'MD005', HINT = 'at most 32 devices';
    END IF;
    FOREACH recipient IN ARRAY recipients LOOP
        IF recipient IS NULL OR recipient !~ '^[A-Za-z0-9_-]{1,128}$' THEN
            RAISE EXCEPTION 'malformed recipient'
                USING ERRCODE = 'MD006', HINT = 'letters, digits, "_" and "-", 1 to 128 of them';
        END IF;
        IF recipient = ANY (named) THEN
            RAISE EXCEPTION 'recipient named twice' USING ERRCODE = 'MD006';
        END IF;
        named := named || recipient;
    END LOOP;
    IF cardinality(recipients) > 64 THEN
        RAISE EXCEPTION 'too many recipients' USING ERRCODE = 'MD006', HINT = 'at most 64';
    END IF;
    IF lifetime IS NULL OR lifetime NOT BETWEEN interval '1 minute' AND interval '90 days' THEN
        RAISE EXCEPTION 'lifetime out of range' USING ERRCODE = 'MD008', HINT = '1 minute to 90 days';
    END IF;
    is_valid := octet_length(body) > 0 AND octet_length(body_digest) = 32 AND octet_length(commitment) = 32
        AND octet_length(signature) = 64 AND signing_key_id ~ '^[A-Za-z0-9_.-]{1,64}$'
        AND octet_length(coalesce(traceparent, '')) <= 128;
    FOREACH sealed IN ARRAY sealed_keys LOOP
        EXIT WHEN is_valid IS NOT TRUE;
        is_valid := sealed.device_id <> ALL (devices) AND sealed.key_id IS NOT NULL
            AND octet_length(sealed.sealed) BETWEEN 1 AND 1024;
        devices := devices || sealed.device_id;
    END LOOP;
    IF is_valid IS NOT TRUE THEN
        RAISE EXCEPTION 'malformed argument'
            USING ERRCODE = 'MD009',
                  HINT = 'body not empty; digest and commitment 32 bytes, signature 64; key id 1 to 64 letters, '
                         'digits, "_.-"; traceparent at most 128 bytes; each device once, sealed key 1 to 1024 bytes';
    END IF;
END;
$$;

-- What an attempted set differs by from the account's: device ids that are missing, extra, or sealed to an old key.
CREATE FUNCTION delivery.device_set_difference(account text, sealed_keys delivery.sealed_key[])
RETURNS TABLE (missing uuid[], extra uuid[], outdated uuid[])
LANGUAGE sql STABLE AS $$
    SELECT coalesce(array_agg(d.device_id ORDER BY d.device_id) FILTER (WHERE k.device_id IS NULL), '{}'),
           coalesce(array_agg(k.device_id ORDER BY k.device_id) FILTER (WHERE d.device_id IS NULL), '{}'),
           coalesce(array_agg(d.device_id ORDER BY d.device_id) FILTER (WHERE k.key_id <> d.key_id), '{}')
      FROM (SELECT d.device_id, c.key_id
              FROM delivery.device d
              JOIN delivery.device_key c ON c.device_id = d.device_id AND c.state = 'current'
             WHERE d.account_id = device_set_difference.account AND d.state = 'active') d
      FULL JOIN unnest(sealed_keys) k ON k.device_id = d.device_id
$$;

-- P1. Idempotent: the same id, digest, account and document type again change nothing, also when the device set has moved
-- on meanwhile. Holds the account FOR SHARE, so commits never wait for each other.
CREATE FUNCTION delivery.commit_job(
    job_id uuid, account_id text, document_type text, body bytea, body_format smallint, body_digest bytea,
    commitment bytea, signature bytea, signing_key_id text, device_set_version bigint,
    sealed_keys delivery.sealed_key[], recipients text[], lifetime interval DEFAULT interval '30 days',
    traceparent text DEFAULT NULL
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
DECLARE
    moment constant timestamptz := now();
    keys constant delivery.sealed_key[] := coalesce(commit_job.sealed_keys, '{}');
    named constant text[] := coalesce(commit_job.recipients, '{}');
    current_version bigint;
    active integer;
    matching integer;
    known record;
BEGIN
    IF commit_job.job_id IS NULL OR commit_job.body_format IS NULL THEN
        RAISE EXCEPTION 'malformed argument' USING ERRCODE = 'MD009', HINT = 'job id and body format are needed';
    END IF;
    -- An id that grows with time would tell a provider when and after which a job was committed.
    IF substr(commit_job.job_id::text, 15, 1) <> '4' OR substr(commit_job.job_id::text, 20, 1) NOT IN ('8', '9', 'a', 'b') THEN
        RAISE EXCEPTION 'malformed argument' USING ERRCODE = 'MD009', HINT = 'a job id is a random UUID (version 4)';
    END IF;
    -- A repetition is answered before anything that may have changed since is looked at.
    SELECT body_digest = commit_job.body_digest AND account_id = commit_job.account_id
           AND document_type = commit_job.document_type AS same
      INTO known FROM delivery.generation_job WHERE job_id = commit_job.job_id;
    IF known.same THEN
        RETURN;
    ELSIF known IS NOT NULL THEN
        RAISE EXCEPTION 'job exists with another content' USING ERRCODE = 'MD001';
    END IF;
    PERFORM delivery.check_commit(
        commit_job.document_type, commit_job.body, commit_job.body_digest, commit_job.commitment, commit_job.signature,
        commit_job.signing_key_id, keys, named, commit_job.lifetime, commit_job.traceparent);

    -- Enrolment and revocation take the account FOR UPDATE before they touch a device (K3).
    SELECT device_set_version INTO current_version
      FROM delivery.account WHERE account_id = commit_job.account_id FOR SHARE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'unknown account' USING ERRCODE = 'MD007';
    END IF;
    SELECT count(*), count(k.device_id) INTO active, matching
      FROM delivery.device d
      JOIN delivery.device_key c ON c.device_id = d.device_id AND c.state = 'current'
      LEFT JOIN unnest(keys) k ON k.device_id = d.device_id AND k.key_id = c.key_id
     WHERE d.account_id = commit_job.account_id AND d.state = 'active';
    IF commit_job.device_set_version IS DISTINCT FROM current_version
       OR matching <> active OR matching <> cardinality(keys) THEN
        RAISE EXCEPTION 'stale device set'
            USING ERRCODE = 'MD002',
                  DETAIL = (SELECT jsonb_build_object('version', current_version, 'missing', d.missing,
                                                      'extra', d.extra, 'outdated', d.outdated)::text
                              FROM delivery.device_set_difference(commit_job.account_id, keys) d);
    END IF;
    IF cardinality(keys) = 0 THEN
        RAISE EXCEPTION 'account has no active device' USING ERRCODE = 'MD010';
    END IF;

    INSERT INTO delivery.generation_job
           (job_id, account_id, document_type, body_format, body_digest, commitment, signature, signing_key_id,
            device_set_version, recipients, created_at, expires_at, traceparent)
    VALUES (commit_job.job_id, commit_job.account_id, commit_job.document_type, commit_job.body_format,
            commit_job.body_digest, commit_job.commitment, commit_job.signature, commit_job.signing_key_id,
            commit_job.device_set_version, named, moment, moment + commit_job.lifetime, commit_job.traceparent)
    ON CONFLICT (job_id) DO NOTHING;
    IF NOT FOUND THEN  -- another session committed this id since the first look
        IF EXISTS (SELECT FROM delivery.generation_job
                    WHERE job_id = commit_job.job_id AND body_digest = commit_job.body_digest
                      AND account_id = commit_job.account_id AND document_type = commit_job.document_type) THEN
            RETURN;
        END IF;
        RAISE EXCEPTION 'job exists with another content' USING ERRCODE = 'MD001';
    END IF;
    INSERT INTO delivery.job_body (job_id, body) VALUES (commit_job.job_id, commit_job.body);

    WITH hint AS MATERIALIZED (
        -- A device's hint goes by its active token, else by the one set aside; without one, or without a route for it,
        -- the entry is finished before it began and foreground sync delivers.
        SELECT k.device_id, k.key_id, k.sealed, gen_random_uuid() AS entry, r.route
          FROM unnest(keys) k
          LEFT JOIN LATERAL (
               SELECT s.route
                 FROM delivery.push_token t
                 JOIN delivery.route_state s
                   ON s.provider = t.provider AND s.environment = t.environment AND s.app = t.app
                WHERE t.device_id = k.device_id AND t.state IN ('active', 'set_aside')
                ORDER BY t.state, t.registered_at DESC
                LIMIT 1) r ON true
    ), device_row AS (
        INSERT INTO delivery.job_device (job_id, device_id, key_id, sealed_key, entry, entry_created_at)
        SELECT commit_job.job_id, device_id, key_id, sealed, entry, moment FROM hint
    ), entry_row AS (
        INSERT INTO delivery.push_outbox (created_at, id, job_id, device_id, state, finished_at)
        SELECT moment, entry, commit_job.job_id, device_id,
               CASE WHEN route IS NULL THEN 'no_token' ELSE 'pending' END, CASE WHEN route IS NULL THEN moment END
          FROM hint
    )
    INSERT INTO delivery.due (entry, created_at, due_at, route, share)
    SELECT entry, moment, clock_timestamp(), route, delivery.share_of(commit_job.account_id)
      FROM hint WHERE route IS NOT NULL;

    IF cardinality(named) > 0 THEN
        INSERT INTO delivery.fanout_lease (job_id) VALUES (commit_job.job_id);
    END IF;
    IF delivery.announces('job.committed') THEN
        PERFORM delivery.announce('events', 'job.committed', 'job.committed.v1', NULL,
            jsonb_strip_nulls(jsonb_build_object('traceparent', commit_job.traceparent)),
            jsonb_build_object('version', 1, 'job', commit_job.job_id, 'account', commit_job.account_id,
                               'at', delivery.milliseconds(moment)),
            delivery.share_of(commit_job.job_id::text));
    END IF;
END;
$$;

REVOKE EXECUTE ON FUNCTION delivery.announce, delivery.commit_job, delivery.account_devices,
    delivery.device_set_difference, delivery.check_commit FROM PUBLIC;
GRANT EXECUTE ON FUNCTION delivery.commit_job, delivery.account_devices TO md_producer, md_gateway;
GRANT EXECUTE ON FUNCTION delivery.announce TO md_relay, md_recorder, md_coordinator, md_gateway, md_operator;
