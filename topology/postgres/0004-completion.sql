-- Completion (decision 7) is evaluated by whoever commits a last step, in that transaction.

-- Completes those of the jobs that are open, have no pending device, and whose fan-out is finished or was never needed;
-- returns their ids. The job rows are locked, in the order of their ids, before anything about them is read: without
-- that, the committers of a job's last two steps each miss the other's row and the job stays open for ever.
CREATE FUNCTION delivery.try_complete(job_ids uuid[]) RETURNS uuid[]
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    finished uuid[];
BEGIN
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        -- An older snapshot would not see what the lock was waited for.
        RAISE EXCEPTION 'completion needs READ COMMITTED' USING ERRCODE = 'MD020';
    END IF;
    PERFORM FROM delivery.generation_job WHERE job_id = ANY (try_complete.job_ids) ORDER BY job_id FOR UPDATE;
    WITH done AS (
        UPDATE delivery.generation_job j
           SET completed_at = clock_timestamp()
         WHERE j.job_id = ANY (try_complete.job_ids)
           AND num_nonnulls(j.completed_at, j.expired_at, j.cancelled_at) = 0
           AND NOT EXISTS (SELECT FROM delivery.job_device d WHERE d.job_id = j.job_id AND d.state = 'pending')
           AND (cardinality(j.recipients) = 0
                OR EXISTS (SELECT FROM delivery.downstream_submission s
                            WHERE s.job_id = j.job_id AND s.fanned_out_at IS NOT NULL))
        RETURNING j.job_id, j.account_id, j.completed_at, j.traceparent
    ), told AS (
        SELECT done.job_id,
               delivery.announce('events', 'job.completed', 'job.completed.v1', NULL,
                   jsonb_strip_nulls(jsonb_build_object('traceparent', done.traceparent)),
                   jsonb_build_object('version', 1, 'job', done.job_id, 'account', done.account_id,
                                      'at', delivery.milliseconds(done.completed_at)),
                   delivery.share_of(done.job_id::text)) AS event
          FROM done
    )
    SELECT coalesce(array_agg(job_id ORDER BY job_id) FILTER (WHERE event IS NOT NULL), '{}') INTO finished FROM told;
    RETURN finished;
END;
$$;

REVOKE EXECUTE ON FUNCTION delivery.try_complete FROM PUBLIC;
GRANT EXECUTE ON FUNCTION delivery.try_complete TO md_recorder, md_coordinator, md_gateway, md_operator;
