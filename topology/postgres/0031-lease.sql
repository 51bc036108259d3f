-- The lease of a job's fan-out: exclusive, fenced by an epoch that only grows, and by a nonce of the grant against an
-- epoch that a promoted replica used again. Locks and clock: see 0030.

-- Milliseconds until an instant, never negative.
CREATE FUNCTION delivery.milliseconds_until(later timestamptz, moment timestamptz) RETURNS bigint
LANGUAGE sql IMMUTABLE
RETURN greatest(0, ceil(extract(epoch FROM later - moment) * 1000))::bigint;

CREATE FUNCTION delivery.note_lease(
    the_job uuid, the_epoch bigint, what text, who uuid, moment timestamptz, why text DEFAULT NULL
) RETURNS void
LANGUAGE sql
BEGIN ATOMIC
    INSERT INTO delivery.lease_event (job_id, epoch, kind, device_id, at, detail)
    VALUES (the_job, the_epoch, what, who, moment, why);
END;

-- How long a device that let leases of this job expire stands behind the others: base doubling with each, up to the cap,
-- from the last expiry; nobody stands behind when there is no other device that could do it. Zero or less = not at all.
CREATE FUNCTION delivery.lease_cool_down(
    the_job uuid, the_device uuid, lease delivery.fanout_lease, moment timestamptz, base interval, cap interval
) RETURNS interval
LANGUAGE plpgsql STABLE AS $$
DECLARE
    wasted bigint;
    last_at timestamptz;
BEGIN
    SELECT count(*), max(e.at) INTO wasted, last_at
      FROM delivery.lease_event e WHERE e.job_id = the_job AND e.device_id = the_device AND e.kind = 'expired';
    IF lease.state = 'held' AND lease.holder_device = the_device THEN  -- over, but nobody has noted it yet
        wasted := wasted + 1;
        last_at := lease.expires_at;
    END IF;
    IF wasted = 0 OR NOT EXISTS (
        SELECT FROM delivery.job_device o JOIN delivery.device d USING (device_id)
         WHERE o.job_id = the_job AND o.device_id <> the_device AND o.state IN ('pending', 'acknowledged')
           AND d.state = 'active') THEN
        RETURN interval '0';
    END IF;
    RETURN last_at + least(cap, base * power(2, least(wasted - 1, 20))) - moment;
END;
$$;

-- What every call about a lease begins with: the device and its part of the job, the lease's lock, and only then the clock,
-- which would be stale from before a wait for the lock. outcome: nothing, or why the call ends here (not_required, revoked,
-- not_found).
CREATE FUNCTION delivery.begin_lease_call(
    the_device uuid, the_job uuid, OUT outcome text, OUT lease delivery.fanout_lease, OUT moment timestamptz
) LANGUAGE plpgsql AS $$
BEGIN
    outcome := delivery.begin_job_call(the_device, the_job);
    IF outcome IS NOT NULL THEN
        RETURN;
    END IF;
    SELECT * INTO lease FROM delivery.fanout_lease l WHERE l.job_id = the_job FOR UPDATE;
    IF NOT FOUND THEN
        outcome := 'not_required';
        RETURN;
    END IF;
    moment := clock_timestamp();
END;
$$;

-- outcome: granted (with epoch, nonce and the time left), held (with the time to wait), already_done, attempt_spent,
-- not_generated, not_required, revoked, not_found
CREATE FUNCTION delivery.acquire_lease(
    the_device uuid, the_job uuid, attempt uuid, ttl interval, hard interval, cool_down interval, cool_down_cap interval,
    OUT outcome text, OUT epoch bigint, OUT nonce uuid, OUT milliseconds bigint
) LANGUAGE plpgsql AS $$
DECLARE
    begun record;
    lease delivery.fanout_lease;
    own record;
    moment timestamptz;
    wait interval;
BEGIN
    SELECT * INTO begun FROM delivery.begin_lease_call(the_device, the_job);
    outcome := begun.outcome;
    IF outcome IS NOT NULL THEN
        RETURN;
    END IF;
    lease := begun.lease;
    moment := begun.moment;
    epoch := lease.epoch;
    IF lease.state IN ('done', 'closed') THEN
        outcome := 'already_done';
        RETURN;
    END IF;
    SELECT d.state, d.claimed_at INTO own
      FROM delivery.job_device d WHERE d.job_id = the_job AND d.device_id = the_device;
    IF own.claimed_at IS NULL OR own.state NOT IN ('pending', 'acknowledged') THEN
        outcome := 'not_generated';  -- who never claimed, or gave up, has no receipt to send on
        RETURN;
    END IF;
    IF EXISTS (SELECT FROM delivery.lease_attempt a WHERE a.job_id = the_job AND a.attempt_id = attempt) THEN
        IF lease.state = 'held' AND lease.attempt_id = attempt AND lease.holder_device = the_device
           AND lease.expires_at > moment THEN
            outcome := 'granted';  -- its answer was lost
            nonce := lease.lease_nonce;
            milliseconds := delivery.milliseconds_until(lease.expires_at, moment);
        ELSE
            outcome := 'attempt_spent';
        END IF;
        RETURN;
    END IF;
    IF lease.state = 'held' AND lease.expires_at > moment THEN
        outcome := 'held';
        milliseconds := delivery.milliseconds_until(lease.expires_at, moment);
        RETURN;
    END IF;
    wait := delivery.lease_cool_down(the_job, the_device, lease, moment, cool_down, cool_down_cap);
    IF wait > interval '0' THEN
        outcome := 'held';
        milliseconds := delivery.milliseconds_until(moment + wait, moment);
        RETURN;
    END IF;
    IF lease.state = 'held' THEN
        PERFORM delivery.note_lease(the_job, lease.epoch, 'expired', lease.holder_device, lease.expires_at);
    END IF;
    epoch := lease.epoch + 1;
    nonce := gen_random_uuid();
    milliseconds := delivery.milliseconds_until(moment + ttl, moment);
    UPDATE delivery.fanout_lease l
       SET epoch = acquire_lease.epoch, state = 'held', holder_device = the_device, lease_nonce = nonce,
           attempt_id = attempt, granted_at = moment, expires_at = moment + ttl, hard_deadline = moment + hard,
           renewals = 0
     WHERE l.job_id = the_job;
    INSERT INTO delivery.lease_attempt (job_id, attempt_id, device_id, epoch)
    VALUES (the_job, attempt, the_device, acquire_lease.epoch);
    PERFORM delivery.note_lease(the_job, epoch, 'granted', the_device, moment);
    outcome := 'granted';
END;
$$;

-- outcome: renewed (with the time left), expired, fenced (with the current epoch), already_done, not_required, revoked,
-- not_found
CREATE FUNCTION delivery.renew_lease(
    the_device uuid, the_job uuid, the_epoch bigint, the_nonce uuid, ttl interval,
    OUT outcome text, OUT epoch bigint, OUT milliseconds bigint
) LANGUAGE plpgsql AS $$
DECLARE
    begun record;
    lease delivery.fanout_lease;
    moment timestamptz;
    until timestamptz;
BEGIN
    SELECT * INTO begun FROM delivery.begin_lease_call(the_device, the_job);
    outcome := begun.outcome;
    IF outcome IS NOT NULL THEN
        RETURN;
    END IF;
    lease := begun.lease;
    moment := begun.moment;
    epoch := lease.epoch;
    IF lease.state IN ('done', 'closed') THEN
        outcome := 'already_done';
    ELSIF lease.state <> 'held' OR lease.holder_device <> the_device OR lease.epoch <> the_epoch
          OR lease.lease_nonce <> the_nonce THEN
        outcome := 'fenced';
    ELSIF lease.expires_at <= moment THEN
        outcome := 'expired';
    ELSE
        until := least(moment + ttl, lease.hard_deadline);
        UPDATE delivery.fanout_lease l SET expires_at = until, renewals = l.renewals + 1 WHERE l.job_id = the_job;
        PERFORM delivery.note_lease(the_job, lease.epoch, 'renewed', the_device, moment);
        milliseconds := delivery.milliseconds_until(until, moment);
        outcome := 'renewed';
    END IF;
END;
$$;

-- outcome: released (also when it was before), fenced, already_done, not_required, revoked, not_found. The epoch stays:
-- the next grant is one more.
CREATE FUNCTION delivery.release_lease(
    the_device uuid, the_job uuid, the_epoch bigint, the_nonce uuid, OUT outcome text, OUT epoch bigint
) LANGUAGE plpgsql AS $$
DECLARE
    begun record;
    lease delivery.fanout_lease;
BEGIN
    SELECT * INTO begun FROM delivery.begin_lease_call(the_device, the_job);
    outcome := begun.outcome;
    IF outcome IS NOT NULL THEN
        RETURN;
    END IF;
    lease := begun.lease;
    epoch := lease.epoch;
    IF lease.state IN ('done', 'closed') THEN
        outcome := 'already_done';
    ELSIF lease.holder_device IS DISTINCT FROM the_device OR lease.epoch <> the_epoch
          OR lease.lease_nonce IS DISTINCT FROM the_nonce THEN
        outcome := 'fenced';
    ELSE
        IF lease.state = 'held' THEN
            UPDATE delivery.fanout_lease l SET state = 'open' WHERE l.job_id = the_job;
            PERFORM delivery.note_lease(the_job, lease.epoch, 'released', the_device, clock_timestamp());
        END IF;
        outcome := 'released';
    END IF;
END;
$$;

-- Takes one recipient's ciphertext ahead of a submission that is too large for one request, under the same conditions as
-- the submission, and prolongs a lease that runs: whoever uploads is at work. A part that is there stays as it is.
-- outcome: staged, fenced (with the current epoch), already_done, mismatch, recipients, expired, not_required, revoked,
-- not_found
CREATE FUNCTION delivery.stage_part(
    the_device uuid, the_job uuid, the_epoch bigint, the_nonce uuid, name text, part bytea, ttl interval,
    accept_late boolean, OUT outcome text, OUT epoch bigint
) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    begun record;
    lease delivery.fanout_lease;
    job delivery.generation_job;
    moment timestamptz;
BEGIN
    SELECT * INTO begun FROM delivery.begin_lease_call(the_device, the_job);
    outcome := begun.outcome;
    IF outcome IS NOT NULL THEN
        RETURN;
    END IF;
    lease := begun.lease;
    moment := begun.moment;
    epoch := lease.epoch;
    SELECT * INTO job FROM delivery.generation_job j WHERE j.job_id = the_job;
    outcome := CASE
        WHEN lease.state IN ('done', 'closed') THEN 'already_done'
        WHEN lease.state <> 'held' OR lease.holder_device <> the_device OR lease.epoch <> the_epoch
             OR lease.lease_nonce <> the_nonce THEN 'fenced'
        WHEN moment > lease.hard_deadline OR (lease.expires_at <= moment AND NOT accept_late) THEN 'expired'
        WHEN NOT name = ANY (job.recipients) THEN 'recipients' END;
    IF outcome IS NOT NULL THEN
        RETURN;
    END IF;
    DELETE FROM delivery.fanout_part p WHERE p.job_id = the_job AND p.epoch < the_epoch;
    INSERT INTO delivery.fanout_part (job_id, epoch, recipient, ciphertext) VALUES (the_job, the_epoch, name, part)
    ON CONFLICT DO NOTHING;
    IF NOT EXISTS (SELECT FROM delivery.fanout_part p
                    WHERE p.job_id = the_job AND p.epoch = the_epoch AND p.recipient = name AND p.ciphertext = part) THEN
        outcome := 'mismatch';
        RETURN;
    END IF;
    IF lease.expires_at > moment THEN
        UPDATE delivery.fanout_lease l
           SET expires_at = greatest(l.expires_at, least(moment + ttl, l.hard_deadline)), renewals = l.renewals + 1
         WHERE l.job_id = the_job;
    END IF;
    outcome := 'staged';
END;
$$;

-- Whether that submission was accepted before: its parts are gone by now, so its digest cannot be made again.
-- outcome: replayed, mismatch, revoked, not_found
CREATE FUNCTION delivery.check_submitted(
    the_device uuid, the_job uuid, the_epoch bigint, the_digest bytea, OUT outcome text
) LANGUAGE plpgsql AS $$
BEGIN
    outcome := coalesce(
        delivery.begin_job_call(the_device, the_job),
        CASE WHEN EXISTS (SELECT FROM delivery.downstream_submission s
                           WHERE s.job_id = the_job AND s.device_id = the_device AND s.epoch = the_epoch
                             AND s.digest = the_digest) THEN 'replayed' ELSE 'mismatch' END);
END;
$$;

-- Accepts a submission, with the parts that came ahead of it, if and only if nobody else was elected: epoch, nonce and
-- holder are the current ones, the lease is held and its hard deadline has not passed. An expired lease is granted again in
-- the same transaction (unless `accept_late` is false), so that at commit the submitter is the leased device.
-- outcome: accepted, replayed, fenced (with the current epoch), already_done, mismatch, recipients, expired, not_required,
-- revoked, not_found
CREATE FUNCTION delivery.submit_fanout(
    the_device uuid, the_job uuid, the_epoch bigint, the_nonce uuid, the_digest bytea, names text[], ciphertexts bytea[],
    ttl interval, accept_late boolean,
    OUT outcome text, OUT epoch bigint
) LANGUAGE plpgsql AS $$
DECLARE
    begun record;
    lease delivery.fanout_lease;
    before delivery.downstream_submission;
    job delivery.generation_job;
    moment timestamptz;
BEGIN
    SELECT * INTO begun FROM delivery.begin_lease_call(the_device, the_job);
    outcome := begun.outcome;
    IF outcome IS NOT NULL THEN
        RETURN;
    END IF;
    lease := begun.lease;
    moment := begun.moment;
    epoch := lease.epoch;
    SELECT * INTO job FROM delivery.generation_job j WHERE j.job_id = the_job;
    IF lease.state IN ('done', 'closed') THEN
        SELECT * INTO before FROM delivery.downstream_submission s WHERE s.job_id = the_job;
        outcome := CASE WHEN before.device_id = the_device AND before.epoch = the_epoch
                        THEN CASE WHEN before.digest = the_digest THEN 'replayed' ELSE 'mismatch' END
                        ELSE 'already_done' END;
        RETURN;
    END IF;
    IF lease.state <> 'held' OR lease.holder_device <> the_device OR lease.epoch <> the_epoch
       OR lease.lease_nonce <> the_nonce THEN
        outcome := 'fenced';
    ELSIF moment > lease.hard_deadline OR (lease.expires_at <= moment AND NOT accept_late) THEN
        outcome := 'expired';
    ELSIF (SELECT array_agg(n.name ORDER BY n.name COLLATE "C")
             FROM (SELECT unnest(names) AS name
                   UNION
                   SELECT p.recipient FROM delivery.fanout_part p
                    WHERE p.job_id = the_job AND p.epoch = the_epoch) n)
          IS DISTINCT FROM (SELECT array_agg(r ORDER BY r COLLATE "C") FROM unnest(job.recipients) r) THEN
        outcome := 'recipients';
        RETURN;
    END IF;
    IF outcome IS NOT NULL THEN
        PERFORM delivery.note_lease(the_job, the_epoch, 'refused', the_device, moment, outcome);
        RETURN;
    END IF;
    IF lease.expires_at <= moment THEN
        PERFORM delivery.note_lease(the_job, lease.epoch, 'regranted', the_device, moment);
        lease.expires_at := moment + ttl;
    END IF;
    INSERT INTO delivery.downstream_submission (job_id, device_id, epoch, digest, submitted_at)
    VALUES (the_job, the_device, the_epoch, the_digest, moment);
    INSERT INTO delivery.downstream_ciphertext (job_id, recipient, ciphertext)
    SELECT the_job, c.name, c.ciphertext FROM unnest(names, ciphertexts) AS c (name, ciphertext)
    UNION ALL
    SELECT the_job, p.recipient, p.ciphertext FROM delivery.fanout_part p
     WHERE p.job_id = the_job AND p.epoch = the_epoch AND NOT p.recipient = ANY (names);
    DELETE FROM delivery.fanout_part p WHERE p.job_id = the_job;
    UPDATE delivery.fanout_lease l SET state = 'done', expires_at = lease.expires_at, done_at = moment
     WHERE l.job_id = the_job;
    PERFORM delivery.note_lease(the_job, lease.epoch, 'submitted', the_device, moment);
    PERFORM delivery.announce('events', 'job.submitted', 'job.submitted.v1', NULL,
        jsonb_strip_nulls(jsonb_build_object('traceparent', job.traceparent)),
        jsonb_build_object('version', 1, 'job', the_job, 'account', job.account_id, 'device', the_device,
                           'at', delivery.milliseconds(moment)),
        delivery.share_of(the_job::text));
    outcome := 'accepted';
END;
$$;
