-- What the recorder writes: acks, outcomes, dead letters, and the judgement of tokens. Each call is one transaction over a
-- batch and may be repeated: what was applied finds nothing the second time. Lock order everywhere: device, job,
-- job_device, lease, token, due (by id), then push_outbox, event rows, and last route_state and route_window. Functions
-- that look up a batch plan for its real size (a generic plan takes ten elements for any array and compares all with all)
-- and never read whole tables: statistics of `due` are wrong most of the time.

GRANT SELECT ON delivery.device, delivery.generation_job, delivery.job_device, delivery.push_token, delivery.push_outbox,
    delivery.due, delivery.dead_letter, delivery.route_state, delivery.route_window TO md_recorder;
GRANT UPDATE (state, finished_at, origin, evidence, failure_reason, late_ack_at) ON delivery.job_device TO md_recorder;
GRANT UPDATE (state, reason, seq, life, failures, silences, crashes, disputes, provider_id, finished_at)
    ON delivery.push_outbox TO md_recorder;
GRANT UPDATE (due_at, first_failed_at, lease_until, published_at, lease_token, lease_owner, life, failures, disputes,
              last_error), DELETE ON delivery.due TO md_recorder;
GRANT INSERT, UPDATE (repeats, state, state_at) ON delivery.dead_letter TO md_recorder;
GRANT UPDATE (seen_paused, seen_reason, seen_since, seen_probe_at, seen_instance) ON delivery.route_state TO md_recorder;
GRANT INSERT, UPDATE, DELETE ON delivery.route_window TO md_recorder;

-- Until when hints may go out for a set-aside token, as a trial.
ALTER TABLE delivery.push_token ADD COLUMN IF NOT EXISTS trial_until timestamptz;
GRANT UPDATE (state, state_reason, state_at, not_before, suspected_by, suspected_at, judge_at, trials, trial_until)
    ON delivery.push_token TO md_recorder;

-- Locks jobs in the order of their ids. With its owner's rights, because a lock needs a right to change something.
CREATE FUNCTION delivery.lock_jobs(jobs uuid[]) RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT FROM delivery.generation_job WHERE job_id = ANY (jobs) ORDER BY job_id FOR UPDATE
$$;

-- Instants travel as whole milliseconds.
CREATE FUNCTION delivery.from_milliseconds(milliseconds bigint) RETURNS timestamptz
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN timestamptz 'epoch' + milliseconds * interval '1 millisecond';

-- Entries -------------------------------------------------------------------------------------------------------------

-- Ends hints whose due rows the caller has locked: seq, life and counters move to the history row. Returns how many.
CREATE FUNCTION delivery.end_hints(due_ids bigint[], final_state text, final_reason text) RETURNS integer
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET enable_seqscan = off SET plan_cache_mode = force_custom_plan AS $$
DECLARE
    ended integer;
BEGIN
    WITH gone AS (
        DELETE FROM delivery.due WHERE id = ANY (due_ids)
        RETURNING entry, created_at, seq, life, failures, silences, crashes, disputes
    )
    UPDATE delivery.push_outbox p
       SET state = final_state, reason = final_reason, finished_at = clock_timestamp(), seq = g.seq, life = g.life,
           failures = g.failures, silences = g.silences, crashes = g.crashes, disputes = g.disputes
      FROM gone g WHERE p.created_at = g.created_at AND p.id = g.entry AND p.state = 'pending';
    GET DIAGNOSTICS ended = ROW_COUNT;
    RETURN ended;
END;
$$;

-- Ends one locked hint as failed and announces its dead letter, which the relay publishes after the commit (decision 10).
CREATE FUNCTION delivery.fail_hint(due_id bigint, why text, status integer, said text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    hint record;
BEGIN
    SELECT d.entry, d.seq, d.life, d.failures, d.first_failed_at, p.job_id, p.device_id, r.provider, r.environment, r.app,
           j.traceparent
      INTO hint
      FROM delivery.due d
      JOIN delivery.push_outbox p ON p.created_at = d.created_at AND p.id = d.entry
      JOIN delivery.route_state r ON r.route = d.route
      JOIN delivery.generation_job j ON j.job_id = p.job_id
     WHERE d.id = due_id;
    PERFORM delivery.end_hints(ARRAY[due_id], 'failed', why);
    PERFORM delivery.announce(
        'dead', format('hints.%s.dead', hint.provider), 'hint.dead.v1', hint.entry,
        jsonb_strip_nulls(jsonb_build_object(
            'md-seq', hint.seq, 'md-life', hint.life, 'md-reason', why, 'md-status', status,
            'md-failures', hint.failures, 'md-first-failed', delivery.milliseconds(hint.first_failed_at),
            'md-last-failed', delivery.milliseconds(clock_timestamp()), 'md-exchange', 'hints',
            'md-key', concat_ws('.', 'hints', hint.provider, nullif(hint.environment, ''), hint.app),
            'traceparent', hint.traceparent)),
        jsonb_strip_nulls(jsonb_build_object(
            'version', 1, 'entry', hint.entry, 'seq', hint.seq, 'life', hint.life, 'job', hint.job_id,
            'device', hint.device_id, 'provider', hint.provider, 'environment', hint.environment, 'app', hint.app,
            'reason', left(why, 128), 'status', status, 'failures', hint.failures, 'detail', said)),
        delivery.share_of(hint.job_id::text));
END;
$$;

-- The locked hint waits until then, without a lease; its lease, if any, is over.
CREATE FUNCTION delivery.defer_hint(due_id bigint, until timestamptz, said text) RETURNS void
LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
    UPDATE delivery.due
       SET due_at = until, last_error = left(said, 128), lease_token = NULL, lease_owner = NULL, lease_until = NULL,
           published_at = NULL
     WHERE id = due_id
$$;

-- The locked hint goes on with the device's newer token: another life, due at once.
CREATE FUNCTION delivery.revive_hint(due_id bigint) RETURNS void
LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
    UPDATE delivery.due
       SET life = life + 1, disputes = 0, due_at = clock_timestamp(), last_error = NULL, lease_token = NULL,
           lease_owner = NULL, lease_until = NULL, published_at = NULL
     WHERE id = due_id
$$;

-- Acks ----------------------------------------------------------------------------------------------------------------

-- Device acks and nacks (states.md (d)): states only rise, pending < failed < acknowledged; an ack that comes after the
-- end of its row by expiry, cancellation or revocation is noted. The hint of a device that is done is superseded. Several
-- of one job and device in a batch count as the strongest.
CREATE FUNCTION delivery.record_acks(
    jobs uuid[], devices uuid[], results text[], origins text[], evidences bytea[], reasons text[]
) RETURNS TABLE (acknowledged integer, failed integer, late integer, unchanged integer, unknown integer, completed integer)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET enable_seqscan = off SET plan_cache_mode = force_custom_plan AS $$
#variable_conflict use_column
DECLARE
    moment timestamptz;
    left_pending uuid[];
    hints bigint[];
    pairs integer;
BEGIN
    PERFORM delivery.lock_jobs(jobs);
    PERFORM FROM delivery.job_device d JOIN unnest(jobs, devices) u (job_id, device_id) USING (job_id, device_id)
      ORDER BY d.job_id, d.device_id FOR UPDATE OF d;
    moment := clock_timestamp();

    WITH told AS MATERIALIZED (
        SELECT DISTINCT ON (u.job_id, u.device_id) u.*
          FROM unnest(jobs, devices, results, origins, evidences, reasons) WITH ORDINALITY
               u (job_id, device_id, result, origin, evidence, reason, n)
         ORDER BY u.job_id, u.device_id, u.result <> 'acknowledged', u.n
    ), before AS MATERIALIZED (
        SELECT t.*, d.state FROM told t LEFT JOIN delivery.job_device d USING (job_id, device_id)
    ), risen AS (
        UPDATE delivery.job_device d
           SET state = b.result, finished_at = moment, origin = b.origin, evidence = b.evidence,
               failure_reason = CASE WHEN b.result = 'failed' THEN coalesce(b.reason, 'unspecified')
                                     ELSE d.failure_reason END
          FROM before b
         WHERE d.job_id = b.job_id AND d.device_id = b.device_id
           AND (b.state = 'pending' OR (b.state = 'failed' AND b.result = 'acknowledged'))
        RETURNING d.job_id, d.device_id, b.state AS old, d.state AS new, d.failure_reason
    ), noted AS (
        UPDATE delivery.job_device d SET late_ack_at = moment
          FROM before b
         WHERE d.job_id = b.job_id AND d.device_id = b.device_id AND b.result = 'acknowledged'
           AND b.state IN ('expired', 'cancelled', 'revoked') AND d.late_ack_at IS NULL
        RETURNING 1
    ), announced AS (
        SELECT delivery.announce('events', e.type, e.type || '.v1', NULL,
                   jsonb_strip_nulls(jsonb_build_object('traceparent', j.traceparent)),
                   jsonb_strip_nulls(jsonb_build_object('version', 1, 'job', r.job_id, 'account', j.account_id,
                       'device', r.device_id, 'at', delivery.milliseconds(moment),
                       'reason', CASE WHEN r.new = 'failed' THEN r.failure_reason END)),
                   delivery.share_of(r.job_id::text)) AS event
          FROM risen r
          JOIN delivery.generation_job j USING (job_id)
          CROSS JOIN LATERAL (SELECT CASE r.new WHEN 'failed' THEN 'device.failed' ELSE 'device.acknowledged' END) e (type)
         WHERE r.new = 'failed' OR delivery.announces('device.acknowledged')
    )
    SELECT count(*) FILTER (WHERE r.new = 'acknowledged'), count(*) FILTER (WHERE r.new = 'failed'),
           (SELECT count(*) FROM noted), (SELECT count(*) FROM before WHERE state IS NULL), (SELECT count(*) FROM told),
           coalesce(array_agg(r.job_id) FILTER (WHERE r.old = 'pending'), '{}')
      INTO acknowledged, failed, late, unknown, pairs, left_pending
      FROM risen r WHERE (SELECT count(event) FROM announced) >= 0;  -- the reference makes the announcements run
    unchanged := pairs - acknowledged - failed - late - unknown;

    -- Also of rows that were final before: a hint that a replay revived is superseded now.
    SELECT array_agg(l.id) INTO hints FROM (
        SELECT due.id
          FROM unnest(jobs, devices) u (job_id, device_id)
          JOIN delivery.job_device d USING (job_id, device_id)
          JOIN delivery.due ON due.entry = d.entry
         WHERE d.state IN ('acknowledged', 'failed') AND due.route > 0
         ORDER BY due.id FOR UPDATE OF due) l;
    IF hints IS NOT NULL THEN
        PERFORM delivery.end_hints(hints, 'superseded', NULL);
    END IF;
    completed := 0;
    IF cardinality(left_pending) > 0 THEN
        completed := cardinality(delivery.try_complete(left_pending));
    END IF;
    RETURN NEXT;
END;
$$;

-- What routes answered --------------------------------------------------------------------------------------------------

-- Counts answers by route, sender instance and stretch of time (of `width`); token judgement reads the sums.
CREATE FUNCTION delivery.note_answers(routes smallint[], instances text[], kinds text[], width interval) RETURNS void
LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
    INSERT INTO delivery.route_window AS w (route, instance, minute, answers, acceptances, suspicions)
    SELECT u.route, u.instance, date_bin(width, clock_timestamp(), timestamptz 'epoch'), count(*),
           count(*) FILTER (WHERE u.kind = 'accepted'), count(*) FILTER (WHERE u.kind = 'token_suspect')
      FROM unnest(routes, instances, kinds) u (route, instance, kind)
     WHERE u.kind IN ('accepted', 'deferred', 'token_suspect', 'token_dead')
     GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
    ON CONFLICT (route, instance, minute) DO UPDATE
       SET answers = w.answers + excluded.answers, acceptances = w.acceptances + excluded.acceptances,
           suspicions = w.suspicions + excluded.suspicions
$$;

-- Takes every set-aside token of the routes back into use and makes what waits for them due at once.
CREATE FUNCTION delivery.lift_tokens(lifted_routes smallint[]) RETURNS integer
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    tokens bigint[];
    their_devices uuid[];
BEGIN
    SELECT array_agg(l.token_id), array_agg(l.device_id) INTO tokens, their_devices FROM (
        SELECT t.token_id, t.device_id
          FROM delivery.push_token t JOIN delivery.route_state r USING (provider, environment, app)
         WHERE t.state = 'set_aside' AND r.route = ANY (lifted_routes) ORDER BY t.token_id FOR UPDATE OF t) l;
    IF tokens IS NULL THEN
        RETURN 0;
    END IF;
    UPDATE delivery.push_token
       SET state = 'active', state_reason = 'lifted', state_at = clock_timestamp(), suspected_by = NULL,
           suspected_at = NULL, judge_at = NULL, trials = 0, trial_until = NULL
     WHERE token_id = ANY (tokens);
    PERFORM delivery.hasten_hints(their_devices);
    RETURN cardinality(tokens);
END;
$$;

-- Whatever waits for those devices is due now, unless it is with the broker or a sender.
CREATE FUNCTION delivery.hasten_hints(of_devices uuid[]) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET enable_seqscan = off SET plan_cache_mode = force_custom_plan AS $$
DECLARE
    hints bigint[];
BEGIN
    SELECT array_agg(l.id) INTO hints FROM (
        SELECT due.id FROM delivery.job_device d JOIN delivery.due ON due.entry = d.entry
         WHERE d.device_id = ANY (of_devices) AND d.state = 'pending' AND due.lease_token IS NULL
         ORDER BY due.id FOR UPDATE OF due) l;
    UPDATE delivery.due SET due_at = clock_timestamp(), last_error = NULL
     WHERE id = ANY (hints) AND lease_token IS NULL AND due_at > clock_timestamp();
END;
$$;

-- Outcomes ------------------------------------------------------------------------------------------------------------

-- `accepted` of any seq of an entry's current life ends it. One that belongs to a set-aside token proves that the tokens
-- are good: it lifts all of the route. A remembered one proves nothing new.
CREATE FUNCTION delivery.record_accepted(
    routes smallint[], instances text[], entries uuid[], lives integer[], devices uuid[], fingerprints bytea[],
    registered bigint[], provider_ids text[], remembered boolean[], window_width interval
) RETURNS TABLE (applied integer, lifted integer)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET enable_seqscan = off SET plan_cache_mode = force_custom_plan AS $$
#variable_conflict use_column
DECLARE
    hints bigint[];
    names text[];
    good smallint[];
    fresh smallint[];
BEGIN
    lifted := 0;
    IF EXISTS (SELECT FROM delivery.push_token WHERE state = 'set_aside') THEN
        SELECT array_agg(DISTINCT u.route) INTO good
          FROM unnest(routes, devices, fingerprints, registered, remembered) u (route, device_id, fingerprint, at, old)
          JOIN delivery.route_state r USING (route)
          JOIN delivery.push_token t USING (provider, environment, app, fingerprint, device_id)
         WHERE t.state = 'set_aside' AND t.registered_at = delivery.from_milliseconds(u.at) AND NOT u.old;
        IF good IS NOT NULL THEN
            lifted := delivery.lift_tokens(good);
        END IF;
    END IF;

    SELECT array_agg(l.id), array_agg(l.provider_id) INTO hints, names FROM (
        SELECT d.id, u.provider_id
          FROM delivery.due d
          JOIN unnest(entries, lives, provider_ids) WITH ORDINALITY u (entry, life, provider_id, n) USING (entry)
         -- Said twice: with the statistics of an empty table every row would be compared with each of the list.
         WHERE d.entry = ANY (entries) AND d.life = u.life AND d.route > 0
         ORDER BY d.id, u.n DESC FOR UPDATE OF d) l;
    -- `hints` ascends, so that `width_bucket` finds a row's name (of two, the one said first): a join with the list was
    -- seen to compare each row with all of it.
    WITH gone AS (
        DELETE FROM delivery.due WHERE id = ANY (hints)
        RETURNING id, entry, created_at, seq, life, failures, silences, crashes, disputes
    )
    UPDATE delivery.push_outbox p
       SET state = 'accepted', provider_id = names[width_bucket(g.id, hints)], finished_at = clock_timestamp(),
           seq = g.seq, life = g.life, failures = g.failures, silences = g.silences, crashes = g.crashes,
           disputes = g.disputes
      FROM gone g
     WHERE p.created_at = g.created_at AND p.id = g.entry AND p.state = 'pending';
    GET DIAGNOSTICS applied = ROW_COUNT;

    SELECT coalesce(array_agg(u.route), '{}') INTO fresh FROM unnest(routes, remembered) u (route, old) WHERE NOT u.old;
    UPDATE delivery.route_state
       SET seen_paused = false, seen_reason = NULL, seen_since = clock_timestamp()
     WHERE route = ANY (fresh) AND seen_paused;
    PERFORM delivery.note_answers(
        u.routes, u.instances, array_fill('accepted'::text, ARRAY[cardinality(u.routes)]), window_width)
      FROM (SELECT array_agg(o.route) AS routes, array_agg(o.instance) AS instances
              FROM unnest(routes, instances, remembered) o (route, instance, old) WHERE NOT o.old) u
     WHERE u.routes IS NOT NULL;
    RETURN NEXT;
END;
$$;

-- Every other kind of outcome (states.md (b)), all by compare-and-set on entry and seq, and only while the entry has the
-- lease of that seq: a repeated message charges nothing again. What waits how long was decided outside: `waits` for
-- outcomes that are not charged, `backoffs` (`steps` for each outcome, by the failures before it) for those that are.
CREATE FUNCTION delivery.record_refused(
    routes smallint[], instances text[], entries uuid[], seqs integer[], kinds text[], devices uuid[],
    fingerprints bytea[], registered bigint[], statuses integer[], reasons text[], scopes text[], floors interval[],
    provider_times bigint[], probes boolean[], waits interval[], backoffs interval[], steps integer,
    budget_failures integer, budget_span interval, judge_after interval, most_disputes integer, window_width interval
) RETURNS TABLE (applied integer, failed integer, cleared integer, set_aside integer)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET enable_seqscan = off SET plan_cache_mode = force_custom_plan AS $$
#variable_conflict use_column
DECLARE
    o record;
    token record;
    said text;
    charged boolean;
    pause record;
BEGIN
    applied := 0; failed := 0;
    SELECT j.cleared, j.set_aside INTO cleared, set_aside
      FROM delivery.report_tokens(routes, instances, entries, kinds, devices, fingerprints, registered, reasons, scopes,
                                  floors, provider_times, judge_after) j;

    PERFORM FROM delivery.due d JOIN unnest(entries, seqs) u (entry, seq) USING (entry)
      WHERE d.entry = ANY (entries) AND d.seq = u.seq AND d.route > 0 ORDER BY d.id FOR UPDATE OF d;
    FOR o IN
        SELECT DISTINCT ON (d.id) d.id, d.failures, d.disputes, d.first_failed_at, u.*, g.expires_at
          FROM unnest(entries, seqs, kinds, devices, fingerprints, registered, statuses, reasons, waits) WITH ORDINALITY
               u (entry, seq, kind, device_id, fingerprint, registered_at, status, reason, wait, n)
          JOIN delivery.due d ON d.entry = u.entry AND d.seq = u.seq
          JOIN delivery.push_outbox p ON p.created_at = d.created_at AND p.id = d.entry
          JOIN delivery.generation_job g ON g.job_id = p.job_id
         WHERE d.entry = ANY (entries) AND d.lease_token IS NOT NULL AND d.route > 0
         ORDER BY d.id, u.n
    LOOP
        applied := applied + 1;
        said := concat_ws(' ', o.kind, o.status, o.reason);
        charged := o.kind IN ('deferred', 'ambiguous');
        IF o.kind IN ('token_suspect', 'token_dead') THEN
            SELECT t.state, t.judge_at,
                   t.fingerprint = o.fingerprint AND t.registered_at = delivery.from_milliseconds(o.registered_at) AS same
              INTO token
              FROM delivery.push_token t
             WHERE t.device_id = o.device_id AND t.state IN ('active', 'set_aside')
             ORDER BY same DESC, t.state, t.registered_at DESC LIMIT 1;
            IF token.same IS NULL AND o.kind = 'token_dead' THEN
                PERFORM delivery.fail_hint(o.id, 'token', o.status, o.reason);
                failed := failed + 1;
                CONTINUE;
            ELSIF token.same IS NULL THEN
                -- The token went away for another reason; the relay finds that the device has none.
                PERFORM delivery.defer_hint(o.id, clock_timestamp(), said);
                CONTINUE;
            ELSIF NOT token.same THEN
                PERFORM delivery.revive_hint(o.id);
                CONTINUE;
            ELSIF o.kind = 'token_suspect' THEN
                PERFORM delivery.defer_hint(o.id, least(coalesce(token.judge_at, clock_timestamp()), o.expires_at),
                                            'token_suspect:' || encode(o.fingerprint, 'hex'));
                CONTINUE;
            ELSIF o.disputes + 1 >= most_disputes THEN  -- dead, says the provider, but not since this registration
                UPDATE delivery.due SET disputes = disputes + 1, failures = failures + 1,
                                        first_failed_at = coalesce(first_failed_at, clock_timestamp())
                 WHERE id = o.id;
                PERFORM delivery.fail_hint(o.id, 'token_disputed', o.status, o.reason);
                failed := failed + 1;
                CONTINUE;
            END IF;
            UPDATE delivery.due SET disputes = disputes + 1 WHERE id = o.id;
            charged := true;
        END IF;
        IF NOT charged THEN
            PERFORM delivery.defer_hint(o.id, least(clock_timestamp() + o.wait, o.expires_at), said);
            CONTINUE;
        END IF;
        UPDATE delivery.due SET failures = failures + 1, first_failed_at = coalesce(first_failed_at, clock_timestamp())
         WHERE id = o.id;
        IF o.failures + 1 >= budget_failures AND o.first_failed_at <= clock_timestamp() - budget_span THEN
            PERFORM delivery.fail_hint(o.id, 'exhausted', o.status, said);
            failed := failed + 1;
        ELSE
            PERFORM delivery.defer_hint(
                o.id,
                least(clock_timestamp() + backoffs[(o.n - 1) * steps + least(o.failures::integer, steps - 1) + 1],
                      o.expires_at), said);
        END IF;
    END LOOP;

    -- For display only; the last word of the batch counts.
    FOR pause IN
        SELECT DISTINCT ON (u.route) u.* FROM unnest(routes, instances, kinds, reasons, probes) WITH ORDINALITY
               u (route, instance, kind, reason, probe, n)
         WHERE u.kind = 'returned_paused' ORDER BY u.route, u.n DESC
    LOOP
        UPDATE delivery.route_state r
           SET seen_since = CASE WHEN r.seen_paused THEN r.seen_since ELSE clock_timestamp() END, seen_paused = true,
               seen_reason = pause.reason, seen_instance = pause.instance,
               seen_probe_at = CASE WHEN pause.probe THEN clock_timestamp() ELSE r.seen_probe_at END
         WHERE r.route = pause.route
           AND (NOT r.seen_paused OR pause.probe OR r.seen_reason IS DISTINCT FROM pause.reason);
    END LOOP;
    PERFORM delivery.note_answers(routes, instances, kinds, window_width);
    RETURN NEXT;
END;
$$;

-- Tokens --------------------------------------------------------------------------------------------------------------

-- What outcomes say of tokens, whether or not their entry still waits for them. Only a token with the fingerprint and
-- registration that the message carried is touched, and for APNs only if the provider's time is later.
CREATE FUNCTION delivery.report_tokens(
    routes smallint[], instances text[], entries uuid[], kinds text[], devices uuid[], fingerprints bytea[],
    registered bigint[], reasons text[], scopes text[], floors interval[], provider_times bigint[], judge_after interval
) RETURNS TABLE (cleared integer, set_aside integer)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET enable_seqscan = off SET plan_cache_mode = force_custom_plan AS $$
#variable_conflict use_column
DECLARE
    o record;
    changed integer;
BEGIN
    cleared := 0; set_aside := 0;
    PERFORM FROM delivery.push_token t
       JOIN unnest(devices, fingerprints, kinds, scopes) u (device_id, fingerprint, kind, scope)
            USING (device_id, fingerprint)
      WHERE t.state IN ('active', 'set_aside')
        AND (u.kind IN ('token_suspect', 'token_dead') OR u.kind = 'deferred' AND u.scope = 'device')
      ORDER BY t.token_id FOR UPDATE OF t;
    -- The dead before the suspects: what is cleared needs no judgement.
    FOR o IN
        SELECT t.token_id, u.*
          FROM unnest(routes, instances, entries, kinds, devices, fingerprints, registered, reasons, scopes, floors,
                      provider_times)
               u (route, instance, entry, kind, device_id, fingerprint, registered_at, reason, scope, floor, provider_time)
          JOIN delivery.route_state r USING (route)
          JOIN delivery.push_token t USING (provider, environment, app, device_id, fingerprint)
         WHERE t.state IN ('active', 'set_aside') AND t.registered_at = delivery.from_milliseconds(u.registered_at)
           AND (u.kind = 'token_dead' AND (r.provider = 'fcm' OR u.provider_time > u.registered_at)
                OR u.kind = 'token_suspect' OR u.kind = 'deferred' AND u.scope = 'device')
         ORDER BY u.kind <> 'token_dead', t.token_id
    LOOP
        CASE o.kind
            WHEN 'token_dead' THEN
                cleared := cleared + delivery.clear_tokens(ARRAY[o.token_id], 'dead');
            WHEN 'token_suspect' THEN
                UPDATE delivery.push_token
                   SET state = 'set_aside', state_reason = o.reason, state_at = clock_timestamp(),
                       suspected_by = o.instance, suspected_at = clock_timestamp(),
                       judge_at = clock_timestamp() + judge_after, trials = 0, trial_until = NULL
                 WHERE token_id = o.token_id AND state = 'active';
                GET DIAGNOSTICS changed = ROW_COUNT;
                set_aside := set_aside + changed;
                -- A trial that was refused: the token stays where it is until its next judgement.
                UPDATE delivery.push_token SET trial_until = NULL
                 WHERE token_id = o.token_id AND state = 'set_aside' AND trial_until IS NOT NULL;
            ELSE
                UPDATE delivery.push_token
                   SET not_before = greatest(not_before, clock_timestamp() + o.floor) WHERE token_id = o.token_id;
        END CASE;
    END LOOP;
    RETURN NEXT;
END;
$$;

-- Takes locked tokens out of use and announces it. Returns how many.
CREATE FUNCTION delivery.clear_tokens(tokens bigint[], why text) RETURNS integer
LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
    WITH gone AS (
        UPDATE delivery.push_token
           SET state = 'cleared', state_reason = why, state_at = clock_timestamp(), judge_at = NULL, trial_until = NULL
         WHERE token_id = ANY (tokens) AND state IN ('active', 'set_aside')
        RETURNING device_id, provider, environment, app
    ), told AS (
        SELECT delivery.announce('events', 'token.cleared', 'token.cleared.v1', NULL, '{}',
                   jsonb_build_object('version', 1, 'account', d.account_id, 'device', g.device_id,
                       'provider', g.provider, 'environment', g.environment, 'app', g.app, 'reason', why,
                       'at', delivery.milliseconds(clock_timestamp())),
                   delivery.share_of(g.device_id::text)) AS event
          FROM gone g JOIN delivery.device d USING (device_id)
    )
    SELECT count(event)::integer FROM told
$$;

-- Set-aside tokens whose judgement is due, locked for this transaction, with what their route and the instance that
-- reported them answered since; whatever another recorder judges is skipped. Acceptances of the stretch in which the
-- suspicion fell may be older than it and do not count.
CREATE FUNCTION delivery.take_suspects(at_most integer, window_width interval)
RETURNS TABLE (token_id bigint, route smallint, instance text, trials smallint,
               route_answers bigint, route_acceptances bigint, route_suspicions bigint,
               instance_answers bigint, instance_acceptances bigint, instance_suspicions bigint)
LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
    WITH taken AS MATERIALIZED (
        SELECT t.token_id, r.route, t.suspected_by, t.suspected_at, t.trials
          FROM delivery.push_token t JOIN delivery.route_state r USING (provider, environment, app)
         WHERE t.state = 'set_aside' AND t.judge_at <= clock_timestamp()
         ORDER BY t.token_id LIMIT at_most FOR UPDATE OF t SKIP LOCKED
    )
    SELECT t.token_id, t.route, t.suspected_by, t.trials, w.*
      FROM taken t
      CROSS JOIN LATERAL (
          SELECT coalesce(sum(answers), 0)::bigint,
                 coalesce(sum(acceptances) FILTER (WHERE fresh), 0)::bigint,
                 coalesce(sum(suspicions), 0)::bigint,
                 coalesce(sum(answers) FILTER (WHERE mine), 0)::bigint,
                 coalesce(sum(acceptances) FILTER (WHERE mine AND fresh), 0)::bigint,
                 coalesce(sum(suspicions) FILTER (WHERE mine), 0)::bigint
            FROM (SELECT v.*, v.instance = t.suspected_by AS mine, v.minute > t.suspected_at AS fresh
                    FROM delivery.route_window v
                   WHERE v.route = t.route AND v.minute > t.suspected_at - window_width) v) w
     ORDER BY t.suspected_at, t.token_id
$$;

-- The judgement of tokens that `take_suspects` locked. The entries of the cleared ones fail if the last word on them was
-- that suspicion, or go on with a newer token. For each of the tried ones one entry is due now, and may be published until
-- `trial_until`; they and the kept ones are judged again later. Returns how many entries failed.
CREATE FUNCTION delivery.judge_tokens(
    cleared bigint[], tried bigint[], kept bigint[], tried_again interval[], kept_again interval[], trial interval
) RETURNS integer
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET enable_seqscan = off SET plan_cache_mode = force_custom_plan AS $$
#variable_conflict use_column
DECLARE
    o record;
    chosen bigint[];
    failed integer := 0;
BEGIN
    PERFORM delivery.clear_tokens(cleared, 'suspect');
    UPDATE delivery.push_token t
       SET judge_at = clock_timestamp() + u.again, trials = least(t.trials + 1, 1000),
           trial_until = CASE WHEN u.is_trial THEN clock_timestamp() + trial END
      FROM (SELECT k.token_id, k.again, false FROM unnest(kept, kept_again) k (token_id, again)
            UNION ALL
            SELECT k.token_id, k.again, true FROM unnest(tried, tried_again) k (token_id, again)
           ) u (token_id, again, is_trial)
     WHERE t.token_id = u.token_id;
    SELECT array_agg(first.id) INTO chosen
      FROM delivery.push_token t
      CROSS JOIN LATERAL (
          SELECT due.id FROM delivery.job_device d JOIN delivery.due ON due.entry = d.entry
           WHERE d.device_id = t.device_id AND d.state = 'pending' AND due.lease_token IS NULL
           ORDER BY due.id LIMIT 1) first
     WHERE t.token_id = ANY (tried);

    PERFORM FROM delivery.push_token t
       JOIN delivery.job_device d ON d.device_id = t.device_id AND d.state = 'pending'
       JOIN delivery.due ON due.entry = d.entry
      WHERE t.token_id = ANY (cleared || tried)
        AND (due.last_error = 'token_suspect:' || encode(t.fingerprint, 'hex') OR due.id = ANY (chosen))
      ORDER BY due.id FOR UPDATE OF due;
    UPDATE delivery.due SET due_at = clock_timestamp() WHERE id = ANY (chosen) AND lease_token IS NULL;
    FOR o IN
        SELECT due.id, EXISTS (SELECT FROM delivery.push_token n
                                WHERE n.device_id = t.device_id AND n.state IN ('active', 'set_aside')) AS has_newer
          FROM delivery.push_token t
          JOIN delivery.job_device d ON d.device_id = t.device_id AND d.state = 'pending'
          JOIN delivery.due ON due.entry = d.entry
         WHERE t.token_id = ANY (cleared) AND due.lease_token IS NULL
           AND due.last_error = 'token_suspect:' || encode(t.fingerprint, 'hex')
         ORDER BY due.id
    LOOP
        IF o.has_newer THEN
            PERFORM delivery.revive_hint(o.id);
        ELSE
            PERFORM delivery.fail_hint(o.id, 'token', NULL, 'token_suspect');
            failed := failed + 1;
        END IF;
    END LOOP;
    RETURN failed;
END;
$$;

-- Dead letters ----------------------------------------------------------------------------------------------------------

-- Indexes dead letters and ends the entry of each that is a hint's and of its current seq, whoever wrote it. Never writes
-- an event row: this is where those of the recorder itself come back.
CREATE FUNCTION delivery.record_dead_letters(
    queues text[], message_ids text[], seqs integer[], types text[], reasons text[], statuses integer[],
    provider_ids text[], failures integer[], first_failed bigint[], last_failed bigint[], exchanges text[],
    routing_keys text[], traceparents text[], jobs uuid[], devices uuid[], entries uuid[]
) RETURNS TABLE (recorded integer, repeated integer, ended integer)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET enable_seqscan = off SET plan_cache_mode = force_custom_plan AS $$
#variable_conflict use_column
DECLARE
    o record;
    is_new boolean;
BEGIN
    recorded := 0; repeated := 0; ended := 0;
    PERFORM FROM delivery.due d JOIN unnest(entries, seqs) u (entry, seq) USING (entry)
      WHERE d.entry = ANY (entries) AND d.seq = u.seq AND d.route > 0 ORDER BY d.id FOR UPDATE OF d;
    FOR o IN
        SELECT u.*, p.created_at AS entry_created_at, d.id AS due_id
          FROM unnest(queues, message_ids, seqs, types, reasons, statuses, provider_ids, failures, first_failed,
                      last_failed, exchanges, routing_keys, traceparents, jobs, devices, entries) WITH ORDINALITY
               u (queue, message_id, seq, type, reason, status, provider_id, failures, first_failed, last_failed,
                  exchange, routing_key, traceparent, job_id, device_id, entry, n)
          LEFT JOIN delivery.push_outbox p ON p.id = u.entry
          LEFT JOIN delivery.due d ON d.entry = u.entry AND d.seq = u.seq AND d.route > 0
         ORDER BY u.queue, u.message_id, u.seq, u.n
    LOOP
        IF o.due_id IS NOT NULL THEN
            ended := ended + delivery.end_hints(ARRAY[o.due_id], 'failed', o.reason);
        END IF;
        INSERT INTO delivery.dead_letter AS l
               (queue, message_id, seq, type, reason, status, provider_id, failures, first_failed_at, last_failed_at,
                exchange, routing_key, traceparent, job_id, device_id, entry, entry_created_at)
        VALUES (o.queue, o.message_id, o.seq, o.type, o.reason, o.status, o.provider_id, o.failures,
                delivery.from_milliseconds(o.first_failed), delivery.from_milliseconds(o.last_failed), o.exchange,
                o.routing_key, o.traceparent, o.job_id, o.device_id, o.entry, o.entry_created_at)
        -- A message that came again after its letter was closed is there again, and nobody else would tell. A hint's
        -- row knows by itself.
        ON CONFLICT (queue, message_id, seq) DO UPDATE
           SET repeats = l.repeats + 1,
               state_at = CASE WHEN l.entry IS NULL AND l.state <> 'open' THEN clock_timestamp() ELSE l.state_at END,
               state = CASE WHEN l.entry IS NULL THEN 'open' ELSE l.state END
        RETURNING l.repeats = 0 INTO is_new;
        IF is_new THEN
            recorded := recorded + 1;
        ELSE
            repeated := repeated + 1;
        END IF;
    END LOOP;
    RETURN NEXT;
END;
$$;

-- Counts of answers that no judgement reads any more.
CREATE FUNCTION delivery.purge_route_windows(age interval) RETURNS integer
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    purged integer;
BEGIN
    DELETE FROM delivery.route_window WHERE minute < clock_timestamp() - age;
    GET DIAGNOSTICS purged = ROW_COUNT;
    RETURN purged;
END;
$$;

DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['lock_jobs', 'end_hints', 'fail_hint', 'defer_hint', 'revive_hint', 'record_acks',
        'note_answers', 'lift_tokens', 'hasten_hints', 'record_accepted', 'record_refused', 'report_tokens',
        'clear_tokens', 'take_suspects', 'judge_tokens', 'record_dead_letters', 'purge_route_windows'] LOOP
        EXECUTE format('REVOKE EXECUTE ON FUNCTION delivery.%I FROM PUBLIC', name);
        EXECUTE format('GRANT EXECUTE ON FUNCTION delivery.%I TO md_recorder', name);
    END LOOP;
END;
$$;
