-- Daily partitions (UTC) of the two tables that only grow. They are made ahead, so that the default partition stays
-- empty; rows that reached it nevertheless (nobody made partitions for days) move to the day's own table.

-- Makes the partitions of today and of the next `days` days where they are missing; returns how many. May be called by
-- any number of sessions at once. Attaching locks the parent only against other changes of its shape.
CREATE FUNCTION delivery.make_partitions(days integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '1s' AS $$
DECLARE
    made integer := 0;
    parent text;
    child text;
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
        FOR ahead IN 0..days LOOP
            day := (now() AT TIME ZONE 'UTC')::date + ahead;
            child := format('%s_%s', parent, to_char(day, 'YYYYMMDD'));
            CONTINUE WHEN to_regclass(format('delivery.%I', child)) IS NOT NULL;
            day_start := day::timestamp AT TIME ZONE 'UTC';
            day_end := (day + 1)::timestamp AT TIME ZONE 'UTC';
            EXECUTE format('CREATE TABLE delivery.%I (LIKE delivery.%I INCLUDING ALL)', child, parent);
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

REVOKE EXECUTE ON FUNCTION delivery.make_partitions FROM PUBLIC;
GRANT EXECUTE ON FUNCTION delivery.make_partitions TO md_relay, md_coordinator, md_operator;

SELECT delivery.make_partitions(7);
