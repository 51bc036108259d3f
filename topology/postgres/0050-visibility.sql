-- What is to be seen of the outbox, for `status`, the relay's metrics and whoever watches. A full count of a million due
-- rows takes some 300 ms, so it is made at most once an interval, by whoever asks first, and shared with its age. These
-- functions run with their owner's rights: watchers need nothing but EXECUTE, and see no row.

CREATE TABLE delivery.census (
    only_row    boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    counted_at  timestamptz NOT NULL,
    took        interval NOT NULL,
    -- route, state, reason, owner, rows, oldest (due time)
    groups      jsonb NOT NULL,
    -- route, accepted and answers a second
    rates       jsonb NOT NULL,
    -- queue, open, uninstalled
    letters     jsonb NOT NULL
);

-- Counts again if the last count is older than that; returns when it was made. Never waits for somebody else's count,
-- except for the very first.
CREATE FUNCTION delivery.take_census(longest_age interval) RETURNS timestamptz
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET enable_sort = off SET jit = off AS $$
DECLARE
    key constant bigint := hashtextextended('delivery.census', 0);
    began timestamptz;
    last timestamptz;
    counted jsonb;
    speeds jsonb;
    dead jsonb;
BEGIN
    SELECT c.counted_at INTO last FROM delivery.census c;
    IF last > clock_timestamp() - longest_age THEN
        RETURN last;
    ELSIF last IS NULL THEN
        PERFORM pg_advisory_xact_lock(key);
    ELSIF NOT pg_try_advisory_xact_lock(key) THEN
        RETURN last;
    END IF;
    SELECT c.counted_at INTO last FROM delivery.census c;  -- somebody may have been faster
    IF last > clock_timestamp() - longest_age THEN
        RETURN last;
    END IF;

    began := clock_timestamp();
    WITH grouped AS (
        -- States are those of states.md (a). A confirmed row whose lease ended waits for proof; an event needs none.
        SELECT d.route, s.state,
               CASE WHEN s.state = 'deferred' THEN coalesce(left(split_part(d.last_error, ':', 1), 60), '') END AS reason,
               CASE WHEN s.state IN ('leased', 'awaiting') THEN d.lease_owner END AS owner,
               count(*) AS rows, min(d.due_at) AS oldest
          FROM delivery.due d
         CROSS JOIN LATERAL (SELECT CASE
                   WHEN d.lease_until > began AND d.published_at IS NULL THEN 'leased'
                   WHEN d.lease_until > began THEN 'awaiting'
                   WHEN d.published_at IS NOT NULL AND d.route > 0 THEN 'lapsed'
                   WHEN d.due_at > began AND d.lease_token IS NULL THEN 'deferred'
                   ELSE 'due' END AS state) s
         GROUP BY 1, 2, 3, 4
    ), ranked AS (
        SELECT g.*, row_number() OVER (PARTITION BY route, state ORDER BY rows DESC) AS place FROM grouped g
    ), bounded AS (
        -- Reasons and owners are texts and ids of others: the most frequent keep their name.
        SELECT route, state, CASE WHEN place <= 20 THEN reason WHEN state = 'deferred' THEN 'other reasons' END AS reason,
               CASE WHEN place <= 20 THEN owner END AS owner, sum(rows) AS rows, min(oldest) AS oldest
          FROM ranked GROUP BY 1, 2, 3, 4
    )
    SELECT coalesce(jsonb_agg(to_jsonb(b)), '[]') INTO counted FROM bounded b;

    -- The minute that runs and the whole one before it.
    SELECT coalesce(jsonb_agg(to_jsonb(r)), '[]') INTO speeds FROM (
        SELECT w.route, sum(w.acceptances) / seconds AS accepted, sum(w.answers) / seconds AS answers
          FROM delivery.route_window w,
               extract(epoch FROM began - date_trunc('minute', began) + interval '1 minute') seconds
         WHERE w.minute >= date_trunc('minute', began) - interval '1 minute'
         GROUP BY w.route, seconds) r;

    SELECT coalesce(jsonb_agg(to_jsonb(l)), '[]') INTO dead FROM (
        SELECT d.queue, count(*) FILTER (WHERE d.reason <> 'token') AS open,
               count(*) FILTER (WHERE d.reason = 'token') AS uninstalled
          FROM delivery.dead_letter d WHERE d.state = 'open' GROUP BY d.queue) l;

    INSERT INTO delivery.census (counted_at, took, groups, rates, letters)
    VALUES (began, clock_timestamp() - began, counted, speeds, dead)
    ON CONFLICT (only_row) DO UPDATE
       SET counted_at = excluded.counted_at, took = excluded.took, groups = excluded.groups, rates = excluded.rates,
           letters = excluded.letters;
    RETURN began;
END;
$$;

-- One row a route (0: events), with ages as of now.
CREATE FUNCTION delivery.outbox_sizes(longest_age interval)
RETURNS TABLE (counted_at timestamptz, age interval, took interval, route smallint, due bigint, leased bigint,
               awaiting bigint, lapsed bigint, deferred bigint, oldest_due_at timestamptz, oldest_age interval,
               accepted_rate float8, answer_rate float8)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    PERFORM delivery.take_census(longest_age);
    RETURN QUERY
    SELECT c.counted_at, clock_timestamp() - c.counted_at, c.took, r.route,
           coalesce(sum(g.rows) FILTER (WHERE g.state = 'due'), 0)::bigint,
           coalesce(sum(g.rows) FILTER (WHERE g.state = 'leased'), 0)::bigint,
           coalesce(sum(g.rows) FILTER (WHERE g.state = 'awaiting'), 0)::bigint,
           coalesce(sum(g.rows) FILTER (WHERE g.state = 'lapsed'), 0)::bigint,
           coalesce(sum(g.rows) FILTER (WHERE g.state = 'deferred'), 0)::bigint,
           min(g.oldest) FILTER (WHERE g.state IN ('due', 'lapsed')),
           clock_timestamp() - min(g.oldest) FILTER (WHERE g.state IN ('due', 'lapsed')),
           coalesce(max(s.accepted), 0), coalesce(max(s.answers), 0)
      FROM delivery.census c
     CROSS JOIN delivery.route_state r
      LEFT JOIN jsonb_to_recordset(c.groups) g (route smallint, state text, rows bigint, oldest timestamptz)
             ON g.route = r.route
      LEFT JOIN jsonb_to_recordset(c.rates) s (route smallint, accepted float8, answers float8) ON s.route = r.route
     GROUP BY c.counted_at, c.took, r.route
     ORDER BY r.route;
END;
$$;

-- What the last census saw wait for later, by reason: the beginning of the last outcome.
CREATE FUNCTION delivery.outbox_deferrals() RETURNS TABLE (route smallint, reason text, rows bigint, next_due_at timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT g.route, g.reason, sum(g.rows)::bigint, min(g.oldest)
      FROM delivery.census c,
           jsonb_to_recordset(c.groups) g (route smallint, state text, reason text, rows bigint, oldest timestamptz)
     WHERE g.state = 'deferred' GROUP BY 1, 2 ORDER BY 1, 3 DESC
$$;

-- Running leases of the last census by owner (`lease.owner` in a relay's log); NULL for all beyond the first twenty.
CREATE FUNCTION delivery.outbox_leases() RETURNS TABLE (owner uuid, leased bigint, awaiting bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT g.owner, coalesce(sum(g.rows) FILTER (WHERE g.state = 'leased'), 0)::bigint,
           coalesce(sum(g.rows) FILTER (WHERE g.state = 'awaiting'), 0)::bigint
      FROM delivery.census c, jsonb_to_recordset(c.groups) g (state text, owner uuid, rows bigint)
     WHERE g.state IN ('leased', 'awaiting') GROUP BY 1 ORDER BY sum(g.rows) DESC
$$;

-- Open dead letters of the last census by queue; ordinary uninstalls (B3) apart.
CREATE FUNCTION delivery.open_dead_letters() RETURNS TABLE (queue text, open bigint, uninstalled bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT l.queue, l.open, l.uninstalled
      FROM delivery.census c, jsonb_to_recordset(c.letters) l (queue text, open bigint, uninstalled bigint) ORDER BY 1
$$;

-- Open dead letters by reason, hour and queue. Counting a million takes most of a second, so a count is shared with its
-- age like the one above, and one that took long is kept longer: looking costs at most a twentieth of the time.
CREATE TABLE delivery.letter_census (
    only_row    boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    counted_at  timestamptz NOT NULL,
    took        interval NOT NULL,
    -- name, letters: the 50 most frequent reasons but ordinary uninstalls
    reasons     jsonb NOT NULL,
    -- name (beginning of the hour in UTC), letters: the last 24 that have any
    hours       jsonb NOT NULL,
    -- queue, open, uninstalled
    queues      jsonb NOT NULL
);

CREATE FUNCTION delivery.count_letters(longest_age interval)
RETURNS TABLE (counted_at timestamptz, age interval, reasons jsonb, hours jsonb, queues jsonb)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off AS $$
#variable_conflict use_column
DECLARE
    key constant bigint := hashtextextended('delivery.letter_census', 0);
    last delivery.letter_census;
    began timestamptz;
BEGIN
    SELECT * INTO last FROM delivery.letter_census;
    IF last.counted_at IS NULL OR longest_age = interval '0'
       OR last.counted_at < clock_timestamp() - greatest(longest_age, last.took * 20) THEN
        IF last.counted_at IS NULL OR longest_age = interval '0' THEN
            PERFORM pg_advisory_xact_lock(key);
        END IF;
        IF pg_try_advisory_xact_lock(key) THEN
            began := clock_timestamp();
            WITH grouped AS MATERIALIZED (
                SELECT l.queue, l.reason, date_trunc('hour', l.recorded_at, 'UTC') AS hour, count(*) AS n
                  FROM delivery.dead_letter l WHERE l.state = 'open' GROUP BY 1, 2, 3
            )
            INSERT INTO delivery.letter_census AS c (counted_at, took, reasons, hours, queues)
            SELECT began, clock_timestamp() - began,
                   (SELECT coalesce(jsonb_agg(to_jsonb(r)), '[]') FROM (
                        SELECT reason AS name, sum(n) AS letters FROM grouped WHERE reason <> 'token'
                         GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 50) r),
                   (SELECT coalesce(jsonb_agg(to_jsonb(h)), '[]') FROM (
                        SELECT to_char(hour AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:00"Z"') AS name, sum(n) AS letters
                          FROM grouped WHERE reason <> 'token' GROUP BY 1 ORDER BY 1 DESC LIMIT 24) h),
                   (SELECT coalesce(jsonb_agg(to_jsonb(q)), '[]') FROM (
                        SELECT queue, coalesce(sum(n) FILTER (WHERE reason <> 'token'), 0) AS open,
                               coalesce(sum(n) FILTER (WHERE reason = 'token'), 0) AS uninstalled
                          FROM grouped GROUP BY 1 ORDER BY 1) q)
            ON CONFLICT (only_row) DO UPDATE
               SET counted_at = excluded.counted_at, took = clock_timestamp() - excluded.counted_at,
                   reasons = excluded.reasons, hours = excluded.hours, queues = excluded.queues;
        END IF;
    END IF;
    RETURN QUERY SELECT c.counted_at, clock_timestamp() - c.counted_at, c.reasons, c.hours, c.queues
                   FROM delivery.letter_census c;
END;
$$;

-- What of the database itself makes the outbox slow or full: the oldest transaction whose snapshot keeps vacuum from
-- dead rows, dead rows of `due`, its last vacuum, and the daily partitions. Sessions of others are visible here only if
-- the owner of this function may see them (superuser or pg_read_all_stats).
CREATE FUNCTION delivery.outbox_health()
RETURNS TABLE (snapshot_age interval, snapshot_pid integer, snapshot_application text, snapshot_role text,
               dead_rows bigint, vacuumed_ago interval, partitions integer, partitions_until timestamptz,
               has_stray_rows boolean)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    WITH snapshot AS (
        SELECT clock_timestamp() - a.xact_start AS age, a.pid, a.application_name AS application, a.usename AS role
          FROM pg_stat_activity a
         WHERE a.backend_xmin IS NOT NULL AND a.pid <> pg_backend_pid() AND a.datname = current_database()
           AND a.backend_type = 'client backend'
        UNION ALL
        SELECT clock_timestamp() - p.prepared, NULL, 'prepared transaction ' || left(p.gid, 40), p.owner
          FROM pg_prepared_xacts p WHERE p.database = current_database()
        ORDER BY 1 DESC NULLS LAST LIMIT 1
    ), child AS (
        SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
         WHERE i.inhparent = 'delivery.push_outbox'::regclass AND c.relname ~ '^push_outbox_[0-9]{8}$'
    )
    SELECT s.age, s.pid, s.application, s.role::text, coalesce(t.n_dead_tup, 0),
           clock_timestamp() - greatest(t.last_autovacuum, t.last_vacuum),
           (SELECT count(*) FROM child)::integer,
           (SELECT (to_date(right(max(relname), 8), 'YYYYMMDD') + 1)::timestamp AT TIME ZONE 'UTC' FROM child),
           EXISTS (SELECT FROM delivery.push_outbox_default) OR EXISTS (SELECT FROM delivery.event_outbox_default)
      FROM (VALUES (true)) v
      LEFT JOIN snapshot s ON true
      LEFT JOIN pg_stat_user_tables t ON t.relid = 'delivery.due'::regclass
$$;

-- Connections of the services by role. Behind a pooler they are the pooler's and may outlive the service.
CREATE FUNCTION delivery.service_sessions() RETURNS TABLE (role text, sessions integer)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT r.role, count(a.pid)::integer
      FROM unnest(ARRAY['md_relay', 'md_recorder', 'md_coordinator', 'md_gateway']) r (role)
      LEFT JOIN pg_stat_activity a ON a.usename = r.role AND a.datname = current_database()
     GROUP BY r.role ORDER BY r.role
$$;

REVOKE EXECUTE ON FUNCTION delivery.take_census, delivery.outbox_sizes, delivery.outbox_deferrals,
    delivery.outbox_leases, delivery.open_dead_letters, delivery.count_letters, delivery.outbox_health,
    delivery.service_sessions FROM PUBLIC;
GRANT EXECUTE ON FUNCTION delivery.count_letters TO md_operator;
GRANT EXECUTE ON FUNCTION delivery.outbox_sizes, delivery.outbox_deferrals, delivery.outbox_leases,
    delivery.open_dead_letters, delivery.outbox_health, delivery.service_sessions TO md_operator, md_relay;

-- `outbox show` reads whole histories, but no body, no key and no sealed token.
GRANT SELECT ON delivery.account, delivery.push_outbox, delivery.due, delivery.dead_letter, delivery.audit,
    delivery.route_state, delivery.route_window, delivery.fanout_lease, delivery.downstream_submission TO md_operator;
GRANT SELECT (device_id, account_id, platform, state, enrolled_at, revoked_at) ON delivery.device TO md_operator;
GRANT SELECT (token_id, device_id, provider, app, environment, kind, fingerprint, registered_at, registration, state,
              state_reason, state_at, not_before, suspected_by, suspected_at, judge_at, trials, trial_until)
    ON delivery.push_token TO md_operator;
GRANT SELECT (job_id, account_id, document_type, recipients, created_at, expires_at, completed_at, expired_at,
              cancelled_at, purged_at) ON delivery.generation_job TO md_operator;
GRANT SELECT (job_id, device_id, state, entry, entry_created_at, claimed_at, finished_at, origin, failure_reason,
              late_ack_at) ON delivery.job_device TO md_operator;
