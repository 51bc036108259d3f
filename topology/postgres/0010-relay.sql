-- What the relay does to the outbox: states.md (a). Each call is one statement and its own transaction.
-- Locks: due rows in the order of their ids (callers pass sorted arrays; claims skip what is locked), then push_outbox.
-- Joins go by nested loops over the primary keys whatever the statistics say: after a burst they were seen to flip to
-- reading the whole table. No plan is worth compiling for: costs of switched-off ways look enormous.

-- A set-aside token is tried again while this is to come: set by whoever judges tokens, read by the claim.
ALTER TABLE delivery.push_token ADD COLUMN IF NOT EXISTS trial_until timestamptz;

-- Locks and returns the rows of a route that may be claimed now: fairly, at most limit/64 of each share first, then
-- whatever is left of the limit. From a limit of 64 it so looks at every share. `floors` holds one instant a share
-- (1-based): the claim does not look below it.
-- A row that was confirmed (or unknown) is claimable after its lease only if that lease ended by `proven`; one of which
-- nobody said anything, if it ended by `recorded`, because what was published may have been sent and answered while the
-- database was away; each also if it was published, or its lease ended, by `stale`. The relay draws these instants
-- (decision 2's proof) from what it saw of the queues.
CREATE FUNCTION delivery.claimable(
    of_route smallint, at_most integer, floors timestamptz[], proven timestamptz, recorded timestamptz, stale timestamptz
) RETURNS bigint[]
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off SET jit = off AS $$
DECLARE
    fair constant integer := greatest(1, at_most / 64);
    first constant integer := floor(random() * 64);  -- a small limit must not always serve the same shares
    taken bigint[];
    some_share_was_full boolean;
    more bigint[];
BEGIN
    IF at_most <= 0 OR NOT EXISTS (SELECT FROM delivery.due WHERE route = of_route) THEN
        RETURN '{}';
    END IF;
    SELECT coalesce(array_agg(c.id), '{}'), coalesce(bool_or(c.place = fair), false) INTO taken, some_share_was_full
      FROM (SELECT f.id, f.place
              FROM generate_series(0, 63) s,
                   LATERAL (SELECT l.id, row_number() OVER () AS place
                              FROM (SELECT d.id
                                      FROM delivery.due d
                                     WHERE d.route = of_route AND d.share = ((s + first) & 63)::smallint
                                       AND d.due_at >= floors[((s + first) & 63) + 1] AND d.due_at <= now()
                                       AND (d.lease_until IS NULL
                                            OR d.lease_until <= now()
                                               AND (d.lease_until <= CASE WHEN d.published_at IS NULL THEN recorded
                                                                          ELSE proven END
                                                    OR coalesce(d.published_at, d.lease_until) <= stale))
                                     ORDER BY d.due_at, d.id LIMIT fair FOR UPDATE SKIP LOCKED) l) f
             LIMIT at_most) c;
    IF cardinality(taken) < at_most AND some_share_was_full THEN
        SELECT coalesce(array_agg(c.id), '{}') INTO more
          FROM (SELECT f.id
                  FROM generate_series(0, 63) s,
                       LATERAL (SELECT d.id
                                  FROM delivery.due d
                                 WHERE d.route = of_route AND d.share = ((s + first) & 63)::smallint
                                   AND d.due_at >= floors[((s + first) & 63) + 1] AND d.due_at <= now()
                                   AND (d.lease_until IS NULL
                                        OR d.lease_until <= now()
                                           AND (d.lease_until <= CASE WHEN d.published_at IS NULL THEN recorded
                                                                      ELSE proven END
                                                OR coalesce(d.published_at, d.lease_until) <= stale))
                                   AND d.id <> ALL (taken)
                                 ORDER BY d.due_at, d.id LIMIT at_most - cardinality(taken)
                                 FOR UPDATE SKIP LOCKED) f
                 LIMIT at_most - cardinality(taken)) c;
        taken := taken || more;
    END IF;
    RETURN taken;
END;
$$;

-- Claims hints of one route and accounts for every row it touched. `verdict` is `publish` (leased, seq grown: the row
-- has what the message needs), `moved` (to the route of the device's token), `deferred` (token set aside or cooling
-- down), or how the entry ended: superseded, cancelled, expired, no_token, silent, buried, missing (a row that it leans
-- on is gone), ended (its history is final already).
--
-- Two statements. The first leases what is plainly in order, which is nearly every row, with as few lookups as that takes:
-- what it asks for is what `publish` means below, for a row that was never leased or was given back. The second judges
-- whatever the first left.
CREATE FUNCTION delivery.claim_hints(
    of_route smallint, at_most integer, floors timestamptz[], owner uuid, lease interval,
    proven timestamptz, recorded timestamptz, stale timestamptz, bury_after integer, silent_after integer
) RETURNS TABLE (
    verdict text, id bigint, lease_token bigint, entry uuid, share smallint, due_at timestamptz, seq integer,
    life integer, crashes integer, claimed_at timestamptz, deadline timestamptz, created_at timestamptz, job uuid,
    document_type text, device uuid, token_kind text, sealed bytea, sealing_key text, fingerprint bytea,
    registered_at timestamptz, expires_at timestamptz, traceparent text, was_leased boolean
)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off AS $$
#variable_conflict use_column
DECLARE
    ids constant bigint[] := delivery.claimable(of_route, at_most, floors, proven, recorded, stale);
    stamp bigint;
    moment constant timestamptz := now();
    served delivery.route_state;
    leased integer;
BEGIN
    IF cardinality(ids) = 0 THEN
        RETURN;
    END IF;
    stamp := nextval('delivery.lease_token');
    SELECT r.* INTO served FROM delivery.route_state r WHERE r.route = of_route;
    RETURN QUERY
    WITH plain AS MATERIALIZED (
        SELECT d.id, d.entry, d.share, d.due_at, d.seq + 1 AS seq, d.life, d.crashes::integer AS crashes, d.created_at,
               p.job_id, j.document_type, p.device_id, t.kind, t.sealed, t.sealing_key_id, t.fingerprint,
               t.registered_at, j.expires_at, j.traceparent
          -- Each LIMIT keeps its lookup where it stands, on the inner side of a loop over what was claimed.
          FROM delivery.due d
         CROSS JOIN LATERAL (
               SELECT p.job_id, p.device_id FROM delivery.push_outbox p
                WHERE p.created_at = d.created_at AND p.id = d.entry AND p.state = 'pending' LIMIT 1) p
         CROSS JOIN LATERAL (
               SELECT j.document_type, j.expires_at, j.traceparent FROM delivery.generation_job j
                WHERE j.job_id = p.job_id AND j.expires_at > moment AND j.cancelled_at IS NULL
                  AND j.expired_at IS NULL LIMIT 1) j
         CROSS JOIN LATERAL (
               SELECT FROM delivery.job_device jd
                WHERE jd.job_id = p.job_id AND jd.device_id = p.device_id AND jd.state = 'pending' LIMIT 1) jd
         CROSS JOIN LATERAL (
               SELECT FROM delivery.device v WHERE v.device_id = p.device_id AND v.state = 'active' LIMIT 1) v
         -- The token that the device is reached by, as below; whether it fits is asked outside, so that only the device
         -- leads to it.
         CROSS JOIN LATERAL (
               SELECT c.provider, c.environment, c.app, c.state, c.not_before, c.kind, c.sealed, c.sealing_key_id,
                      c.fingerprint, c.registered_at
                 FROM delivery.push_token c
                WHERE c.device_id = p.device_id AND c.state IN ('active', 'set_aside')
                ORDER BY c.state, c.registered_at DESC
                LIMIT 1) t
         WHERE d.id = ANY (ids) AND d.lease_token IS NULL AND d.crashes < bury_after AND d.silences < silent_after
           AND t.state = 'active' AND (t.not_before IS NULL OR t.not_before <= moment)
           AND t.provider = served.provider AND t.environment = served.environment AND t.app = served.app
    ), leased AS (
        UPDATE delivery.due d
           SET lease_token = stamp, lease_owner = owner, lease_until = moment + lease, published_at = NULL,
               seq = d.seq + 1
         WHERE d.id = ANY (ARRAY(SELECT l.id FROM plain l))
    )
    SELECT 'publish', l.id, stamp, l.entry, l.share, l.due_at, l.seq, l.life, l.crashes, moment, moment + lease,
           l.created_at, l.job_id, l.document_type, l.device_id, l.kind, l.sealed, l.sealing_key_id, l.fingerprint,
           l.registered_at, l.expires_at, l.traceparent, false
      FROM plain l ORDER BY l.due_at, l.id;
    GET DIAGNOSTICS leased = ROW_COUNT;
    IF leased = cardinality(ids) THEN
        RETURN;
    END IF;
    RETURN QUERY
    WITH looked AS MATERIALIZED (
        SELECT d.id, d.entry, d.share, d.due_at, d.created_at, d.life, d.failures, d.disputes, d.first_failed_at,
               d.seq, d.lease_token IS NOT NULL AS was_leased, n.crashes, n.silences, p.job_id, p.device_id,
               j.document_type, j.expires_at, j.traceparent,
               t.kind, t.sealed, t.sealing_key_id, t.fingerprint, t.registered_at, t.route AS token_route,
               -- A token whose judgement is overdue is looked at again soon.
               CASE WHEN t.state = 'set_aside' AND coalesce(t.trial_until <= moment, true)
                    THEN greatest(coalesce(t.judge_at, moment + interval '2 minutes'), moment + interval '1 second')
                    ELSE t.not_before END AS not_before,
               CASE
                   WHEN p.id IS NULL OR j.job_id IS NULL OR jd.job_id IS NULL THEN 'missing'
                   WHEN p.state <> 'pending' THEN 'ended'
                   WHEN jd.state IN ('acknowledged', 'failed') THEN 'superseded'
                   WHEN j.cancelled_at IS NOT NULL OR jd.state IN ('cancelled', 'revoked') OR v.state = 'revoked'
                        THEN 'cancelled'
                   WHEN j.expires_at <= moment OR j.expired_at IS NOT NULL OR jd.state = 'expired' THEN 'expired'
                   WHEN t.route IS NULL THEN 'no_token'
                   WHEN n.silences >= silent_after THEN 'silent'
                   WHEN n.crashes >= bury_after THEN 'buried'
                   WHEN t.route <> of_route THEN 'moved'
                   WHEN t.state = 'set_aside' AND coalesce(t.trial_until <= moment, true) OR t.not_before > moment
                        THEN 'deferred'
                   ELSE 'publish'
               END AS verdict
          FROM delivery.due d
          -- The counters as they are after the lease that has ended, if one has.
          CROSS JOIN LATERAL (
               SELECT d.crashes + (d.lease_token IS NOT NULL AND d.published_at IS NULL)::integer AS crashes,
                      d.silences + (d.lease_token IS NOT NULL AND d.published_at IS NOT NULL)::integer AS silences) n
          LEFT JOIN delivery.push_outbox p ON p.created_at = d.created_at AND p.id = d.entry
          LEFT JOIN delivery.generation_job j ON j.job_id = p.job_id
          LEFT JOIN delivery.job_device jd ON jd.job_id = p.job_id AND jd.device_id = p.device_id
          LEFT JOIN delivery.device v ON v.device_id = p.device_id
          LEFT JOIN LATERAL (
               SELECT r.route, c.state, c.kind, c.sealed, c.sealing_key_id, c.fingerprint, c.registered_at, c.judge_at,
                      c.not_before, c.trial_until
                 FROM delivery.push_token c
                 JOIN delivery.route_state r
                   ON r.provider = c.provider AND r.environment = c.environment AND r.app = c.app
                WHERE c.device_id = p.device_id AND c.state IN ('active', 'set_aside')
                ORDER BY c.state, c.registered_at DESC
                LIMIT 1) t ON true
         WHERE d.id = ANY (ids) AND d.lease_token IS DISTINCT FROM stamp
    ), leased AS (
        UPDATE delivery.due d
           SET lease_token = stamp, lease_owner = owner, lease_until = moment + lease, published_at = NULL,
               seq = d.seq + 1, crashes = l.crashes, silences = l.silences
          FROM looked l WHERE d.id = l.id AND l.verdict = 'publish'
    ), put_off AS (
        UPDATE delivery.due d
           SET route = CASE l.verdict WHEN 'moved' THEN l.token_route ELSE d.route END,
               due_at = CASE l.verdict WHEN 'moved' THEN d.due_at ELSE least(l.not_before, l.expires_at) END,
               lease_token = NULL, lease_owner = NULL, lease_until = NULL, published_at = NULL,
               crashes = l.crashes, silences = l.silences
          FROM looked l WHERE d.id = l.id AND l.verdict IN ('moved', 'deferred')
    ), gone AS (
        DELETE FROM delivery.due d USING looked l
         WHERE d.id = l.id AND l.verdict NOT IN ('publish', 'moved', 'deferred')
    ), ended AS (
        UPDATE delivery.push_outbox p
           SET state = CASE WHEN l.verdict IN ('silent', 'buried', 'missing') THEN 'failed' ELSE l.verdict END,
               reason = CASE l.verdict WHEN 'silent' THEN 'silent' WHEN 'buried' THEN 'buried'
                                       WHEN 'missing' THEN 'buried' ELSE p.reason END,
               seq = l.seq, life = l.life, failures = l.failures, silences = l.silences, crashes = l.crashes,
               disputes = l.disputes, finished_at = clock_timestamp()
          FROM looked l
         WHERE p.created_at = l.created_at AND p.id = l.entry AND p.state = 'pending'
           AND l.verdict NOT IN ('publish', 'moved', 'deferred', 'ended')
    ), letters AS (
        INSERT INTO delivery.dead_letter AS old
               (queue, message_id, seq, type, reason, failures, first_failed_at, last_failed_at, exchange, routing_key,
                traceparent, job_id, device_id, entry, entry_created_at)
        SELECT 'outbox', l.entry::text, l.seq, 'hint.v1',
               CASE l.verdict WHEN 'silent' THEN 'silent' WHEN 'buried' THEN 'buried: crashes' ELSE 'buried: body missing' END,
               l.failures, l.first_failed_at, moment, 'hints', delivery.queue_of(of_route), l.traceparent, l.job_id,
               l.device_id, l.entry, l.created_at
          FROM looked l WHERE l.verdict IN ('silent', 'buried', 'missing')
        ON CONFLICT (queue, message_id, seq) DO UPDATE
           SET repeats = old.repeats + 1, state = 'open', state_at = now(), reason = excluded.reason
    )
    SELECT l.verdict, l.id, stamp, l.entry, l.share, l.due_at, l.seq + (l.verdict = 'publish')::integer, l.life, l.crashes, moment,
           moment + lease, l.created_at, l.job_id, l.document_type, l.device_id, l.kind, l.sealed, l.sealing_key_id,
           l.fingerprint, l.registered_at, l.expires_at, l.traceparent, l.was_leased
      FROM looked l ORDER BY l.due_at, l.id;
END;
$$;

-- The queue and routing key of a route.
CREATE FUNCTION delivery.queue_of(of_route smallint) RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT concat_ws('.', 'hints', provider, nullif(environment, ''), app)
      FROM delivery.route_state WHERE route = of_route
$$;

-- Claims events. An event whose confirm is unknown is claimed again after its lease without any proof, and that is no
-- silence. `verdict`: publish, buried (crashes, or its body is gone).
CREATE FUNCTION delivery.claim_events(
    at_most integer, floors timestamptz[], owner uuid, lease interval, bury_after integer
) RETURNS TABLE (
    verdict text, id bigint, lease_token bigint, entry uuid, share smallint, due_at timestamptz, seq integer,
    crashes integer, claimed_at timestamptz, created_at timestamptz, exchange text, routing_key text, type text,
    message_id uuid, headers text, body bytea, was_leased boolean
)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off AS $$
#variable_conflict use_column
DECLARE
    ids constant bigint[] := delivery.claimable(0::smallint, at_most, floors, 'infinity', 'infinity', 'infinity');
    stamp bigint;
    moment constant timestamptz := now();
BEGIN
    IF cardinality(ids) = 0 THEN
        RETURN;
    END IF;
    stamp := nextval('delivery.lease_token');
    RETURN QUERY
    WITH looked AS MATERIALIZED (
        SELECT d.id, d.entry, d.share, d.due_at, d.created_at, d.seq, d.lease_token IS NOT NULL AS was_leased,
               n.crashes, e.exchange, e.routing_key, e.type,
               e.message_id, e.headers, e.body,
               CASE WHEN e.id IS NULL OR n.crashes >= bury_after THEN 'buried' ELSE 'publish' END AS verdict
          FROM delivery.due d
          CROSS JOIN LATERAL (
               SELECT d.crashes + (d.lease_token IS NOT NULL AND d.published_at IS NULL)::integer AS crashes) n
          LEFT JOIN delivery.event_outbox e ON e.created_at = d.created_at AND e.id = d.entry
         WHERE d.id = ANY (ids)
    ), leased AS (
        UPDATE delivery.due d
           SET lease_token = stamp, lease_owner = owner, lease_until = moment + lease, published_at = NULL,
               seq = d.seq + 1, crashes = l.crashes
          FROM looked l WHERE d.id = l.id AND l.verdict = 'publish'
    ), gone AS (
        DELETE FROM delivery.due d USING looked l WHERE d.id = l.id AND l.verdict = 'buried'
    ), letters AS (
        INSERT INTO delivery.dead_letter AS old
               (queue, message_id, type, reason, last_failed_at, exchange, routing_key, traceparent, entry,
                entry_created_at)
        SELECT 'outbox', coalesce(l.message_id, l.entry)::text, l.type,
               CASE WHEN l.message_id IS NULL THEN 'buried: body missing' ELSE 'buried: crashes' END, moment, l.exchange, l.routing_key,
               l.headers ->> 'traceparent', l.entry, l.created_at
          FROM looked l WHERE l.verdict = 'buried'
        ON CONFLICT (queue, message_id, seq) DO UPDATE
           SET repeats = old.repeats + 1, state = 'open', state_at = now(), reason = excluded.reason
    )
    SELECT l.verdict, l.id, stamp, l.entry, l.share, l.due_at, l.seq + (l.verdict = 'publish')::integer, l.crashes, moment,
           l.created_at, l.exchange, l.routing_key, l.type, l.message_id, l.headers::text, l.body,
           l.was_leased
      FROM looked l ORDER BY l.due_at, l.id;
END;
$$;

-- The six that follow are fenced by the lease token: a row whose lease went to somebody else is left alone. They return
-- how many rows they found. `ids` ascend, so that `width_bucket` finds a row's place in the lists: a join with the lists
-- would, with the statistics of an empty table, pass over every row for each of them.

-- leased → awaiting. A confirm ends the row of an event, and moves a hint's lease to `lease` from now.
CREATE FUNCTION delivery.confirm_hints(ids bigint[], tokens bigint[], lease interval) RETURNS integer
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off AS $$
DECLARE
    found integer;
BEGIN
    UPDATE delivery.due d
       SET published_at = clock_timestamp(), lease_until = clock_timestamp() + lease, crashes = 0
     WHERE d.id = ANY (ids) AND d.lease_token = tokens[width_bucket(d.id, ids)] AND d.published_at IS NULL;
    GET DIAGNOSTICS found = ROW_COUNT;
    RETURN found;
END;
$$;

CREATE FUNCTION delivery.confirm_events(ids bigint[], tokens bigint[]) RETURNS integer
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off AS $$
DECLARE
    found integer;
BEGIN
    DELETE FROM delivery.due d WHERE d.id = ANY (ids) AND d.lease_token = tokens[width_bucket(d.id, ids)];
    GET DIAGNOSTICS found = ROW_COUNT;
    RETURN found;
END;
$$;

-- Nobody knows whether the broker has it: kept as if confirmed until its deadline, which does not move. It ends as a
-- silence, never as a crash.
CREATE FUNCTION delivery.keep_unknown(ids bigint[], tokens bigint[]) RETURNS integer
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off AS $$
DECLARE
    found integer;
BEGIN
    UPDATE delivery.due d SET published_at = clock_timestamp()
     WHERE d.id = ANY (ids) AND d.lease_token = tokens[width_bucket(d.id, ids)] AND d.published_at IS NULL;
    GET DIAGNOSTICS found = ROW_COUNT;
    RETURN found;
END;
$$;

-- Never written to the socket: due again where it was in line, no counter.
CREATE FUNCTION delivery.release_claims(ids bigint[], tokens bigint[]) RETURNS integer
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off AS $$
DECLARE
    found integer;
BEGIN
    UPDATE delivery.due d SET lease_token = NULL, lease_owner = NULL, lease_until = NULL
     WHERE d.id = ANY (ids) AND d.lease_token = tokens[width_bucket(d.id, ids)] AND d.published_at IS NULL;
    GET DIAGNOSTICS found = ROW_COUNT;
    RETURN found;
END;
$$;

-- Refused by the broker (nack) or returned: due again after `delays`, no counter.
CREATE FUNCTION delivery.defer_claims(ids bigint[], tokens bigint[], delays interval[], errors text[]) RETURNS integer
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off AS $$
DECLARE
    found integer;
BEGIN
    UPDATE delivery.due d
       SET due_at = clock_timestamp() + delays[width_bucket(d.id, ids)],
           last_error = left(errors[width_bucket(d.id, ids)], 120),
           lease_token = NULL, lease_owner = NULL, lease_until = NULL
     WHERE d.id = ANY (ids) AND d.lease_token = tokens[width_bucket(d.id, ids)] AND d.published_at IS NULL;
    GET DIAGNOSTICS found = ROW_COUNT;
    RETURN found;
END;
$$;

-- Can never be published (headers too large, a header that is no text, …): hints end failed(buried), events leave.
CREATE FUNCTION delivery.bury_claims(ids bigint[], tokens bigint[], errors text[]) RETURNS integer
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off AS $$
DECLARE
    found integer;
BEGIN
    WITH gone AS (
        DELETE FROM delivery.due d WHERE d.id = ANY (ids) AND d.lease_token = tokens[width_bucket(d.id, ids)]
        RETURNING d.*, errors[width_bucket(d.id, ids)] AS error
    ), ended AS (
        UPDATE delivery.push_outbox p
           SET state = 'failed', reason = 'buried', seq = g.seq, life = g.life, failures = g.failures,
               silences = g.silences, crashes = g.crashes, disputes = g.disputes, finished_at = clock_timestamp()
          FROM gone g
         WHERE g.route > 0 AND p.created_at = g.created_at AND p.id = g.entry AND p.state = 'pending'
        RETURNING p.id, p.job_id, p.device_id
    ), letters AS (
        INSERT INTO delivery.dead_letter AS old
               (queue, message_id, seq, type, reason, failures, first_failed_at, last_failed_at, exchange, routing_key,
                job_id, device_id, entry, entry_created_at)
        SELECT 'outbox', coalesce(v.message_id, g.entry)::text, CASE WHEN g.route > 0 THEN g.seq ELSE 0 END,
               coalesce(v.type, 'hint.v1'), left('buried: ' || g.error, 200), g.failures, g.first_failed_at, now(),
               coalesce(v.exchange, 'hints'), coalesce(v.routing_key, delivery.queue_of(g.route)), n.job_id,
               n.device_id, g.entry, g.created_at
          FROM gone g
          LEFT JOIN ended n ON n.id = g.entry
          LEFT JOIN delivery.event_outbox v ON g.route = 0 AND v.created_at = g.created_at AND v.id = g.entry
        ON CONFLICT (queue, message_id, seq) DO UPDATE
           SET repeats = old.repeats + 1, state = 'open', state_at = now(), reason = excluded.reason
    )
    SELECT count(*) INTO found FROM gone;
    RETURN found;
END;
$$;

REVOKE EXECUTE ON FUNCTION delivery.claimable, delivery.claim_hints, delivery.claim_events, delivery.confirm_hints,
    delivery.confirm_events, delivery.keep_unknown, delivery.release_claims, delivery.defer_claims,
    delivery.bury_claims, delivery.queue_of FROM PUBLIC;
GRANT EXECUTE ON FUNCTION delivery.claimable, delivery.claim_hints, delivery.claim_events, delivery.confirm_hints,
    delivery.confirm_events, delivery.keep_unknown, delivery.release_claims, delivery.defer_claims,
    delivery.bury_claims, delivery.queue_of TO md_relay;
GRANT SELECT ON delivery.route_state, delivery.push_token, delivery.device, delivery.generation_job,
    delivery.job_device, delivery.push_outbox, delivery.event_outbox, delivery.dead_letter TO md_relay;
GRANT SELECT, UPDATE, DELETE ON delivery.due TO md_relay;
GRANT UPDATE ON delivery.push_outbox, delivery.dead_letter TO md_relay;
GRANT INSERT ON delivery.dead_letter TO md_relay;
GRANT USAGE ON SEQUENCE delivery.lease_token TO md_relay;
