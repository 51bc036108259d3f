-- What an operator changes in the outbox and its routes. These functions run with their owner's rights, so that md_operator
-- can change nothing without the line in `delivery.audit` that they write. Each call is one transaction over a bounded
-- batch; `more` calls follow until nothing is left, and a run that was interrupted is safe to repeat.
-- Locks: due rows in the order of their ids, then push_outbox.

-- How a line of the audit stands: its result, or `died` for one that still says `running` although the connection of its
-- last batch is gone, or although nothing was heard of it for two minutes (every batch ends within one).
CREATE FUNCTION delivery.result_of_change(detail jsonb) RETURNS text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE WHEN detail ->> 'result' <> 'running' THEN detail ->> 'result'
                WHEN (detail ->> 'touched_at')::timestamptz < clock_timestamp() - interval '2 minutes' THEN 'died'
                WHEN NOT EXISTS (
                     SELECT FROM pg_stat_activity a
                      WHERE a.pid = (detail ->> 'session')::integer AND a.usename = detail ->> 'role'
                        AND a.datname = current_database()) THEN 'died'
                ELSE 'running' END
$$;

-- Opens the audit line of a change; every batch adds to it in its own transaction, so that it says how far a run came
-- whatever became of the program. `role` is whom the server let in, `actor` who that says to be.
CREATE FUNCTION delivery.begin_change(actor text, action text, subject text, filter jsonb) RETURNS bigint
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    INSERT INTO delivery.audit (actor, action, subject, detail)
    VALUES (left(begin_change.actor, 200), begin_change.action, left(begin_change.subject, 200),
            jsonb_build_object('role', session_user, 'filter', begin_change.filter, 'rows', 0, 'result', 'running',
                               'touched_at', clock_timestamp(), 'session', pg_backend_pid()))
    RETURNING audit_id
$$;

-- Closes it: `done`, `interrupted` or what went wrong. Counts anew, so that who looks next sees what became of it.
CREATE FUNCTION delivery.end_change(change bigint, result text) RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    UPDATE delivery.audit
       SET detail = detail || jsonb_build_object('result', left(end_change.result, 200), 'ended_at', clock_timestamp())
     WHERE audit_id = change AND detail ->> 'result' = 'running' AND detail ->> 'role' = session_user;
    SELECT FROM delivery.take_census(interval '0');
    SELECT FROM delivery.audit a CROSS JOIN LATERAL delivery.count_letters(interval '0')
     WHERE a.audit_id = change AND a.action LIKE 'dead %';
$$;

-- Adds to the rows of a running change. Raises if there is none: nothing is changed without its line.
CREATE FUNCTION delivery.add_to_change(change bigint, counter text, number integer) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    UPDATE delivery.audit
       SET detail = detail || jsonb_build_object(
               counter, coalesce((detail ->> counter)::bigint, 0) + number, 'touched_at', clock_timestamp(),
               'session', pg_backend_pid())
     WHERE audit_id = change AND detail ->> 'result' = 'running' AND detail ->> 'role' = session_user;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'no such change is running' USING ERRCODE = 'MD009', HINT = 'begin_change first';
    END IF;
END;
$$;

-- Which due rows of hints a change is about: those after `after_id` in the order of their ids. Keys of `filter`, all of which
-- must hold: route (name), provider, environment, app, account, device, job, entry, owner (of the lease), reason (beginning
-- of the last outcome), older_than (interval since the commit), before (commit), awaiting (release also what the broker
-- confirmed).
CREATE FUNCTION delivery.matching_due(kind text, filter jsonb, after_id bigint, at_most integer) RETURNS bigint[]
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_custom_plan AS $$
DECLARE
    of_device constant uuid := filter ->> 'device';
    of_job constant uuid := filter ->> 'job';
    of_entry constant uuid := filter ->> 'entry';
    of_owner constant uuid := filter ->> 'owner';
    because constant text := filter ->> 'reason';
    latest constant timestamptz := least((filter ->> 'before')::timestamptz, now() - (filter ->> 'older_than')::interval);
    and_awaiting constant boolean := coalesce((filter ->> 'awaiting')::boolean, false);
    entries uuid[];
    routes smallint[];
BEGIN
    IF filter ?| ARRAY['device', 'job', 'account'] THEN
        entries := ARRAY(
            SELECT p.entry FROM delivery.job_device p JOIN delivery.generation_job j USING (job_id)
             WHERE p.state = 'pending' AND (of_device IS NULL OR p.device_id = of_device)
               AND (of_job IS NULL OR p.job_id = of_job)
               AND (filter ->> 'account' IS NULL OR j.account_id = filter ->> 'account'));
    END IF;
    IF filter ?| ARRAY['route', 'provider', 'environment', 'app'] THEN
        routes := ARRAY(
            SELECT r.route FROM delivery.route_state r
             WHERE r.route > 0
               AND coalesce(concat_ws('.', r.provider, nullif(r.environment, ''), r.app) = filter ->> 'route', true)
               AND coalesce(r.provider = filter ->> 'provider', true)
               AND coalesce(r.environment = filter ->> 'environment', true)
               AND coalesce(r.app = filter ->> 'app', true));
    END IF;
    RETURN ARRAY(
        SELECT d.id FROM delivery.due d
         WHERE d.route > 0 AND d.id > after_id
           AND CASE kind
                   WHEN 'retry-now' THEN d.lease_token IS NULL AND d.due_at > now()
                   WHEN 'release' THEN d.lease_token IS NOT NULL AND (d.published_at IS NULL OR and_awaiting)
                   WHEN 'expire' THEN true
                   ELSE false
               END
           AND (routes IS NULL OR d.route = ANY (routes)) AND (entries IS NULL OR d.entry = ANY (entries))
           AND (of_entry IS NULL OR d.entry = of_entry) AND (of_owner IS NULL OR d.lease_owner = of_owner)
           AND (because IS NULL OR starts_with(d.last_error, because))
           AND (latest IS NULL OR d.created_at < latest)
         ORDER BY d.id LIMIT at_most);
END;
$$;

-- What a change would touch, by route and reason; locks and writes nothing. `under_lease` counts rows of which a relay, the
-- broker or a sender may still know.
CREATE FUNCTION delivery.preview_change(kind text, filter jsonb)
RETURNS TABLE (route smallint, reason text, rows bigint, oldest timestamptz, under_lease bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT d.route, coalesce(left(split_part(d.last_error, ':', 1), 60), ''), count(*), min(d.created_at),
           count(*) FILTER (WHERE d.lease_token IS NOT NULL)
      FROM delivery.due d
     WHERE d.id = ANY (delivery.matching_due(preview_change.kind, preview_change.filter, 0, 10000000))
     GROUP BY 1, 2 ORDER BY 1, 3 DESC
$$;

-- Makes deferred hints due now. What somebody else holds at this moment is skipped: it is on its way already.
CREATE FUNCTION delivery.retry_now(change bigint, filter jsonb, after_id bigint, at_most integer)
RETURNS TABLE (last_id bigint, changed integer)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET enable_seqscan = off AS $$
DECLARE
    ids constant bigint[] := delivery.matching_due('retry-now', filter, after_id, at_most);
BEGIN
    last_id := ids[cardinality(ids)];
    UPDATE delivery.due SET due_at = clock_timestamp()
     WHERE id = ANY (ARRAY(SELECT d.id FROM delivery.due d WHERE d.id = ANY (ids) ORDER BY d.id FOR UPDATE SKIP LOCKED))
       AND lease_token IS NULL AND due_at > clock_timestamp();
    GET DIAGNOSTICS changed = ROW_COUNT;
    PERFORM delivery.add_to_change(change, 'rows', changed);
    RETURN NEXT;
END;
$$;

-- Takes leases away: due again at once, no counter. The relay that had one finds it gone and writes nothing.
CREATE FUNCTION delivery.release_leases(change bigint, filter jsonb, after_id bigint, at_most integer)
RETURNS TABLE (last_id bigint, changed integer)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET enable_seqscan = off AS $$
DECLARE
    ids constant bigint[] := delivery.matching_due('release', filter, after_id, at_most);
BEGIN
    last_id := ids[cardinality(ids)];
    UPDATE delivery.due SET lease_token = NULL, lease_owner = NULL, lease_until = NULL, published_at = NULL
     WHERE id = ANY (ARRAY(SELECT d.id FROM delivery.due d WHERE d.id = ANY (ids) ORDER BY d.id FOR UPDATE SKIP LOCKED))
       AND lease_token IS NOT NULL
       AND (published_at IS NULL OR coalesce((filter ->> 'awaiting')::boolean, false));
    GET DIAGNOSTICS changed = ROW_COUNT;
    PERFORM delivery.add_to_change(change, 'rows', changed);
    RETURN NEXT;
END;
$$;

-- Ends pending entries that were committed before, without a push; their jobs stay open, and devices find them at their next
-- sync. For a database that was restored from a backup: what it believes to be due was pushed long ago.
CREATE FUNCTION delivery.expire_committed(change bigint, filter jsonb, after_id bigint, at_most integer)
RETURNS TABLE (last_id bigint, changed integer)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET enable_seqscan = off AS $$
DECLARE
    ids bigint[];
BEGIN
    IF (filter ->> 'before')::timestamptz IS NULL THEN
        RAISE EXCEPTION 'before is missing' USING ERRCODE = 'MD009', HINT = 'an instant';
    END IF;
    ids := delivery.matching_due('expire', filter, after_id, at_most);
    last_id := ids[cardinality(ids)];
    ids := ARRAY(SELECT d.id FROM delivery.due d WHERE d.id = ANY (ids) ORDER BY d.id FOR UPDATE);
    changed := delivery.end_hints(ids, 'expired', 'operator');
    PERFORM delivery.add_to_change(change, 'rows', changed);
    RETURN NEXT;
END;
$$;

-- What `outbox resend` would send again: events, dead letters of hints, fan-outs.
CREATE FUNCTION delivery.preview_resend(since timestamptz) RETURNS TABLE (events bigint, dead_letters bigint, fanouts bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT count(*) FILTER (WHERE e.exchange = 'events'), count(*) FILTER (WHERE e.exchange = 'dead'),
           (SELECT count(*) FROM delivery.downstream_submission s
             WHERE s.fanned_out_at >= since AND s.purged_at IS NULL AND s.resend_at IS NULL)
      FROM delivery.event_outbox e
     WHERE e.created_at >= since
       AND NOT EXISTS (SELECT FROM delivery.due d WHERE d.entry = e.id)
       AND NOT (e.exchange = 'dead' AND EXISTS (SELECT FROM delivery.due d WHERE d.entry = e.message_id))
$$;

-- Events committed since then are due anew under the same ids, in the order of their commit; those that still wait for
-- their first publish are left alone, and so are dead letters of hints that live again. The next call goes on after
-- (last_at, last_id).
CREATE FUNCTION delivery.resend_events(
    change bigint, since timestamptz, until timestamptz, after_at timestamptz, after_id uuid, at_most integer
) RETURNS TABLE (last_at timestamptz, last_id uuid, changed integer)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    WITH page AS MATERIALIZED (
        SELECT e.created_at, e.id, e.exchange, e.message_id FROM delivery.event_outbox e
         WHERE e.created_at >= since AND e.created_at < until
           AND (e.created_at, e.id) > (coalesce(after_at, '-infinity'),
                                       coalesce(after_id, '00000000-0000-0000-0000-000000000000'))
         ORDER BY e.created_at, e.id LIMIT at_most
    ), anew AS (
        INSERT INTO delivery.due (entry, created_at, due_at, route, share)
        SELECT p.id, p.created_at, clock_timestamp(), 0, delivery.share_of(p.id::text) FROM page p
         WHERE NOT (p.exchange = 'dead' AND EXISTS (SELECT FROM delivery.due d WHERE d.entry = p.message_id))
         ORDER BY p.created_at, p.id
        ON CONFLICT (entry) DO NOTHING
        RETURNING 1
    )
    SELECT l.created_at, l.id, (SELECT count(*) FROM anew) INTO last_at, last_id, changed
      FROM (SELECT 1) one LEFT JOIN (SELECT p.created_at, p.id FROM page p ORDER BY 1 DESC, 2 DESC LIMIT 1) l ON true;
    PERFORM delivery.add_to_change(change, 'rows', changed);
    RETURN NEXT;
END;
$$;

-- Fan-outs finished since then are published again by the coordinator, under the same ids, while their ciphertexts are
-- there; completion is untouched.
CREATE FUNCTION delivery.resend_fanouts(
    change bigint, since timestamptz, until timestamptz, after_at timestamptz, after_job uuid, at_most integer
) RETURNS TABLE (last_at timestamptz, last_job uuid, changed integer)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    jobs uuid[];
BEGIN
    SELECT array_agg(p.job_id), (array_agg(p.fanned_out_at ORDER BY p.fanned_out_at DESC, p.job_id DESC))[1],
           (array_agg(p.job_id ORDER BY p.fanned_out_at DESC, p.job_id DESC))[1]
      INTO jobs, last_at, last_job
      FROM (SELECT s.job_id, s.fanned_out_at FROM delivery.downstream_submission s
             WHERE s.purged_at IS NULL AND s.fanned_out_at >= since AND s.fanned_out_at < until
               AND (s.fanned_out_at, s.job_id) > (coalesce(after_at, '-infinity'),
                                                  coalesce(after_job, '00000000-0000-0000-0000-000000000000'))
             ORDER BY s.fanned_out_at, s.job_id LIMIT at_most) p;
    PERFORM FROM delivery.downstream_submission WHERE job_id = ANY (jobs) ORDER BY job_id FOR UPDATE;
    UPDATE delivery.downstream_submission SET resend_at = clock_timestamp()
     WHERE job_id = ANY (jobs) AND resend_at IS NULL AND purged_at IS NULL;
    GET DIAGNOSTICS changed = ROW_COUNT;
    PERFORM delivery.add_to_change(change, 'fanouts', changed);
    RETURN NEXT;
END;
$$;

-- The hand half of a route (states.md (e)); the relay reads it with its next question, within 250 ms. Returns whether that
-- changed anything; asked again it only leaves another line in the audit.
CREATE FUNCTION delivery.switch_route(actor text, of_route smallint, pause boolean, why text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    known delivery.route_state;
    changed boolean;
BEGIN
    SELECT * INTO known FROM delivery.route_state WHERE route = of_route AND route > 0 FOR UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'no such route' USING ERRCODE = 'MD009', HINT = 'a number of route_state above 0';
    END IF;
    changed := known.hand_paused <> pause;
    UPDATE delivery.route_state
       SET hand_paused = pause, hand_by = left(actor, 200), hand_since = clock_timestamp(),
           hand_reason = CASE WHEN pause THEN left(nullif(why, ''), 500) END
     WHERE route = of_route AND changed;
    INSERT INTO delivery.audit (actor, action, subject, detail)
    VALUES (left(actor, 200), CASE WHEN pause THEN 'route pause' ELSE 'route resume' END,
            concat_ws('.', known.provider, nullif(known.environment, ''), known.app),
            jsonb_strip_nulls(jsonb_build_object('role', session_user, 'reason', nullif(why, ''),
                'result', CASE WHEN changed THEN 'done' ELSE 'unchanged' END)));
    RETURN changed;
END;
$$;

-- What an operator rules about every set-aside token of a route (states.md, tokens): back into use, as when the provider
-- accepts one, or cleared, as when the recorder judges them dead. Either way what waits for them is due at once. Returns
-- how many tokens.
CREATE FUNCTION delivery.rule_on_tokens(actor text, of_route smallint, lift boolean, why text) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_custom_plan AS $$
DECLARE
    known delivery.route_state;
    tokens bigint[];
    their_devices uuid[];
    number integer;
BEGIN
    SELECT * INTO known FROM delivery.route_state WHERE route = of_route AND route > 0;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'no such route' USING ERRCODE = 'MD009', HINT = 'a number of route_state above 0';
    END IF;
    IF lift THEN
        number := delivery.lift_tokens(ARRAY[of_route]);
    ELSE
        SELECT array_agg(l.token_id), array_agg(l.device_id) INTO tokens, their_devices FROM (
            SELECT t.token_id, t.device_id FROM delivery.push_token t
             WHERE t.state = 'set_aside' AND t.provider = known.provider AND t.environment = known.environment
               AND t.app = known.app ORDER BY t.token_id FOR UPDATE) l;
        number := coalesce(cardinality(tokens), 0);
        IF number > 0 THEN
            PERFORM delivery.judge_tokens(tokens, '{}', '{}', '{}', '{}', interval '0');
            PERFORM delivery.hasten_hints(their_devices);
        END IF;
    END IF;
    INSERT INTO delivery.audit (actor, action, subject, detail)
    VALUES (left(actor, 200), CASE WHEN lift THEN 'token lift' ELSE 'token clear' END,
            concat_ws('.', known.provider, nullif(known.environment, ''), known.app),
            jsonb_strip_nulls(jsonb_build_object('role', session_user, 'reason', nullif(why, ''), 'tokens', number,
                'result', CASE WHEN number > 0 THEN 'done' ELSE 'unchanged' END)));
    RETURN number;
END;
$$;

DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['begin_change', 'end_change', 'add_to_change', 'matching_due', 'preview_change', 'retry_now',
        'release_leases', 'expire_committed', 'preview_resend', 'resend_events', 'resend_fanouts', 'switch_route',
        'rule_on_tokens'] LOOP
        EXECUTE format('REVOKE EXECUTE ON FUNCTION delivery.%I FROM PUBLIC', name);
    END LOOP;
    REVOKE EXECUTE ON FUNCTION delivery.result_of_change FROM PUBLIC;
    GRANT EXECUTE ON FUNCTION delivery.begin_change, delivery.end_change, delivery.result_of_change,
        delivery.preview_change, delivery.retry_now, delivery.release_leases, delivery.expire_committed, delivery.preview_resend, delivery.resend_events,
        delivery.resend_fanouts, delivery.switch_route, delivery.rule_on_tokens TO md_operator;
END;
$$;
