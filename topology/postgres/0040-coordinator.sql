-- The coordinator's work (states.md (d) in short: topology/README.md). Each function takes what a row says has to be done:
-- with an id when an event rang, without when it looks by itself. Rows that another session holds are skipped and come
-- again. Lock order everywhere: device, job, job_device, lease, token, due (by id), then push_outbox.

GRANT SELECT ON delivery.device, delivery.generation_job, delivery.job_device, delivery.fanout_lease,
    delivery.downstream_submission, delivery.downstream_ciphertext, delivery.push_token, delivery.push_outbox,
    delivery.due, delivery.job_body TO md_coordinator;
GRANT UPDATE (revocation_done_at) ON delivery.device TO md_coordinator;
GRANT UPDATE (expired_at, cancellation_done_at, purged_at) ON delivery.generation_job TO md_coordinator;
GRANT UPDATE (state, finished_at, sealed_key) ON delivery.job_device TO md_coordinator;
GRANT UPDATE (state, holder_device, lease_nonce, attempt_id, granted_at, expires_at, hard_deadline)
    ON delivery.fanout_lease TO md_coordinator;
GRANT INSERT ON delivery.lease_event TO md_coordinator;
GRANT UPDATE (fanned_out_at, resend_at, taken_until, purged_at) ON delivery.downstream_submission TO md_coordinator;
GRANT UPDATE (state, state_reason, state_at) ON delivery.push_token TO md_coordinator;
GRANT UPDATE (state, reason, seq, life, failures, silences, crashes, disputes, finished_at)
    ON delivery.push_outbox TO md_coordinator;
GRANT UPDATE (last_error), DELETE ON delivery.due TO md_coordinator;  -- UPDATE: to lock before deleting
GRANT DELETE ON delivery.job_body, delivery.downstream_ciphertext, delivery.fanout_part TO md_coordinator;
GRANT SELECT ON delivery.fanout_part TO md_coordinator;

-- Fan-out ---------------------------------------------------------------------------------------------------------------

-- Takes submissions that still have to be published, or again (`resend_at`): the one of that job whatever its age, else
-- those older than `age`. For `hold` no other coordinator takes them.
CREATE FUNCTION delivery.take_fanouts(only_job uuid, age interval, hold interval, at_most integer)
RETURNS TABLE (job_id uuid, document_type text, epoch bigint, device_id uuid, digest bytea, traceparent text,
               recipients text[], resend_at timestamptz, submitted_at timestamptz)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    moment constant timestamptz := clock_timestamp();
    jobs uuid[];
BEGIN
    IF only_job IS NOT NULL THEN
        jobs := ARRAY(SELECT s.job_id FROM delivery.downstream_submission s
                       WHERE s.job_id = only_job AND (s.fanned_out_at IS NULL OR s.resend_at IS NOT NULL)
                         AND (s.taken_until IS NULL OR s.taken_until < moment) AND s.purged_at IS NULL
                         FOR UPDATE SKIP LOCKED);
    ELSE
        -- Each half in the order of its own index, so that a long queue is not sorted.
        jobs := ARRAY(
            SELECT f.job_id FROM (
                SELECT s.job_id FROM delivery.downstream_submission s
                 WHERE s.fanned_out_at IS NULL AND s.submitted_at < moment - age
                   AND (s.taken_until IS NULL OR s.taken_until < moment) AND s.purged_at IS NULL
                 ORDER BY s.submitted_at LIMIT at_most FOR UPDATE SKIP LOCKED) f
            UNION ALL
            SELECT r.job_id FROM (
                SELECT s.job_id FROM delivery.downstream_submission s
                 WHERE s.resend_at <= moment AND s.fanned_out_at IS NOT NULL
                   AND (s.taken_until IS NULL OR s.taken_until < moment) AND s.purged_at IS NULL
                 ORDER BY s.resend_at LIMIT at_most FOR UPDATE SKIP LOCKED) r);
    END IF;
    RETURN QUERY
        WITH taken AS (
            UPDATE delivery.downstream_submission s SET taken_until = moment + hold WHERE s.job_id = ANY (jobs)
            RETURNING s.job_id, s.epoch, s.device_id, s.digest, s.resend_at, s.submitted_at)
        SELECT t.job_id, j.document_type, t.epoch, t.device_id, t.digest, j.traceparent, j.recipients, t.resend_at,
               t.submitted_at
          FROM taken t JOIN delivery.generation_job j ON j.job_id = t.job_id;
END;
$$;

-- Every recipient's message was confirmed: ends the fan-out and, if it was the job's last step, the job. `published_for`
-- is the `resend_at` that was taken, so that a resend asked for meanwhile stays. Returns whether the job completed now.
CREATE FUNCTION delivery.finish_fanout(finished_job uuid, published_for timestamptz) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM FROM delivery.generation_job WHERE job_id = finished_job FOR UPDATE;
    UPDATE delivery.downstream_submission
       SET fanned_out_at = coalesce(fanned_out_at, clock_timestamp()),
           resend_at = CASE WHEN resend_at IS NOT DISTINCT FROM published_for THEN NULL ELSE resend_at END,
           taken_until = NULL
     WHERE job_id = finished_job;
    RETURN cardinality(delivery.try_complete(ARRAY[finished_job])) > 0;
END;
$$;

-- The broker did not take everything: the submission is free again after `pause`.
CREATE FUNCTION delivery.release_fanout(released_job uuid, pause interval) RETURNS void
LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
    UPDATE delivery.downstream_submission SET taken_until = clock_timestamp() + pause WHERE job_id = released_job
$$;

-- Entries ---------------------------------------------------------------------------------------------------------------

-- Ends pending entries without a push: counters move from `due` to the history row. Callers hold the jobs.
CREATE FUNCTION delivery.end_entries(entries uuid[], created timestamptz[], final_state text) RETURNS integer
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_custom_plan AS $$
DECLARE
    ended integer;
BEGIN
    PERFORM FROM delivery.due WHERE entry = ANY (entries) ORDER BY id FOR UPDATE;
    UPDATE delivery.push_outbox p
       SET state = final_state, finished_at = clock_timestamp(),
           seq = coalesce(d.seq, p.seq), life = coalesce(d.life, p.life), failures = coalesce(d.failures, p.failures),
           silences = coalesce(d.silences, p.silences), crashes = coalesce(d.crashes, p.crashes),
           disputes = coalesce(d.disputes, p.disputes)
      FROM unnest(entries, created) e(id, created_at)
      LEFT JOIN delivery.due d ON d.entry = e.id
     WHERE p.created_at = e.created_at AND p.id = e.id AND p.state = 'pending';
    GET DIAGNOSTICS ended = ROW_COUNT;
    DELETE FROM delivery.due WHERE entry = ANY (entries);
    RETURN ended;
END;
$$;

-- Locks those of the jobs that nobody else holds, in the order of their ids.
CREATE FUNCTION delivery.locked_jobs(candidates uuid[]) RETURNS uuid[]
LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
    SELECT coalesce(array_agg(l.job_id), '{}') FROM (
        SELECT job_id FROM delivery.generation_job
         WHERE job_id = ANY (candidates) ORDER BY job_id FOR UPDATE SKIP LOCKED) l
$$;

-- Makes the pending devices of locked jobs final and ends their entries; returns how many devices.
CREATE FUNCTION delivery.end_devices(jobs uuid[], final_state text) RETURNS integer
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    entries uuid[];
    created timestamptz[];
BEGIN
    PERFORM FROM delivery.job_device WHERE job_id = ANY (jobs) AND state = 'pending'
      ORDER BY job_id, device_id FOR UPDATE;
    WITH ended AS (
        UPDATE delivery.job_device SET state = final_state, finished_at = clock_timestamp()
         WHERE job_id = ANY (jobs) AND state = 'pending'
        RETURNING entry, entry_created_at
    )
    SELECT array_agg(entry), array_agg(entry_created_at) INTO entries, created FROM ended;
    IF entries IS NULL THEN
        RETURN 0;
    END IF;
    PERFORM delivery.end_entries(entries, created, final_state);
    RETURN cardinality(entries);
END;
$$;

-- Closes the leases of locked jobs whose fan-out nobody handed in.
CREATE FUNCTION delivery.close_leases(jobs uuid[], reason text) RETURNS void
LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
    WITH locked AS MATERIALIZED (
        SELECT job_id FROM delivery.fanout_lease
         WHERE job_id = ANY (jobs) AND state IN ('open', 'held') ORDER BY job_id FOR UPDATE
    ), closed AS (
        UPDATE delivery.fanout_lease l SET state = 'closed' FROM locked WHERE l.job_id = locked.job_id
        RETURNING l.job_id, l.epoch, l.holder_device
    ), emptied AS (
        DELETE FROM delivery.fanout_part p USING closed WHERE p.job_id = closed.job_id
    )
    INSERT INTO delivery.lease_event (job_id, epoch, kind, device_id, detail)
    SELECT job_id, epoch, 'closed', holder_device, reason FROM closed
$$;

-- Expiry, cancellation, revocation ------------------------------------------------------------------------------------------

-- Jobs past their expiry: pending devices and entries expire; a job whose fan-out was needed and not handed in expires and
-- says so, any other is completed if that was its last step. A submission that is still being published keeps its job.
CREATE FUNCTION delivery.expire_jobs(at_most integer)
RETURNS TABLE (taken integer, devices integer, expired integer, completed integer)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    moment constant timestamptz := clock_timestamp();
    jobs uuid[];
    lost uuid[];
BEGIN
    -- Subqueries of one row, because an EXISTS in an OR may be answered by reading the whole table first.
    jobs := delivery.locked_jobs(ARRAY(
        SELECT j.job_id FROM delivery.generation_job j
         WHERE j.completed_at IS NULL AND j.expired_at IS NULL AND j.cancelled_at IS NULL
           AND j.expires_at <= moment
           AND ((SELECT true FROM delivery.job_device d WHERE d.job_id = j.job_id AND d.state = 'pending' LIMIT 1)
                OR (SELECT s.fanned_out_at IS NOT NULL FROM delivery.downstream_submission s
                     WHERE s.job_id = j.job_id LIMIT 1) IS DISTINCT FROM false)
         ORDER BY j.expires_at LIMIT at_most));
    taken := cardinality(jobs);
    -- Somebody may have ended one between the look and the lock.
    jobs := ARRAY(SELECT j.job_id FROM delivery.generation_job j
                   WHERE j.job_id = ANY (jobs)
                     AND num_nonnulls(j.completed_at, j.expired_at, j.cancelled_at) = 0);
    devices := delivery.end_devices(jobs, 'expired');
    -- A submission being made holds its lease: wait for it before asking whether there is one.
    PERFORM FROM delivery.fanout_lease WHERE job_id = ANY (jobs) ORDER BY job_id FOR UPDATE;
    WITH over AS (
        UPDATE delivery.generation_job j SET expired_at = clock_timestamp()
         WHERE j.job_id = ANY (jobs) AND cardinality(j.recipients) > 0
           AND NOT EXISTS (SELECT FROM delivery.downstream_submission s WHERE s.job_id = j.job_id)
        RETURNING j.job_id, j.account_id, j.expired_at, j.traceparent
    ), told AS (
        SELECT over.job_id,
               delivery.announce('events', 'job.expired', 'job.expired.v1', NULL,
                   jsonb_strip_nulls(jsonb_build_object('traceparent', over.traceparent)),
                   jsonb_build_object('version', 1, 'job', over.job_id, 'account', over.account_id,
                                      'at', delivery.milliseconds(over.expired_at)),
                   delivery.share_of(over.job_id::text)) AS event
          FROM over
    )
    SELECT coalesce(array_agg(job_id) FILTER (WHERE event IS NOT NULL), '{}') INTO lost FROM told;
    PERFORM delivery.close_leases(lost, 'job expired');
    expired := cardinality(lost);
    completed := cardinality(delivery.try_complete(jobs));
    RETURN NEXT;
END;
$$;

-- What a cancellation left to do: devices and entries cancelled, the lease closed. `only_job` when an event rang. What was
-- handed in before is still published: the device was told that it was accepted.
CREATE FUNCTION delivery.finish_cancellations(only_job uuid, age interval, at_most integer)
RETURNS TABLE (taken integer, devices integer)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    latest constant timestamptz := CASE WHEN only_job IS NULL THEN clock_timestamp() - age ELSE 'infinity' END;
    jobs uuid[];
BEGIN
    jobs := delivery.locked_jobs(ARRAY(
        SELECT j.job_id FROM delivery.generation_job j
         WHERE j.cancelled_at <= latest AND j.cancellation_done_at IS NULL
           AND (only_job IS NULL OR j.job_id = only_job)
         ORDER BY j.cancelled_at LIMIT at_most));
    taken := cardinality(jobs);
    devices := delivery.end_devices(jobs, 'cancelled');
    PERFORM delivery.close_leases(jobs, 'job cancelled');
    UPDATE delivery.generation_job SET cancellation_done_at = clock_timestamp() WHERE job_id = ANY (jobs);
    RETURN NEXT;
END;
$$;

-- One revoked device that still has something to lose, or NULL: the one of the event, else the oldest. Its row is locked.
CREATE FUNCTION delivery.take_revocation(only_device uuid, age interval) RETURNS uuid
LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
    SELECT device_id FROM delivery.device
     WHERE state = 'revoked' AND revocation_done_at IS NULL
       AND CASE WHEN only_device IS NOT NULL THEN device_id = only_device
                ELSE revoked_at < clock_timestamp() - age END
     ORDER BY revoked_at LIMIT 1 FOR UPDATE SKIP LOCKED
$$;

-- What a revocation left to do, at most that many jobs a call: pending jobs revoked and perhaps complete by it, entries
-- cancelled, sealed keys deleted, tokens detached, leases that the device holds opened for others (their epoch stays, the
-- next grant raises it). `revoked` is NULL when there was none; call again while `more`.
CREATE FUNCTION delivery.finish_revocation(only_device uuid, age interval, at_most integer)
RETURNS TABLE (revoked uuid, jobs integer, leases integer, completed integer, more boolean)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    affected uuid[];
    locked uuid[];
    entries uuid[];
    created timestamptz[];
BEGIN
    revoked := delivery.take_revocation(only_device, age);
    jobs := 0; leases := 0; completed := 0; more := false;
    IF revoked IS NULL THEN
        RETURN NEXT;
        RETURN;
    END IF;
    affected := ARRAY(
        SELECT job_id FROM (
            (SELECT job_id FROM delivery.job_device WHERE device_id = revoked AND state = 'pending' LIMIT at_most)
            UNION
            (SELECT job_id FROM delivery.fanout_lease WHERE holder_device = revoked AND state = 'held' LIMIT at_most)
        ) a ORDER BY job_id);
    SELECT coalesce(array_agg(l.job_id), '{}') INTO locked FROM (
        SELECT job_id FROM delivery.generation_job WHERE job_id = ANY (affected) ORDER BY job_id FOR UPDATE) l;
    jobs := cardinality(locked);

    PERFORM FROM delivery.job_device WHERE job_id = ANY (locked) AND device_id = revoked ORDER BY job_id FOR UPDATE;
    WITH ended AS (
        UPDATE delivery.job_device SET state = 'revoked', finished_at = clock_timestamp(), sealed_key = NULL
         WHERE job_id = ANY (locked) AND device_id = revoked AND state = 'pending'
        RETURNING entry, entry_created_at
    )
    SELECT array_agg(entry), array_agg(entry_created_at) INTO entries, created FROM ended;

    PERFORM FROM delivery.fanout_lease WHERE job_id = ANY (locked) AND holder_device = revoked ORDER BY job_id FOR UPDATE;
    WITH opened AS (
        UPDATE delivery.fanout_lease
           SET state = 'open', holder_device = NULL, lease_nonce = NULL, attempt_id = NULL, granted_at = NULL,
               expires_at = NULL, hard_deadline = NULL
         WHERE job_id = ANY (locked) AND holder_device = revoked AND state = 'held'
        RETURNING job_id, epoch
    ), told AS (
        INSERT INTO delivery.lease_event (job_id, epoch, kind, device_id, detail)
        SELECT job_id, epoch, 'revoked', revoked, 'device revoked' FROM opened RETURNING 1
    )
    SELECT count(*) INTO leases FROM told;

    UPDATE delivery.push_token SET state = 'detached', state_reason = 'device revoked', state_at = clock_timestamp()
     WHERE device_id = revoked AND state IN ('active', 'set_aside');
    IF entries IS NOT NULL THEN
        PERFORM delivery.end_entries(entries, created, 'cancelled');
    END IF;
    completed := cardinality(delivery.try_complete(locked));

    more := EXISTS (SELECT FROM delivery.job_device WHERE device_id = revoked AND state = 'pending')
            OR EXISTS (SELECT FROM delivery.fanout_lease WHERE holder_device = revoked AND state = 'held');
    IF NOT more THEN
        UPDATE delivery.job_device SET sealed_key = NULL WHERE device_id = revoked AND sealed_key IS NOT NULL;
        UPDATE delivery.device SET revocation_done_at = clock_timestamp() WHERE device_id = revoked;
    END IF;
    RETURN NEXT;
END;
$$;

-- Purge -------------------------------------------------------------------------------------------------------------------

-- Deletes bodies and sealed keys of jobs that ended at least `rest` ago, never while something is still to be published.
CREATE FUNCTION delivery.purge_jobs(rest interval, at_most integer) RETURNS integer
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    latest constant timestamptz := clock_timestamp() - rest;
    jobs uuid[];
BEGIN
    SELECT coalesce(array_agg(l.job_id), '{}') INTO jobs FROM (
        SELECT j.job_id FROM delivery.generation_job j
         WHERE j.purged_at IS NULL AND num_nonnulls(j.completed_at, j.expired_at, j.cancelled_at) > 0
           AND coalesce(j.completed_at, j.expired_at, j.cancelled_at) <= latest
           AND (j.cancelled_at IS NULL OR j.cancellation_done_at IS NOT NULL)
           AND NOT EXISTS (SELECT FROM delivery.downstream_submission s
                            WHERE s.job_id = j.job_id AND s.fanned_out_at IS NULL)
         ORDER BY coalesce(j.completed_at, j.expired_at, j.cancelled_at) LIMIT at_most
           FOR UPDATE SKIP LOCKED) l;
    UPDATE delivery.job_device SET sealed_key = NULL WHERE job_id = ANY (jobs) AND sealed_key IS NOT NULL;
    DELETE FROM delivery.job_body WHERE job_id = ANY (jobs);
    UPDATE delivery.generation_job SET purged_at = clock_timestamp() WHERE job_id = ANY (jobs);
    RETURN cardinality(jobs);
END;
$$;

-- Deletes the ciphertexts of fan-outs that ended at least `rest` ago; until then `outbox resend` can send them again.
CREATE FUNCTION delivery.purge_ciphertexts(rest interval, at_most integer) RETURNS integer
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    latest constant timestamptz := clock_timestamp() - rest;
    submissions uuid[];
BEGIN
    SELECT coalesce(array_agg(l.job_id), '{}') INTO submissions FROM (
        SELECT s.job_id FROM delivery.downstream_submission s
         WHERE s.purged_at IS NULL AND s.resend_at IS NULL AND s.fanned_out_at <= latest
         ORDER BY s.fanned_out_at LIMIT at_most FOR UPDATE SKIP LOCKED) l;
    DELETE FROM delivery.downstream_ciphertext WHERE job_id = ANY (submissions);
    UPDATE delivery.downstream_submission SET purged_at = clock_timestamp() WHERE job_id = ANY (submissions);
    RETURN cardinality(submissions);
END;
$$;

-- Alarms ------------------------------------------------------------------------------------------------------------------

-- What should not be: fan-outs that nobody handed in although a device has been through for `lease_age` (while all are
-- offline nothing is wrong), and submissions that are not published `fanout_age` after they were handed in. Counts stop
-- at 1000; the oldest of each is named.
CREATE FUNCTION delivery.stuck_fanouts(lease_age interval, fanout_age interval)
RETURNS TABLE (leases integer, lease_job uuid, fanouts integer, fanout_job uuid)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    WITH lease AS MATERIALIZED (
        SELECT j.job_id, j.created_at
          FROM delivery.fanout_lease l JOIN delivery.generation_job j USING (job_id)
         WHERE l.state IN ('open', 'held') AND j.created_at < now() - lease_age
           AND j.completed_at IS NULL AND j.expired_at IS NULL AND j.cancelled_at IS NULL
           AND (SELECT true FROM delivery.job_device d
                 WHERE d.job_id = j.job_id AND d.state = 'acknowledged' AND d.finished_at < now() - lease_age LIMIT 1)
         LIMIT 1000
    ), fanout AS MATERIALIZED (
        SELECT job_id, submitted_at FROM delivery.downstream_submission
         WHERE fanned_out_at IS NULL AND submitted_at < now() - fanout_age
         ORDER BY submitted_at LIMIT 1000
    )
    SELECT (SELECT count(*) FROM lease)::integer, (SELECT job_id FROM lease ORDER BY created_at LIMIT 1),
           (SELECT count(*) FROM fanout)::integer, (SELECT job_id FROM fanout ORDER BY submitted_at LIMIT 1)
$$;

-- Open jobs that nothing will happen to any more. Whoever commits a last step completes its job in that transaction, so one
-- that has had its last step for `age` and is open is a fault of ours: it is completed here, and counted. And one whose
-- fan-out nobody can hand in, because no active device of it is pending or acknowledged, waits for nothing but its expiry.
CREATE FUNCTION delivery.sweep_final_jobs(age interval, at_most integer)
RETURNS TABLE (overdue integer, overdue_job uuid, orphaned integer, orphaned_job uuid)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    latest constant timestamptz := clock_timestamp() - age;
    done uuid[];
BEGIN
    done := delivery.try_complete(delivery.locked_jobs(ARRAY(
        SELECT j.job_id FROM delivery.generation_job j
         WHERE j.completed_at IS NULL AND j.expired_at IS NULL AND j.cancelled_at IS NULL AND j.created_at < latest
           AND NOT EXISTS (SELECT FROM delivery.job_device d WHERE d.job_id = j.job_id AND d.state = 'pending')
           AND NOT EXISTS (SELECT FROM delivery.job_device d WHERE d.job_id = j.job_id AND d.finished_at >= latest)
           AND (cardinality(j.recipients) = 0
                OR EXISTS (SELECT FROM delivery.downstream_submission s
                            WHERE s.job_id = j.job_id AND s.fanned_out_at < latest))
         ORDER BY j.created_at LIMIT at_most)));
    overdue := cardinality(done);
    overdue_job := done[1];
    SELECT count(*), (array_agg(o.job_id ORDER BY o.created_at))[1] INTO orphaned, orphaned_job FROM (
        SELECT j.job_id, j.created_at FROM delivery.generation_job j
         WHERE j.completed_at IS NULL AND j.expired_at IS NULL AND j.cancelled_at IS NULL AND j.created_at < latest
           AND cardinality(j.recipients) > 0
           AND NOT EXISTS (SELECT FROM delivery.downstream_submission s WHERE s.job_id = j.job_id)
           AND NOT EXISTS (
               SELECT FROM delivery.job_device d JOIN delivery.device o USING (device_id)
                WHERE d.job_id = j.job_id AND d.state IN ('pending', 'acknowledged') AND o.state = 'active')
         LIMIT 1000) o;
    RETURN NEXT;
END;
$$;

DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['take_fanouts', 'finish_fanout', 'release_fanout', 'end_entries',
        'locked_jobs', 'end_devices', 'close_leases', 'expire_jobs', 'finish_cancellations',
        'take_revocation', 'finish_revocation', 'purge_jobs', 'purge_ciphertexts', 'stuck_fanouts',
        'sweep_final_jobs'] LOOP
        EXECUTE format('REVOKE EXECUTE ON FUNCTION delivery.%I FROM PUBLIC', name);
        EXECUTE format('GRANT EXECUTE ON FUNCTION delivery.%I TO md_coordinator', name);
    END LOOP;
END;
$$;
