-- What operators do with dead letters (decision B3; states.md (a), last row). These functions run with their owner's rights,
-- so that md_operator can change nothing without the line in `delivery.audit` that begin_change opened. Each call is one
-- transaction over a bounded batch of letters; an interrupted run goes on from any point, because a letter that was dealt
-- with is no longer open.
-- Locks: dead_letter rows in the order of their ids, then push_outbox, then the new due rows.

-- The first page of a listing by any filter is read from the end of one of these, however the letters are spread: each
-- begins with what is asked for and ends with the order of the page. Ordinary uninstalls, the most by far in quiet times,
-- are left out of all that listings leave them out of.
CREATE INDEX dead_letter_open_id ON delivery.dead_letter (dead_letter_id) WHERE state = 'open';
CREATE INDEX dead_letter_open_reason ON delivery.dead_letter (reason text_pattern_ops, dead_letter_id) WHERE state = 'open';
CREATE INDEX dead_letter_open_device ON delivery.dead_letter (device_id, dead_letter_id) WHERE state = 'open';
CREATE INDEX dead_letter_open_job ON delivery.dead_letter (job_id, dead_letter_id) WHERE state = 'open';
CREATE INDEX dead_letter_listed_id ON delivery.dead_letter (dead_letter_id) WHERE state = 'open' AND reason <> 'token';
CREATE INDEX dead_letter_listed_queue ON delivery.dead_letter (queue, dead_letter_id)
    WHERE state = 'open' AND reason <> 'token';
CREATE INDEX dead_letter_listed_key ON delivery.dead_letter (routing_key, dead_letter_id)
    WHERE state = 'open' AND reason <> 'token';
CREATE INDEX dead_letter_listed_failures ON delivery.dead_letter (failures, dead_letter_id)
    WHERE state = 'open' AND reason <> 'token';
CREATE INDEX dead_letter_listed_recorded ON delivery.dead_letter (recorded_at, dead_letter_id)
    WHERE state = 'open' AND reason <> 'token';

-- Open letters above `after_id`, or below it if `newest_first`, in the order of their ids; with since or until, in the order
-- of their time. Keys of `filter`, all of which must hold: id, queue, reason (its beginning), app, environment, provider,
-- device, job, since and until (recorded), failures (at least), uninstalled (true: only letters of ordinary uninstalls;
-- false: none of them; missing: both).
CREATE FUNCTION delivery.matching_letters(filter jsonb, after_id bigint, at_most integer, newest_first boolean)
RETURNS bigint[]
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_custom_plan AS $$
DECLARE
    of_device constant uuid := filter ->> 'device';
    of_job constant uuid := filter ->> 'job';
    of_id constant bigint := filter ->> 'id';
    of_queue constant text := filter ->> 'queue';
    because constant text := filter ->> 'reason';
    since constant timestamptz := filter ->> 'since';
    until constant timestamptz := filter ->> 'until';
    at_least constant integer := filter ->> 'failures';
    uninstalled constant boolean := (filter ->> 'uninstalled')::boolean;
    by_time constant boolean := filter ?| ARRAY['since', 'until'];
    compared constant text := CASE WHEN newest_first THEN '<' ELSE '>' END;
    direction constant text := CASE WHEN newest_first THEN ' DESC' ELSE '' END;
    open constant text := ' l.state = ''open'''
        || CASE uninstalled WHEN true THEN ' AND l.reason = ''token''' WHEN false THEN ' AND l.reason <> ''token''' ELSE '' END;
    after_at timestamptz;
    keys text[];
    reasons text[];
    charges integer[];
    found bigint[];
    conditions text := open;
    ordered text;
    page text;
BEGIN
    IF filter ?| ARRAY['provider', 'environment', 'app'] THEN
        keys := ARRAY(
            SELECT concat_ws('.', 'hints', r.provider, nullif(r.environment, ''), r.app) FROM delivery.route_state r
             WHERE r.route > 0 AND coalesce(r.provider = filter ->> 'provider', true)
               AND coalesce(r.environment = filter ->> 'environment', true)
               AND coalesce(r.app = filter ->> 'app', true));
    END IF;
    -- What a beginning and a least number mean, by hops from one value in the index to the next: there are few.
    IF because IS NOT NULL THEN
        WITH RECURSIVE hop (value) AS (
            (SELECT l.reason FROM delivery.dead_letter l WHERE l.state = 'open' AND l.reason ~>=~ because
              ORDER BY l.reason USING ~<~ LIMIT 1)
            UNION ALL
            SELECT (SELECT l.reason FROM delivery.dead_letter l WHERE l.state = 'open' AND l.reason ~>~ h.value
                     ORDER BY l.reason USING ~<~ LIMIT 1)
              FROM hop h WHERE starts_with(h.value, because)
        )
        SELECT array_agg(h.value) INTO reasons FROM hop h WHERE starts_with(h.value, because);
    ELSIF at_least IS NOT NULL AND uninstalled IS NOT DISTINCT FROM false
          AND of_job IS NULL AND of_device IS NULL AND keys IS NULL AND NOT by_time THEN
        WITH RECURSIVE hop (value) AS (
            (SELECT l.failures FROM delivery.dead_letter l
              WHERE l.state = 'open' AND l.reason <> 'token' AND l.failures >= at_least ORDER BY l.failures LIMIT 1)
            UNION ALL
            SELECT (SELECT l.failures FROM delivery.dead_letter l
                     WHERE l.state = 'open' AND l.reason <> 'token' AND l.failures > h.value ORDER BY l.failures LIMIT 1)
              FROM hop h WHERE h.value IS NOT NULL
        )
        SELECT array_agg(h.value) INTO charges FROM hop h WHERE h.value IS NOT NULL;
    END IF;
    -- Only the conditions that are asked for, so that the planner takes the index of that filter.
    conditions := conditions
        || CASE WHEN of_id IS NULL THEN '' ELSE ' AND l.dead_letter_id = $3' END
        || CASE WHEN of_queue IS NULL THEN '' ELSE ' AND l.queue = $4' END
        || CASE WHEN of_device IS NULL THEN '' ELSE ' AND l.device_id = $5' END
        || CASE WHEN of_job IS NULL THEN '' ELSE ' AND l.job_id = $6' END
        || CASE WHEN at_least IS NULL OR charges IS NOT NULL THEN '' ELSE ' AND l.failures >= $9' END;
    IF by_time THEN
        -- One bound at each end: with two, the scan would begin at the wrong one.
        SELECT l.recorded_at INTO after_at FROM delivery.dead_letter l WHERE l.dead_letter_id = after_id;
        conditions := conditions
            || CASE WHEN since IS NULL OR (after_at IS NOT NULL AND NOT newest_first) THEN ''
                    ELSE ' AND l.recorded_at >= $7' END
            || CASE WHEN until IS NULL OR (after_at IS NOT NULL AND newest_first) THEN ''
                    ELSE ' AND l.recorded_at < $8' END
            || CASE WHEN after_at IS NULL THEN ''
                    ELSE format(' AND (l.recorded_at, l.dead_letter_id) %s ($12, $1)', compared) END;
        ordered := format('recorded_at%s, dead_letter_id%s', direction, direction);
    ELSE
        conditions := conditions || format(' AND l.dead_letter_id %s $1', compared);
        ordered := format('dead_letter_id%s', direction);
    END IF;
    page := 'SELECT l.dead_letter_id, l.recorded_at FROM delivery.dead_letter l WHERE' || conditions;
    IF because IS NOT NULL THEN
        page := 'unnest($11) v (value) CROSS JOIN LATERAL (' || page || ' AND l.reason = v.value'
             || CASE WHEN keys IS NULL THEN '' ELSE ' AND l.routing_key = ANY ($2)' END;
    ELSIF charges IS NOT NULL THEN
        page := 'unnest($13) v (value) CROSS JOIN LATERAL (' || page || ' AND l.failures = v.value';
    ELSIF keys IS NOT NULL THEN
        page := 'unnest($2) v (value) CROSS JOIN LATERAL (' || page || ' AND l.routing_key = v.value';
    ELSE
        page := '(' || page;
    END IF;
    EXECUTE format('SELECT array_agg(p.dead_letter_id ORDER BY %1$s) FROM (SELECT q.* FROM %2$s ORDER BY %1$s LIMIT $10) q '
                || 'ORDER BY %1$s LIMIT $10) p', ordered, page) INTO found
      USING after_id, keys, of_id, of_queue, of_device, of_job, since, until, at_least, at_most, reasons, after_at, charges;
    RETURN coalesce(found, '{}');
END;
$$;

-- What a replay would do with each of the letters: `replay`, or why it would be skipped: replayed_before (it was, or its
-- entry failed again since), discarded, alive (the entry is on its way again or was accepted), acknowledged (or ended
-- otherwise by its device), expired, cancelled, revoked, no_token (nothing to ring the device by), gone (no history any
-- more), message (not a hint: its bytes are in its queue).
CREATE FUNCTION delivery.letter_verdicts(letters bigint[]) RETURNS TABLE (dead_letter_id bigint, verdict text, route smallint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT l.dead_letter_id,
           CASE WHEN l.state = 'replayed' THEN 'replayed_before'
                WHEN l.state <> 'open' THEN l.state
                WHEN l.entry IS NULL AND l.queue LIKE 'hints.%' THEN 'stray'
                WHEN l.entry IS NULL THEN 'message'
                WHEN p.id IS NULL OR j.job_id IS NULL OR d.device_id IS NULL THEN 'gone'
                WHEN p.state IN ('pending', 'accepted') THEN 'alive'
                WHEN d.state IN ('acknowledged', 'failed') THEN 'acknowledged'
                WHEN j.cancelled_at IS NOT NULL OR d.state = 'cancelled' THEN 'cancelled'
                WHEN v.state = 'revoked' OR d.state = 'revoked' THEN 'revoked'
                WHEN j.expired_at IS NOT NULL OR j.expires_at <= clock_timestamp() OR d.state = 'expired' THEN 'expired'
                WHEN j.completed_at IS NOT NULL THEN 'acknowledged'
                WHEN p.state <> 'failed' OR p.seq <> l.seq THEN 'replayed_before'
                WHEN t.route IS NULL THEN 'no_token'
                ELSE 'replay' END,
           t.route
      FROM delivery.dead_letter l
      LEFT JOIN delivery.push_outbox p ON p.created_at = l.entry_created_at AND p.id = l.entry
      LEFT JOIN delivery.generation_job j ON j.job_id = p.job_id
      LEFT JOIN delivery.job_device d ON d.job_id = p.job_id AND d.device_id = p.device_id
      LEFT JOIN delivery.device v ON v.device_id = p.device_id
      LEFT JOIN LATERAL (
           SELECT s.route FROM delivery.push_token k
             JOIN delivery.route_state s USING (provider, environment, app)
            WHERE k.device_id = p.device_id AND k.state = 'active' AND s.route > 0
            ORDER BY k.registered_at DESC LIMIT 1) t ON true
     WHERE l.dead_letter_id = ANY (letters) ORDER BY l.dead_letter_id
$$;

-- Re-arms the hints of those letters by compare-and-set; returns how many letters got which verdict. A letter whose entry
-- lives again is closed as `alive`; one that is skipped for another reason stays open.
CREATE FUNCTION delivery.replay_letters(change bigint, letters bigint[]) RETURNS TABLE (verdict text, number integer)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off SET plan_cache_mode = force_custom_plan AS $$
#variable_conflict use_column
DECLARE
    o record;
BEGIN
    PERFORM FROM delivery.dead_letter l WHERE l.dead_letter_id = ANY (letters) ORDER BY l.dead_letter_id FOR UPDATE;
    PERFORM FROM delivery.push_outbox p JOIN delivery.dead_letter l ON p.created_at = l.entry_created_at AND p.id = l.entry
      WHERE l.dead_letter_id = ANY (letters) ORDER BY p.created_at, p.id FOR UPDATE OF p;
    FOR o IN
        WITH judged AS MATERIALIZED (
            SELECT v.dead_letter_id, v.verdict, v.route, l.entry, l.entry_created_at,
                   -- Two letters of one entry: the first of them is the one.
                   row_number() OVER (PARTITION BY l.entry, v.verdict ORDER BY v.dead_letter_id) AS place
              FROM delivery.letter_verdicts(letters) v JOIN delivery.dead_letter l USING (dead_letter_id)
        ), settled AS MATERIALIZED (
            SELECT dead_letter_id, route, entry, entry_created_at,
                   CASE WHEN verdict = 'replay' AND place > 1 THEN 'replayed_before' ELSE verdict END AS verdict
              FROM judged
        ), lives AS (
            UPDATE delivery.push_outbox p
               SET state = 'pending', reason = NULL, finished_at = NULL, life = p.life + 1, failures = 0, silences = 0,
                   crashes = 0, disputes = 0
              FROM settled s
             WHERE s.verdict = 'replay' AND p.created_at = s.entry_created_at AND p.id = s.entry AND p.state = 'failed'
            RETURNING p.id, p.created_at, p.seq, p.life, p.job_id, s.route
        ), rows AS (
            INSERT INTO delivery.due (entry, created_at, due_at, seq, life, route, share)
            SELECT i.id, i.created_at, clock_timestamp(), i.seq, i.life, i.route, delivery.share_of(j.account_id)
              FROM lives i JOIN delivery.generation_job j USING (job_id)
        ), closed AS (
            UPDATE delivery.dead_letter l
               SET state = CASE s.verdict WHEN 'alive' THEN 'alive' ELSE 'replayed' END, state_at = clock_timestamp()
              FROM settled s
             WHERE l.dead_letter_id = s.dead_letter_id AND l.state = 'open'
               AND s.verdict IN ('replay', 'replayed_before', 'alive')
        )
        SELECT s.verdict, count(*)::integer AS number FROM settled s GROUP BY 1 ORDER BY 1
    LOOP
        PERFORM delivery.add_to_change(
            change, CASE o.verdict WHEN 'replay' THEN 'rows' ELSE 'skipped ' || o.verdict END, o.number);
        verdict := o.verdict; number := o.number;
        RETURN NEXT;
    END LOOP;
END;
$$;

-- Closes open letters for good; what they were about stays as it ended. Returns how many.
CREATE FUNCTION delivery.discard_letters(change bigint, letters bigint[]) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    changed integer;
BEGIN
    UPDATE delivery.dead_letter SET state = 'discarded', state_at = clock_timestamp()
     WHERE state = 'open' AND dead_letter_id = ANY (ARRAY(
           SELECT l.dead_letter_id FROM delivery.dead_letter l WHERE l.dead_letter_id = ANY (letters)
            ORDER BY l.dead_letter_id FOR UPDATE));
    GET DIAGNOSTICS changed = ROW_COUNT;
    PERFORM delivery.add_to_change(change, 'rows', changed);
    RETURN changed;
END;
$$;

-- Closes the letters of messages that the broker has confirmed in the queue that failed. Returns how many: one that somebody
-- else closed meanwhile is not counted again.
CREATE FUNCTION delivery.close_messages(change bigint, letters bigint[]) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    changed integer;
BEGIN
    UPDATE delivery.dead_letter SET state = 'replayed', state_at = clock_timestamp()
     WHERE state = 'open' AND entry IS NULL AND dead_letter_id = ANY (ARRAY(
           SELECT l.dead_letter_id FROM delivery.dead_letter l WHERE l.dead_letter_id = ANY (letters)
            ORDER BY l.dead_letter_id FOR UPDATE));
    GET DIAGNOSTICS changed = ROW_COUNT;
    PERFORM delivery.add_to_change(change, 'messages', changed);
    RETURN changed;
END;
$$;

-- Notes in the audit what a run took out of a queue: `removed` copies of closed letters, messages of `parking`.
CREATE FUNCTION delivery.note_taken(change bigint, counter text, number integer) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF counter NOT IN ('removed', 'messages', 'parked') THEN
        RAISE EXCEPTION 'no such counter' USING ERRCODE = 'MD009';
    END IF;
    PERFORM delivery.add_to_change(change, counter, number);
END;
$$;

REVOKE EXECUTE ON FUNCTION delivery.matching_letters, delivery.letter_verdicts, delivery.replay_letters,
    delivery.discard_letters, delivery.close_messages, delivery.note_taken FROM PUBLIC;
GRANT EXECUTE ON FUNCTION delivery.matching_letters, delivery.letter_verdicts, delivery.replay_letters,
    delivery.discard_letters, delivery.close_messages, delivery.note_taken TO md_operator;
