-- What the producer API of the gateway does, for producers that do not commit in a transaction of their own.

-- A ticket for one device of an account, which comes into being with its first.
CREATE FUNCTION delivery.issue_ticket(the_account text, digest bytea, lifetime interval) RETURNS void
LANGUAGE sql
BEGIN ATOMIC
    INSERT INTO delivery.account (account_id) VALUES (the_account) ON CONFLICT (account_id) DO NOTHING;
    INSERT INTO delivery.enrolment_ticket (ticket_digest, account_id, expires_at)
    VALUES (digest, the_account, now() + lifetime);
END;

-- `delivery.commit_job`, with the sealed keys as columns and its refusals as values: `state` NULL = committed, else its
-- SQLSTATE, with what it says about the device set.
CREATE FUNCTION delivery.commit_job_over_http(
    job_id uuid, account_id text, document_type text, body bytea, body_format smallint, body_digest bytea,
    commitment bytea, signature bytea, signing_key_id text, device_set_version bigint, devices uuid[], key_ids text[],
    sealed bytea[], recipients text[], lifetime interval, traceparent text,
    OUT state text, OUT message text, OUT detail text
) LANGUAGE plpgsql AS $$
BEGIN
    PERFORM delivery.commit_job(
        job_id, account_id, document_type, body, body_format, body_digest, commitment, signature, signing_key_id,
        device_set_version,
        ARRAY(SELECT row(k.device, k.key_id, k.sealed)::delivery.sealed_key
                FROM unnest(devices, key_ids, sealed) AS k (device, key_id, sealed)),
        recipients, lifetime, traceparent);
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL;
    IF state !~ '^MD' THEN
        RAISE;
    END IF;
END;
$$;

-- All that is known of a job, without its content; NULL for an unknown one.
CREATE FUNCTION delivery.job_status(the_job uuid) RETURNS jsonb
LANGUAGE sql STABLE AS $$
    SELECT jsonb_strip_nulls(jsonb_build_object(
        'job', j.job_id, 'account', j.account_id, 'documentType', j.document_type,
        'state', CASE WHEN j.completed_at IS NOT NULL THEN 'completed' WHEN j.expired_at IS NOT NULL THEN 'expired'
                      WHEN j.cancelled_at IS NOT NULL THEN 'cancelled' ELSE 'open' END,
        'committedAt', delivery.milliseconds(j.created_at), 'expiresAt', delivery.milliseconds(j.expires_at),
        'completedAt', delivery.milliseconds(j.completed_at), 'expiredAt', delivery.milliseconds(j.expired_at),
        'cancelledAt', delivery.milliseconds(j.cancelled_at),
        'fanout', delivery.fanout_of(j.recipients, l.state, l.expires_at),
        'submittedAt', delivery.milliseconds(s.submitted_at), 'fannedOutAt', delivery.milliseconds(s.fanned_out_at),
        'devices', (
            SELECT jsonb_agg(jsonb_strip_nulls(jsonb_build_object(
                       'device', d.device_id, 'state', d.state, 'claimedAt', delivery.milliseconds(d.claimed_at),
                       'finishedAt', delivery.milliseconds(d.finished_at), 'origin', d.origin,
                       'failureReason', d.failure_reason, 'lateAckAt', delivery.milliseconds(d.late_ack_at),
                       'hint', o.state, 'hintReason', o.reason)) ORDER BY d.device_id)
              FROM delivery.job_device d
              LEFT JOIN delivery.push_outbox o ON o.created_at = d.entry_created_at AND o.id = d.entry
             WHERE d.job_id = j.job_id),
        'leaseEvents', (
            SELECT jsonb_agg(jsonb_strip_nulls(jsonb_build_object(
                       'kind', e.kind, 'epoch', e.epoch, 'device', e.device_id, 'at', delivery.milliseconds(e.at),
                       'detail', e.detail)) ORDER BY e.event_id)
              FROM delivery.lease_event e WHERE e.job_id = j.job_id)))
      FROM delivery.generation_job j
      LEFT JOIN delivery.fanout_lease l ON l.job_id = j.job_id
      LEFT JOIN delivery.downstream_submission s ON s.job_id = j.job_id
     WHERE j.job_id = the_job
$$;

-- At once: no call of the device succeeds any more, and producers seal to the others. The coordinator does the rest.
-- outcome: revoked (also when it was before), not_found
CREATE FUNCTION delivery.revoke_device(the_device uuid, actor text, OUT outcome text)
LANGUAGE plpgsql AS $$
DECLARE
    owner text;
    moment timestamptz;
BEGIN
    SELECT d.account_id INTO owner FROM delivery.device d WHERE d.device_id = the_device;
    IF NOT FOUND THEN
        outcome := 'not_found';
        RETURN;
    END IF;
    outcome := 'revoked';
    PERFORM FROM delivery.account a WHERE a.account_id = owner FOR UPDATE;
    PERFORM FROM delivery.device d WHERE d.device_id = the_device AND d.state = 'active' FOR UPDATE;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    moment := clock_timestamp();
    UPDATE delivery.device d SET state = 'revoked', revoked_at = moment WHERE d.device_id = the_device;
    UPDATE delivery.device_key k SET state = 'retired' WHERE k.device_id = the_device AND k.state = 'current';
    UPDATE delivery.account a SET device_set_version = a.device_set_version + 1 WHERE a.account_id = owner;
    UPDATE delivery.push_token t SET state = 'detached', state_reason = 'device revoked', state_at = moment
     WHERE t.device_id = the_device AND t.state IN ('active', 'set_aside');
    PERFORM delivery.announce('events', 'device.revoked', 'device.revoked.v1', NULL, '{}',
        jsonb_build_object('version', 1, 'account', owner, 'device', the_device, 'at', delivery.milliseconds(moment)),
        delivery.share_of(owner));
    INSERT INTO delivery.audit (actor, action, subject) VALUES (actor, 'device.revoke', the_device::text);
END;
$$;

-- outcome: cancelled (also when it was before), ended (completed or expired), not_found
CREATE FUNCTION delivery.cancel_job(the_job uuid, actor text, OUT outcome text)
LANGUAGE plpgsql AS $$
DECLARE
    job delivery.generation_job;
    moment timestamptz;
BEGIN
    SELECT * INTO job FROM delivery.generation_job j WHERE j.job_id = the_job FOR UPDATE;
    IF NOT FOUND THEN
        outcome := 'not_found';
    ELSIF job.cancelled_at IS NOT NULL THEN
        outcome := 'cancelled';
    ELSIF num_nonnulls(job.completed_at, job.expired_at) > 0 THEN
        outcome := 'ended';
    ELSE
        moment := clock_timestamp();
        UPDATE delivery.generation_job j SET cancelled_at = moment WHERE j.job_id = the_job;
        PERFORM delivery.announce('events', 'job.cancelled', 'job.cancelled.v1', NULL,
            jsonb_strip_nulls(jsonb_build_object('traceparent', job.traceparent)),
            jsonb_build_object('version', 1, 'job', the_job, 'account', job.account_id,
                               'at', delivery.milliseconds(moment)),
            delivery.share_of(the_job::text));
        INSERT INTO delivery.audit (actor, action, subject) VALUES (actor, 'job.cancel', the_job::text);
        outcome := 'cancelled';
    END IF;
END;
$$;

-- Nobody else runs what belongs to the gateway.
DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['enrol_device', 'put_device_key', 'begin_token_call', 'register_token', 'detach_token',
        'fetch_job', 'begin_job_call', 'begin_lease_call', 'claim_job', 'check_ack', 'device_set', 'device_set_tag',
        'device_set_tags', 'sync_page',
        'pending_count', 'note_lease', 'lease_cool_down', 'acquire_lease', 'renew_lease', 'release_lease',
        'submit_fanout', 'issue_ticket', 'commit_job_over_http', 'job_status', 'revoke_device', 'cancel_job'] LOOP
        EXECUTE format('REVOKE EXECUTE ON FUNCTION delivery.%I FROM PUBLIC', name);
        EXECUTE format('GRANT EXECUTE ON FUNCTION delivery.%I TO md_gateway', name);
    END LOOP;
END;
$$;
GRANT USAGE ON SEQUENCE delivery.push_token_token_id_seq, delivery.lease_event_event_id_seq, delivery.audit_audit_id_seq
    TO md_gateway;
