-- What the producer API does to many rows: cancel what an author committed in a time range, erase a device or an account.
--
-- Locks: account, devices, jobs, then what belongs to them, in the order of their ids. The functions run as their owner,
-- because no service may delete from these tables.

-- Pages of the disk by their time: next to nothing for a commit, and enough to find a range.
CREATE INDEX generation_job_created ON delivery.generation_job USING brin (created_at) WITH (autosummarize = on);
CREATE INDEX enrolment_ticket_account ON delivery.enrolment_ticket (account_id);

-- At most so many open jobs that an author's key signed, committed from one instant up to another, of one account or of
-- all (NULL). Call again while `more`.
CREATE FUNCTION delivery.cancel_jobs(
    author_key text, from_at timestamptz, until_at timestamptz, only_account text, at_most integer, actor text,
    OUT cancelled integer, OUT more boolean
) LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    found uuid[];
    one uuid;
BEGIN
    found := ARRAY(
        SELECT j.job_id FROM delivery.generation_job j
         WHERE j.created_at >= from_at AND j.created_at < until_at AND j.signing_key_id = author_key
           AND (only_account IS NULL OR j.account_id = only_account)
           AND num_nonnulls(j.completed_at, j.expired_at, j.cancelled_at) = 0
         ORDER BY j.created_at, j.job_id LIMIT at_most + 1);
    more := cardinality(found) > at_most;
    cancelled := 0;
    FOR one IN SELECT u FROM unnest(found[1:at_most]) u ORDER BY u LOOP
        IF delivery.cancel_job(one, actor) = 'cancelled' THEN
            cancelled := cancelled + 1;
        END IF;
    END LOOP;
END;
$$;

-- What of a device's hints and leases has not ended yet: the coordinator ends it after a revocation, and a hint that a
-- sender has in hand with its outcome.
CREATE FUNCTION delivery.under_way(the_device uuid) RETURNS bigint
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT (SELECT count(*) FROM delivery.job_device d
             WHERE d.device_id = the_device
               AND (d.state = 'pending' OR EXISTS (SELECT FROM delivery.due w WHERE w.entry = d.entry)))
         + (SELECT count(*) FROM delivery.device v
             WHERE v.device_id = the_device AND v.state = 'revoked' AND v.revocation_done_at IS NULL)
$$;

-- Revokes a device and erases its tokens, the keys that were sealed to it and its evidence at once; its keys, history and
-- dead letters once nothing of it is under way. What stays is the bare row: its id is never used again, and the phone is
-- told that it is revoked. outcome: erased (`left_over` = what is still under way: call again), not_found
CREATE FUNCTION delivery.erase_device(the_device uuid, actor text, OUT outcome text, OUT left_over bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    entries uuid[];
    created timestamptz[];
    jobs uuid[];
BEGIN
    IF delivery.revoke_device(the_device, actor) = 'not_found' THEN
        outcome := 'not_found';
        RETURN;
    END IF;
    outcome := 'erased';
    PERFORM FROM delivery.device d WHERE d.device_id = the_device FOR UPDATE;
    PERFORM FROM delivery.job_device d WHERE d.device_id = the_device ORDER BY d.job_id FOR UPDATE;
    UPDATE delivery.job_device d SET sealed_key = NULL, evidence = NULL
     WHERE d.device_id = the_device AND num_nonnulls(d.sealed_key, d.evidence) > 0;
    DELETE FROM delivery.push_token t WHERE t.device_id = the_device;
    left_over := delivery.under_way(the_device);
    IF left_over > 0 THEN
        RETURN;
    END IF;
    SELECT array_agg(d.entry), array_agg(d.entry_created_at), array_agg(d.job_id) INTO entries, created, jobs
      FROM delivery.job_device d WHERE d.device_id = the_device;
    DELETE FROM delivery.dead_letter l WHERE l.entry = ANY (entries);
    DELETE FROM delivery.push_outbox p USING unnest(entries, created) e(id, at) WHERE p.created_at = e.at AND p.id = e.id;
    UPDATE delivery.lease_event e SET device_id = NULL WHERE e.job_id = ANY (jobs) AND e.device_id = the_device;
    DELETE FROM delivery.device_key k WHERE k.device_id = the_device;
    DELETE FROM delivery.enrolment_ticket t USING delivery.device d
     WHERE d.device_id = the_device AND t.account_id = d.account_id AND t.device_id = the_device;
    INSERT INTO delivery.audit (actor, action, subject)
    SELECT erase_device.actor, 'device.erase', the_device::text
     WHERE NOT EXISTS (SELECT FROM delivery.audit a
                        WHERE a.action = 'device.erase' AND a.subject = the_device::text);
END;
$$;

-- Revokes every device of an account, cancels its jobs, and deletes the account with all that belongs to it, at most so
-- many jobs a call. `left_over` = what is still there: call again. An account that is not there is erased.
CREATE FUNCTION delivery.erase_account(the_account text, at_most integer, actor text, OUT left_over bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    one uuid;
    gone uuid[];
BEGIN
    left_over := 0;
    PERFORM FROM delivery.account a WHERE a.account_id = the_account FOR UPDATE;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    DELETE FROM delivery.enrolment_ticket t WHERE t.account_id = the_account;
    FOR one IN SELECT d.device_id FROM delivery.device d WHERE d.account_id = the_account ORDER BY d.device_id LOOP
        left_over := left_over + (delivery.erase_device(one, actor)).left_over;
    END LOOP;
    FOR one IN SELECT j.job_id FROM delivery.generation_job j
                WHERE j.account_id = the_account AND num_nonnulls(j.completed_at, j.expired_at, j.cancelled_at) = 0
                ORDER BY j.job_id LIMIT at_most LOOP
        PERFORM delivery.cancel_job(one, actor);
    END LOOP;
    SELECT coalesce(array_agg(l.job_id), '{}') INTO gone FROM (
        SELECT j.job_id FROM delivery.generation_job j
         WHERE j.account_id = the_account AND num_nonnulls(j.completed_at, j.expired_at, j.cancelled_at) > 0
           AND (j.cancelled_at IS NULL OR j.cancellation_done_at IS NOT NULL)
           AND NOT EXISTS (SELECT FROM delivery.downstream_submission s
                            WHERE s.job_id = j.job_id AND s.fanned_out_at IS NULL)
           AND NOT EXISTS (SELECT FROM delivery.job_device d JOIN delivery.due w ON w.entry = d.entry
                            WHERE d.job_id = j.job_id)
         ORDER BY j.job_id LIMIT at_most FOR UPDATE) l;
    DELETE FROM delivery.dead_letter l USING delivery.job_device d WHERE d.job_id = ANY (gone) AND l.entry = d.entry;
    DELETE FROM delivery.push_outbox p USING delivery.job_device d
     WHERE d.job_id = ANY (gone) AND p.created_at = d.entry_created_at AND p.id = d.entry;
    DELETE FROM delivery.downstream_submission s WHERE s.job_id = ANY (gone);  -- and its ciphertexts
    DELETE FROM delivery.lease_event e WHERE e.job_id = ANY (gone);
    DELETE FROM delivery.lease_attempt a WHERE a.job_id = ANY (gone);
    DELETE FROM delivery.fanout_lease l WHERE l.job_id = ANY (gone);
    DELETE FROM delivery.job_body b WHERE b.job_id = ANY (gone);
    DELETE FROM delivery.job_device d WHERE d.job_id = ANY (gone);
    DELETE FROM delivery.generation_job j WHERE j.job_id = ANY (gone);
    left_over := left_over + (SELECT count(*) FROM delivery.generation_job j WHERE j.account_id = the_account);
    IF left_over = 0 THEN
        DELETE FROM delivery.device_key k USING delivery.device d
         WHERE d.account_id = the_account AND k.device_id = d.device_id;
        DELETE FROM delivery.device d WHERE d.account_id = the_account;
        DELETE FROM delivery.account a WHERE a.account_id = the_account;
        INSERT INTO delivery.audit (actor, action, subject) VALUES (actor, 'account.erase', the_account);
    END IF;
END;
$$;

-- Everything with a time that is known of a job, in its order; NULL for an unknown one.
CREATE FUNCTION delivery.job_timeline(the_job uuid) RETURNS jsonb
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT jsonb_agg(jsonb_strip_nulls(jsonb_build_object(
               'at', delivery.milliseconds(t.at), 'what', t.what, 'device', t.device, 'detail', t.detail))
               ORDER BY t.at, t.place, t.number, t.device)
      FROM (
        SELECT 0 AS place, 0 AS number, j.created_at AS at, 'committed' AS what, NULL::uuid AS device, NULL AS detail
          FROM delivery.generation_job j WHERE j.job_id = the_job
        UNION ALL
        SELECT 1, 0, o.finished_at, 'hint ' || o.state, d.device_id, o.reason
          FROM delivery.job_device d JOIN delivery.push_outbox o ON o.created_at = d.entry_created_at AND o.id = d.entry
         WHERE d.job_id = the_job
        UNION ALL
        SELECT 2, 0, d.claimed_at, 'claimed', d.device_id, NULL FROM delivery.job_device d WHERE d.job_id = the_job
        UNION ALL
        SELECT 3, e.event_id, e.at, 'lease ' || e.kind, e.device_id, e.detail
          FROM delivery.lease_event e WHERE e.job_id = the_job
        UNION ALL
        SELECT 4, 0, s.submitted_at, 'submitted', s.device_id, NULL
          FROM delivery.downstream_submission s WHERE s.job_id = the_job
        UNION ALL
        SELECT 5, 0, s.fanned_out_at, 'fanned out', NULL, NULL
          FROM delivery.downstream_submission s WHERE s.job_id = the_job
        UNION ALL
        SELECT 6, 0, d.finished_at, d.state, d.device_id, coalesce(d.failure_reason, d.origin)
          FROM delivery.job_device d WHERE d.job_id = the_job
        UNION ALL
        SELECT 7, 0, d.late_ack_at, 'late ack', d.device_id, NULL FROM delivery.job_device d WHERE d.job_id = the_job
        UNION ALL
        SELECT 8, 0, j.completed_at, 'job completed', NULL, NULL FROM delivery.generation_job j WHERE j.job_id = the_job
        UNION ALL
        SELECT 8, 0, j.expired_at, 'job expired', NULL, NULL FROM delivery.generation_job j WHERE j.job_id = the_job
        UNION ALL
        SELECT 8, 0, j.cancelled_at, 'job cancelled', NULL, NULL FROM delivery.generation_job j WHERE j.job_id = the_job
      ) t
     WHERE t.at IS NOT NULL
$$;

REVOKE EXECUTE ON FUNCTION delivery.cancel_jobs, delivery.under_way, delivery.erase_device, delivery.erase_account,
    delivery.job_timeline FROM PUBLIC;
GRANT EXECUTE ON FUNCTION delivery.cancel_jobs, delivery.erase_device, delivery.erase_account, delivery.job_timeline
    TO md_gateway;
