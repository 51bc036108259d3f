-- Daily partitions (UTC) of the two tables that only grow: made ahead, so that the default partition stays empty, and dropped
-- by age. Rows that reached the default nevertheless (nobody made partitions for days) move to their day's own table.
-- Whoever runs these is one of many; an advisory lock lets one at a time through and the others go on.

-- Makes the partitions of today, of the next `days` days and of every day that has rows in the default, where they are
-- missing; returns how many. Attaching locks the parent only against other changes of its shape.
CREATE FUNCTION delivery.make_partitions(days integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '1s' AS $$
DECLARE
    made integer := 0;
    parent text;
    child text;
    strays date[];
    day date;
    day_start timestamptz;
    day_end timestamptz;
BEGIN
    IF days NOT BETWEEN 0 AND 60 THEN
        RAISE EXCEPTION 'days out of range' USING ERRCODE = 'MD009', HINT = '0 to 60';
    END IF;
    IF NOT pg_try_advisory_xact_lock(hashtextextended('delivery.make_partitions', 0)) THEN
        RETURN 0;  -- somebody is at it
    END IF;
    FOREACH parent IN ARRAY ARRAY['push_outbox', 'event_outbox'] LOOP
        EXECUTE format('SELECT array_agg(DISTINCT (created_at AT TIME ZONE ''UTC'')::date) FROM delivery.%I',
                       parent || '_default') INTO strays;
        FOR day IN SELECT (now() AT TIME ZONE 'UTC')::date + ahead FROM generate_series(0, days) ahead
                   UNION SELECT unnest(strays) ORDER BY 1 LOOP
            child := format('%s_%s', parent, to_char(day, 'YYYYMMDD'));
            CONTINUE WHEN to_regclass(format('delivery.%I', child)) IS NOT NULL;
            day_start := day::timestamp AT TIME ZONE 'UTC';
            day_end := (day + 1)::timestamp AT TIME ZONE 'UTC';
            -- Every hint's row is written once more, when the hint ends: room beside it spares its indexes that write.
            EXECUTE format('CREATE TABLE delivery.%I (LIKE delivery.%I INCLUDING ALL) WITH (fillfactor = %s)',
                           child, parent, CASE parent WHEN 'push_outbox' THEN 50 ELSE 100 END);
            -- Blocks writers to the default partition alone, which has none unless partitions ran out.
            EXECUTE format('LOCK TABLE delivery.%I IN ACCESS EXCLUSIVE MODE', parent || '_default');
            EXECUTE format(
                'WITH moved AS (DELETE FROM delivery.%1$I WHERE created_at >= %3$L AND created_at < %4$L RETURNING *) '
                'INSERT INTO delivery.%2$I SELECT * FROM moved',
                parent || '_default', child, day_start, day_end);
            EXECUTE format('ALTER TABLE delivery.%I ATTACH PARTITION delivery.%I FOR VALUES FROM (%L) TO (%L)',
                           parent, child, day_start, day_end);
            made := made + 1;
        END LOOP;
    END LOOP;
    RETURN made;
END;
$$;

-- Days of a partitioned table that are over, oldest first.
CREATE FUNCTION delivery.past_partitions(parent text)
RETURNS TABLE (child text, day_start timestamptz, day_end timestamptz)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT d.child, d.day::timestamp AT TIME ZONE 'UTC', (d.day + 1)::timestamp AT TIME ZONE 'UTC'
      FROM (SELECT c.relname::text AS child, to_date(right(c.relname, 8), 'YYYYMMDD') AS day
              FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
             WHERE i.inhparent = format('delivery.%I', past_partitions.parent)::regclass
               AND c.relname ~ '_[0-9]{8}$') d
     WHERE (d.day + 1)::timestamp AT TIME ZONE 'UTC' <= now()
     ORDER BY d.day
$$;

-- Drops one day of history or events that nothing needs any more and returns its name, or NULL when there is none; call it
-- again after a name. History goes when every job of that day expired `retention` less a day ago, so that its first row
-- outlives its job by no more than `retention`; events go at that age. A day to which a row of `due` points stays. The look
-- before the lock spares commits the wait for a scan of the day; the one behind it counts: a re-arm locks its history row
-- first, so it either comes before and is seen, or finds nothing. While the lock is waited for (1 s at most) commits wait, too.
CREATE FUNCTION delivery.drop_partition(parent text, retention interval) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '1s'
SET enable_hashjoin = off SET enable_mergejoin = off AS $$  -- the look ends at the first row that is needed
DECLARE
    old record;
    latest constant timestamptz := now() - greatest(retention - interval '1 day', interval '0');
    is_needed boolean;
    is_referenced boolean;
BEGIN
    IF parent NOT IN ('push_outbox', 'event_outbox') OR retention IS NULL THEN
        RAISE EXCEPTION 'no such history' USING ERRCODE = 'MD009', HINT = 'push_outbox or event_outbox, and an interval';
    END IF;
    IF NOT pg_try_advisory_xact_lock(hashtextextended('delivery.drop_partition', 0)) THEN
        RETURN NULL;
    END IF;
    FOR old IN SELECT * FROM delivery.past_partitions(parent) p WHERE p.day_end <= latest LOOP
        IF parent = 'push_outbox' THEN
            EXECUTE format('SELECT EXISTS (SELECT FROM delivery.%I h JOIN delivery.generation_job j USING (job_id) '
                           'WHERE j.expires_at > $1)', old.child) INTO is_needed USING latest;
            CONTINUE WHEN is_needed;
        END IF;
        CONTINUE WHEN EXISTS (SELECT FROM delivery.due d
                               WHERE d.created_at >= old.day_start AND d.created_at < old.day_end
                                 AND (d.route = 0) = (parent = 'event_outbox'));
        EXECUTE format('LOCK TABLE ONLY delivery.%I IN ACCESS EXCLUSIVE MODE', parent);
        SELECT EXISTS (SELECT FROM delivery.due d
                        WHERE d.created_at >= old.day_start AND d.created_at < old.day_end
                          AND (d.route = 0) = (parent = 'event_outbox')) INTO is_referenced;
        IF is_referenced THEN
            RETURN NULL;  -- re-armed between the two looks; the lock goes with this transaction
        END IF;
        EXECUTE format('DROP TABLE delivery.%I', old.child);
        IF parent = 'push_outbox' THEN
            UPDATE delivery.dead_letter SET state = 'expired', state_at = clock_timestamp()
             WHERE state = 'open' AND entry_created_at >= old.day_start AND entry_created_at < old.day_end;
        END IF;
        RETURN old.child;
    END LOOP;
    RETURN NULL;
END;
$$;

-- How far the search for single rows that outlived their job has come; no position between two rounds.
CREATE TABLE delivery.history_sweep (
    only_row        boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    position        timestamptz,
    round_began_at  timestamptz NOT NULL DEFAULT '-infinity'
);
INSERT INTO delivery.history_sweep DEFAULT VALUES;

-- Jobs of one day may have very different lifetimes. Where a long one keeps the day, the rows of short ones go one by one:
-- an hour of history a call, a round over all of it at most once a day. `more` until the round is over.
CREATE FUNCTION delivery.sweep_history(retention interval) RETURNS TABLE (more boolean, deleted integer)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '1s' AS $$
DECLARE
    at delivery.history_sweep;
    oldest timestamptz;
BEGIN
    more := false; deleted := 0;
    SELECT * INTO at FROM delivery.history_sweep FOR UPDATE SKIP LOCKED;
    IF at.only_row IS NULL OR at.position IS NULL AND at.round_began_at > now() - interval '1 day' THEN
        RETURN NEXT;
        RETURN;
    END IF;
    SELECT min(p.day_start) INTO oldest FROM delivery.past_partitions('push_outbox') p;
    IF at.position IS NULL THEN
        at.round_began_at := now();
        at.position := oldest;
    END IF;
    at.position := greatest(at.position, oldest);
    more := coalesce(at.position + interval '1 hour' <= now() - retention, false);
    IF more THEN
        DELETE FROM delivery.push_outbox h USING delivery.generation_job j
         WHERE h.created_at >= at.position AND h.created_at < at.position + interval '1 hour' AND j.job_id = h.job_id
           AND j.expires_at < now() - retention AND h.state <> 'pending';
        GET DIAGNOSTICS deleted = ROW_COUNT;
    END IF;
    UPDATE delivery.history_sweep
       SET position = CASE WHEN more THEN at.position + interval '1 hour' END, round_began_at = at.round_began_at;
    RETURN NEXT;
END;
$$;

-- Dead letters end with their history, `retention` after their job's expiry at the latest. Returns how many did.
CREATE FUNCTION delivery.expire_dead_letters(retention interval, at_most integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '1s' AS $$
DECLARE
    closed integer;
BEGIN
    UPDATE delivery.dead_letter SET state = 'expired', state_at = clock_timestamp()
     WHERE state = 'open' AND dead_letter_id = ANY (ARRAY(
           SELECT l.dead_letter_id FROM delivery.dead_letter l JOIN delivery.generation_job j USING (job_id)
            WHERE l.state = 'open' AND j.expires_at < now() - retention
            ORDER BY l.dead_letter_id LIMIT at_most FOR UPDATE OF l SKIP LOCKED));
    GET DIAGNOSTICS closed = ROW_COUNT;
    RETURN closed;
END;
$$;

REVOKE EXECUTE ON FUNCTION delivery.make_partitions, delivery.past_partitions, delivery.drop_partition,
    delivery.sweep_history, delivery.expire_dead_letters FROM PUBLIC;
GRANT EXECUTE ON FUNCTION delivery.make_partitions TO md_relay, md_coordinator, md_operator;
GRANT EXECUTE ON FUNCTION delivery.drop_partition, delivery.sweep_history, delivery.expire_dead_letters
    TO md_relay, md_operator;

SELECT delivery.make_partitions(7);
