-- What the device gateway does, one function a call, so that a call is one statement. Each answers with an `outcome` that
-- the gateway turns into a status and a problem type; only broken promises of the schema raise.
--
-- Locks: account, device, job, job_device, lease, token, in this order. Device and job are locked FOR KEY SHARE, which
-- waits for a revocation, cancellation, expiry or completion (they take FOR UPDATE) and for nothing else. Expiry of a
-- lease is judged by clock_timestamp() read after the lease row is locked: now() is when the transaction began, which is
-- before it waited.

-- A device's open jobs are few among all it ever had: the listing starts here.
CREATE INDEX generation_job_open_account ON delivery.generation_job (account_id, created_at, job_id)
    WHERE completed_at IS NULL AND expired_at IS NULL AND cancelled_at IS NULL;

GRANT SELECT ON delivery.account, delivery.device, delivery.device_key, delivery.push_token, delivery.generation_job,
    delivery.job_body, delivery.job_device, delivery.fanout_lease, delivery.lease_attempt, delivery.lease_event,
    delivery.downstream_submission, delivery.enrolment_ticket, delivery.route_state, delivery.push_outbox
    TO md_gateway;
GRANT INSERT ON delivery.account, delivery.device, delivery.device_key, delivery.push_token, delivery.enrolment_ticket,
    delivery.lease_attempt, delivery.lease_event, delivery.downstream_submission, delivery.downstream_ciphertext,
    delivery.audit
    TO md_gateway;
GRANT SELECT, INSERT, DELETE ON delivery.fanout_part TO md_gateway;
-- FOR UPDATE and FOR KEY SHARE need a right to update some column.
GRANT UPDATE (device_set_version) ON delivery.account TO md_gateway;
GRANT UPDATE (state, revoked_at, push_registration) ON delivery.device TO md_gateway;
GRANT UPDATE (state) ON delivery.device_key TO md_gateway;
GRANT UPDATE ON delivery.push_token, delivery.fanout_lease TO md_gateway;
GRANT UPDATE (cancelled_at) ON delivery.generation_job TO md_gateway;
GRANT UPDATE (claimed_at) ON delivery.job_device TO md_gateway;
GRANT SELECT, UPDATE (due_at, last_error) ON delivery.due TO md_gateway;
GRANT EXECUTE ON FUNCTION delivery.hasten_hints TO md_gateway;
GRANT UPDATE (consumed_at, device_id) ON delivery.enrolment_ticket TO md_gateway;

-- Devices ---------------------------------------------------------------------------------------------------------------

-- outcome: enrolled (also when the same ticket comes again with the same keys), bad_ticket, conflict
CREATE FUNCTION delivery.enrol_device(
    ticket bytea, new_device uuid, new_platform text, new_algorithm text, new_signing_key bytea, new_key_id text,
    new_public_key bytea,
    OUT outcome text, OUT account text, OUT set_version bigint
) LANGUAGE plpgsql AS $$
DECLARE
    known delivery.enrolment_ticket;
BEGIN
    -- Its account first, because commits hold the account and enrolment changes the set (K3).
    SELECT * INTO known FROM delivery.enrolment_ticket t WHERE t.ticket_digest = ticket;
    IF NOT FOUND THEN
        outcome := 'bad_ticket';
        RETURN;
    END IF;
    account := known.account_id;
    SELECT a.device_set_version INTO set_version FROM delivery.account a WHERE a.account_id = account FOR UPDATE;
    SELECT * INTO known FROM delivery.enrolment_ticket t WHERE t.ticket_digest = ticket FOR UPDATE;
    IF known.consumed_at IS NOT NULL THEN
        outcome := CASE WHEN known.device_id = new_device AND EXISTS (
            SELECT FROM delivery.device d JOIN delivery.device_key k USING (device_id)
             WHERE d.device_id = new_device AND d.state = 'active' AND d.platform = new_platform
               AND d.signing_algorithm = new_algorithm AND d.signing_key = new_signing_key
               AND k.key_id = new_key_id AND k.public_key = new_public_key) THEN 'enrolled' ELSE 'bad_ticket' END;
        RETURN;
    END IF;
    IF known.expires_at <= clock_timestamp() THEN
        outcome := 'bad_ticket';
        RETURN;
    END IF;
    INSERT INTO delivery.device (device_id, account_id, platform, signing_algorithm, signing_key)
    VALUES (new_device, account, new_platform, new_algorithm, new_signing_key)
    ON CONFLICT (device_id) DO NOTHING;
    IF NOT FOUND THEN
        outcome := 'conflict';
        RETURN;
    END IF;
    INSERT INTO delivery.device_key (device_id, key_id, public_key) VALUES (new_device, new_key_id, new_public_key);
    UPDATE delivery.enrolment_ticket t SET consumed_at = clock_timestamp(), device_id = new_device
     WHERE t.ticket_digest = ticket;
    UPDATE delivery.account a SET device_set_version = a.device_set_version + 1
     WHERE a.account_id = account RETURNING a.device_set_version INTO set_version;
    outcome := 'enrolled';
END;
$$;

-- Makes a key the one to seal to. outcome: created, same, conflict, revoked
CREATE FUNCTION delivery.put_device_key(the_device uuid, new_key_id text, new_public_key bytea, OUT outcome text)
LANGUAGE plpgsql AS $$
DECLARE
    owner text;
    known delivery.device_key;
BEGIN
    SELECT d.account_id INTO owner FROM delivery.device d WHERE d.device_id = the_device;
    PERFORM FROM delivery.account a WHERE a.account_id = owner FOR UPDATE;
    PERFORM FROM delivery.device d WHERE d.device_id = the_device AND d.state = 'active' FOR UPDATE;
    IF NOT FOUND THEN
        outcome := 'revoked';
        RETURN;
    END IF;
    SELECT * INTO known FROM delivery.device_key k WHERE k.device_id = the_device AND k.key_id = new_key_id;
    IF FOUND THEN
        -- A retired key never comes back: a delayed repetition must not undo a newer one.
        outcome := CASE WHEN known.public_key = new_public_key AND known.state = 'current' THEN 'same'
                        ELSE 'conflict' END;
        RETURN;
    END IF;
    UPDATE delivery.device_key k SET state = 'retired' WHERE k.device_id = the_device AND k.state = 'current';
    INSERT INTO delivery.device_key (device_id, key_id, public_key) VALUES (the_device, new_key_id, new_public_key);
    UPDATE delivery.account a SET device_set_version = a.device_set_version + 1 WHERE a.account_id = owner;
    outcome := 'created';
END;
$$;

-- Push tokens -----------------------------------------------------------------------------------------------------------

-- Locks the device and compares the call's number with the highest seen (K5): lower is stale, equal is a repetition.
-- NULL = go on.
CREATE FUNCTION delivery.begin_token_call(the_device uuid, number bigint, OUT outcome text, OUT highest bigint)
LANGUAGE plpgsql AS $$
DECLARE
    current_state text;
BEGIN
    SELECT d.state, d.push_registration INTO current_state, highest
      FROM delivery.device d WHERE d.device_id = the_device FOR NO KEY UPDATE;
    outcome := CASE WHEN current_state IS DISTINCT FROM 'active' THEN 'revoked'
                    WHEN number < highest THEN 'stale' WHEN number = highest THEN 'repeated' END;
END;
$$;

-- outcome: registered, stale (with the highest number seen), unknown_app, revoked
CREATE FUNCTION delivery.register_token(
    the_device uuid, number bigint, new_provider text, new_app text, new_environment text, new_kind text,
    new_sealed bytea, new_sealing_key text, new_fingerprint bytea, new_fingerprint_key text, known_fingerprints bytea[],
    OUT outcome text, OUT highest bigint
) LANGUAGE plpgsql AS $$
DECLARE
    own record;
BEGIN
    SELECT c.outcome, c.highest INTO outcome, highest FROM delivery.begin_token_call(the_device, number) c;
    IF outcome = 'repeated' THEN
        outcome := CASE WHEN EXISTS (
            SELECT FROM delivery.push_token t
             WHERE t.device_id = the_device AND t.registration = number AND t.provider = new_provider
               AND t.app = new_app AND t.environment = new_environment AND t.fingerprint = ANY (known_fingerprints)
        ) THEN 'registered' ELSE 'stale' END;
    END IF;
    IF outcome IS NOT NULL THEN
        RETURN;
    END IF;
    IF NOT EXISTS (SELECT FROM delivery.route_state r WHERE r.provider = new_provider AND r.app = new_app
                      AND r.environment = new_environment) THEN
        outcome := 'unknown_app';
        RETURN;
    END IF;
    FOR attempt IN 1..5 LOOP
        -- One phone, one owner: the same token at another device moves here. All in one order, so that two devices that
        -- swap tokens cannot wait for each other.
        PERFORM FROM delivery.push_token t
          WHERE t.state IN ('active', 'set_aside') AND t.provider = new_provider
            AND (t.device_id = the_device
                 OR (t.app = new_app AND t.environment = new_environment AND t.fingerprint = ANY (known_fingerprints)))
          ORDER BY t.token_id FOR UPDATE;
        SELECT t.token_id, t.state INTO own FROM delivery.push_token t
         WHERE t.device_id = the_device AND t.state IN ('active', 'set_aside') AND t.provider = new_provider
           AND t.app = new_app AND t.environment = new_environment AND t.fingerprint = ANY (known_fingerprints);
        UPDATE delivery.push_token t SET state = 'replaced', state_reason = NULL, state_at = clock_timestamp()
         WHERE t.state IN ('active', 'set_aside') AND t.provider = new_provider
           AND t.token_id IS DISTINCT FROM own.token_id
           AND (t.device_id = the_device
                OR (t.app = new_app AND t.environment = new_environment AND t.fingerprint = ANY (known_fingerprints)));
        BEGIN
            IF own.token_id IS NULL THEN
                INSERT INTO delivery.push_token (device_id, provider, app, environment, kind, sealed, sealing_key_id,
                                                 fingerprint, fingerprint_key_id, registration)
                VALUES (the_device, new_provider, new_app, new_environment, new_kind, new_sealed, new_sealing_key,
                        new_fingerprint, new_fingerprint_key, number);
            ELSE
                -- A new registration lifts what was set aside; what was said about the old one no longer matches.
                UPDATE delivery.push_token t
                   SET kind = new_kind, sealed = new_sealed, sealing_key_id = new_sealing_key,
                       fingerprint = new_fingerprint, fingerprint_key_id = new_fingerprint_key, registration = number,
                       registered_at = greatest(date_trunc('milliseconds', clock_timestamp()),
                                                t.registered_at + interval '1 millisecond'),
                       state = 'active', state_reason = NULL, state_at = clock_timestamp(), not_before = NULL,
                       suspected_by = NULL, suspected_at = NULL, judge_at = NULL, trials = 0, trial_until = NULL
                 WHERE t.token_id = own.token_id;
            END IF;
            IF own.state IS DISTINCT FROM 'active' THEN
                -- What waited because the old token was in doubt goes by this one now.
                PERFORM delivery.hasten_hints(ARRAY[the_device]);
            END IF;
            UPDATE delivery.device d SET push_registration = number WHERE d.device_id = the_device;
            outcome := 'registered';
            highest := number;
            RETURN;
        EXCEPTION WHEN unique_violation THEN
            NULL;  -- another device registered the same token since the look: it is visible now
        END;
    END LOOP;
    RAISE EXCEPTION 'token registration contended' USING ERRCODE = 'serialization_failure';
END;
$$;

-- outcome: detached (also when there is nothing to detach), stale, revoked
CREATE FUNCTION delivery.detach_token(
    the_device uuid, number bigint, the_provider text, OUT outcome text, OUT highest bigint
) LANGUAGE plpgsql AS $$
BEGIN
    SELECT c.outcome, c.highest INTO outcome, highest FROM delivery.begin_token_call(the_device, number) c;
    IF outcome = 'repeated' THEN
        outcome := CASE WHEN EXISTS (
            SELECT FROM delivery.push_token t WHERE t.device_id = the_device AND t.registration = number
               AND t.state IN ('active', 'set_aside')) THEN 'stale' ELSE 'detached' END;
    END IF;
    IF outcome IS NOT NULL THEN
        RETURN;
    END IF;
    UPDATE delivery.push_token t SET state = 'detached', state_reason = NULL, state_at = clock_timestamp()
     WHERE t.device_id = the_device AND t.provider = the_provider AND t.state IN ('active', 'set_aside');
    UPDATE delivery.device d SET push_registration = number WHERE d.device_id = the_device;
    outcome := 'detached';
    highest := number;
END;
$$;

-- Jobs ------------------------------------------------------------------------------------------------------------------

-- What is left of a fan-out: not_required, needed, held, done. Of no row's lock; whoever acts locks and looks again.
CREATE FUNCTION delivery.fanout_of(recipients text[], lease_state text, lease_until timestamptz) RETURNS text
LANGUAGE sql STABLE
RETURN CASE WHEN cardinality(recipients) = 0 THEN 'not_required'
            WHEN lease_state = 'held' AND lease_until > clock_timestamp() THEN 'held'
            WHEN lease_state IN ('open', 'held') THEN 'needed'
            ELSE 'done' END;

-- Whether a device may still fetch: it is not through, or fan-out is open and somebody has to be able to do it.
CREATE FUNCTION delivery.is_fetchable(device_state text, fanout text, expires_at timestamptz, ended boolean)
RETURNS boolean LANGUAGE sql STABLE
RETURN NOT ended AND expires_at > clock_timestamp()
       AND (device_state IN ('pending', 'failed') OR (device_state = 'acknowledged' AND fanout IN ('needed', 'held')));

-- Other open jobs that wait for this device, up to a hundred: more than none is all that a phone acts on.
CREATE FUNCTION delivery.pending_count(the_device uuid, but uuid) RETURNS bigint
LANGUAGE sql STABLE AS $$
    SELECT count(*) FROM (
        SELECT FROM delivery.job_device d JOIN delivery.generation_job j ON j.job_id = d.job_id
         WHERE d.device_id = the_device AND d.state = 'pending' AND d.job_id <> but
           AND j.expired_at IS NULL AND j.cancelled_at IS NULL AND j.expires_at > now()
         LIMIT 100) waiting
$$;

-- outcome: ok, revoked, not_found (unknown and not assigned alike), gone. No lock, no change: a fetch is not a claim.
CREATE FUNCTION delivery.fetch_job(the_device uuid, the_job uuid)
RETURNS TABLE (
    outcome text, document_type text, state text, fanout text, body_format smallint, body bytea, body_digest bytea,
    commitment bytea, signature bytea, signing_key_id text, key_id text, sealed_key bytea, recipients text[],
    committed_at timestamptz, expires_at timestamptz, pending_others bigint)
LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_column
DECLARE
    owner record;
BEGIN
    SELECT d.state INTO owner FROM delivery.device d WHERE d.device_id = the_device;
    IF owner.state IS DISTINCT FROM 'active' THEN
        RETURN QUERY SELECT 'revoked', NULL::text, NULL::text, NULL::text, NULL::smallint, NULL::bytea, NULL::bytea,
            NULL::bytea, NULL::bytea, NULL::text, NULL::text, NULL::bytea, NULL::text[], NULL::timestamptz,
            NULL::timestamptz, NULL::bigint;
        RETURN;
    END IF;
    RETURN QUERY
        SELECT CASE WHEN b.body IS NOT NULL AND d.sealed_key IS NOT NULL
                         AND delivery.is_fetchable(d.state, f.fanout, j.expires_at,
                             num_nonnulls(j.expired_at, j.cancelled_at) > 0)
                    THEN 'ok' ELSE 'gone' END,
               j.document_type, d.state, f.fanout, j.body_format, b.body, j.body_digest, j.commitment, j.signature,
               j.signing_key_id, d.key_id, d.sealed_key, j.recipients, j.created_at, j.expires_at,
               delivery.pending_count(the_device, the_job)
          FROM delivery.job_device d
          JOIN delivery.generation_job j ON j.job_id = d.job_id
          LEFT JOIN delivery.job_body b ON b.job_id = d.job_id
          LEFT JOIN delivery.fanout_lease l ON l.job_id = d.job_id
         CROSS JOIN LATERAL (SELECT delivery.fanout_of(j.recipients, l.state, l.expires_at) AS fanout) f
         WHERE d.job_id = the_job AND d.device_id = the_device;
    IF NOT FOUND THEN
        RETURN QUERY SELECT 'not_found', NULL::text, NULL::text, NULL::text, NULL::smallint, NULL::bytea, NULL::bytea,
            NULL::bytea, NULL::bytea, NULL::text, NULL::text, NULL::bytea, NULL::text[], NULL::timestamptz,
            NULL::timestamptz, NULL::bigint;
    END IF;
END;
$$;

-- Locks device, job and assignment in order; NULL = go on, else revoked or not_found.
CREATE FUNCTION delivery.begin_job_call(the_device uuid, the_job uuid) RETURNS text
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM delivery.device d WHERE d.device_id = the_device AND d.state = 'active' FOR KEY SHARE;
    IF NOT FOUND THEN
        RETURN 'revoked';
    END IF;
    PERFORM FROM delivery.job_device d WHERE d.job_id = the_job AND d.device_id = the_device;
    IF NOT FOUND THEN
        RETURN 'not_found';
    END IF;
    PERFORM FROM delivery.generation_job j WHERE j.job_id = the_job FOR KEY SHARE;
    RETURN NULL;
END;
$$;

-- outcome: ok, revoked, not_found, gone. The first claim's time stays.
CREATE FUNCTION delivery.claim_job(
    the_device uuid, the_job uuid, OUT outcome text, OUT state text, OUT claimed_at timestamptz, OUT fanout text
) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    job delivery.generation_job;
    lease delivery.fanout_lease;
BEGIN
    outcome := delivery.begin_job_call(the_device, the_job);
    IF outcome IS NOT NULL THEN
        RETURN;
    END IF;
    SELECT * INTO job FROM delivery.generation_job j WHERE j.job_id = the_job;
    SELECT * INTO lease FROM delivery.fanout_lease l WHERE l.job_id = the_job;
    fanout := delivery.fanout_of(job.recipients, lease.state, lease.expires_at);
    SELECT d.state, d.claimed_at INTO state, claimed_at
      FROM delivery.job_device d WHERE d.job_id = the_job AND d.device_id = the_device;
    IF NOT delivery.is_fetchable(state, fanout, job.expires_at, num_nonnulls(job.expired_at, job.cancelled_at) > 0) THEN
        outcome := 'gone';
        RETURN;
    END IF;
    IF claimed_at IS NULL THEN
        UPDATE delivery.job_device d SET claimed_at = coalesce(d.claimed_at, clock_timestamp())
         WHERE d.job_id = the_job AND d.device_id = the_device
        RETURNING d.claimed_at INTO claimed_at;
    END IF;
    outcome := 'ok';
END;
$$;

-- outcome: ok, revoked, not_found, outstanding. Asked before an ack is published; after it nobody refuses (decision 7).
CREATE FUNCTION delivery.check_ack(the_device uuid, the_job uuid, OUT outcome text)
LANGUAGE plpgsql STABLE AS $$
BEGIN
    PERFORM FROM delivery.device d WHERE d.device_id = the_device AND d.state = 'active';
    IF NOT FOUND THEN
        outcome := 'revoked';
        RETURN;
    END IF;
    PERFORM FROM delivery.job_device d WHERE d.job_id = the_job AND d.device_id = the_device;
    IF NOT FOUND THEN
        outcome := 'not_found';
        RETURN;
    END IF;
    outcome := CASE WHEN EXISTS (
        SELECT FROM delivery.fanout_lease l
         WHERE l.job_id = the_job AND l.state = 'held' AND l.holder_device = the_device
           AND l.expires_at > clock_timestamp()) THEN 'outstanding' ELSE 'ok' END;
END;
$$;

-- What waits for a device, in the order of commits: pending jobs, and acknowledged ones whose fan-out nobody does.
CREATE FUNCTION delivery.device_set(the_device uuid)
RETURNS TABLE (job_id uuid, document_type text, state text, fanout_needed boolean, committed_at timestamptz,
               expires_at timestamptz)
LANGUAGE sql STABLE AS $$
    SELECT j.job_id, j.document_type, d.state, f.fanout = 'needed', j.created_at, j.expires_at
      FROM delivery.device o
      JOIN delivery.generation_job j
        ON j.account_id = o.account_id AND j.completed_at IS NULL AND j.expired_at IS NULL AND j.cancelled_at IS NULL
      JOIN delivery.job_device d ON d.job_id = j.job_id AND d.device_id = o.device_id
      LEFT JOIN delivery.fanout_lease l ON l.job_id = j.job_id
     CROSS JOIN LATERAL (SELECT delivery.fanout_of(j.recipients, l.state, l.expires_at) AS fanout) f
     WHERE o.device_id = the_device AND j.expires_at > clock_timestamp()
       AND (d.state = 'pending' OR (d.state = 'acknowledged' AND f.fanout = 'needed'))
$$;

-- Names the whole set: a lease that ends changes it without any row of the device changing, so no counter can.
CREATE FUNCTION delivery.device_set_tag(the_device uuid) RETURNS text
LANGUAGE sql STABLE AS $$
    SELECT encode(substr(sha256(convert_to(coalesce(string_agg(
               s.job_id::text || s.state || s.fanout_needed::text, ',' ORDER BY s.committed_at, s.job_id), ''), 'UTF8')),
               1, 12), 'hex')
      FROM delivery.device_set(the_device) s
$$;

-- Of many devices at once: whoever waits for a change asks with all the others. NULL for a revoked one.
CREATE FUNCTION delivery.device_set_tags(devices uuid[]) RETURNS TABLE (device_id uuid, tag text)
LANGUAGE sql STABLE AS $$
    SELECT d.device_id, CASE WHEN d.state = 'active' THEN delivery.device_set_tag(d.device_id) END
      FROM delivery.device d WHERE d.device_id = ANY (devices)
$$;

-- One page after a position (NULL = the first). With `known_tag` equal to the set's tag: one row `unchanged`. The tag is
-- only made for a first page. outcome: listed (and no job: an empty page), unchanged, revoked
CREATE FUNCTION delivery.sync_page(
    the_device uuid, known_tag text, after_at timestamptz, after_job uuid, page integer)
RETURNS TABLE (outcome text, tag text, job_id uuid, document_type text, state text, fanout_needed boolean,
               committed_at timestamptz, expires_at timestamptz)
LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_column
DECLARE
    whole text;
BEGIN
    IF NOT EXISTS (SELECT FROM delivery.device d WHERE d.device_id = the_device AND d.state = 'active') THEN
        RETURN QUERY SELECT 'revoked', NULL::text, NULL::uuid, NULL::text, NULL::text, NULL::boolean,
            NULL::timestamptz, NULL::timestamptz;
        RETURN;
    END IF;
    IF after_at IS NULL THEN
        whole := delivery.device_set_tag(the_device);
    END IF;
    RETURN QUERY SELECT CASE WHEN whole = known_tag THEN 'unchanged' ELSE 'listed' END, whole, NULL::uuid, NULL::text,
        NULL::text, NULL::boolean, NULL::timestamptz, NULL::timestamptz;
    IF whole = known_tag THEN
        RETURN;
    END IF;
    RETURN QUERY
        SELECT 'listed', whole, s.job_id, s.document_type, s.state, s.fanout_needed, s.committed_at, s.expires_at
          FROM delivery.device_set(the_device) s
         WHERE after_at IS NULL OR (s.committed_at, s.job_id) > (after_at, after_job)
         ORDER BY s.committed_at, s.job_id
         LIMIT page;
END;
$$;
