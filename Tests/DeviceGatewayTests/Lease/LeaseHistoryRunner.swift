import Postgres
import TestSupport

/// Takes histories in a database of its own, many in one statement, and compares every answer with the model's.
struct LeaseHistoryRunner {
    let database: Database

    static func with(_ body: (Self) async throws -> Void) async throws {
        try await withScratchDatabase { scratch in
            let database = Database(try scratch.settings, connections: 2)
            let outcome: Result<Void, any Error>
            do {
                try await database.script(function)
                outcome = .success(try await body(Self(database: database)))
            } catch { outcome = .failure(error) }
            await database.close()
            try outcome.get()
        }
    }

    /// The first difference, or nil.
    func take(_ histories: [[LeaseHistories.Move]]) async throws -> String? {
        var kinds: [String] = []
        var whos: [Int] = []
        var epochs: [Int] = []
        var answers: [String] = []
        var states: [String] = []
        var newest: [Int] = []
        for history in histories {
            for move in [LeaseHistories.Move(kind: "begin", state: LeaseModel())] + history {
                kinds.append(move.kind)
                whos.append(move.who + 1)
                epochs.append(move.epoch)
                answers.append(move.answer ?? "")
                states.append("\(move.state.lease)")
                newest.append(Int(move.state.epoch))
            }
        }
        return try await database.query(
            "SELECT take_histories(\(kinds), \(whos), \(epochs), \(answers), \(states), \(newest))"
        ).one().only(as: String?.self)
    }

    /// What the histories left behind that I-12 or I-13 forbids: grants that are not one more than the one before or came
    /// while that one was neither released, expired nor its holder's revoked; second submissions, or one of an old epoch.
    func brokenInvariants() async throws -> Int {
        try await database.query(
            """
            WITH event AS (
                SELECT job_id, event_id, kind, epoch,
                       max(epoch) FILTER (WHERE kind = 'granted') OVER before AS granted,
                       max(epoch) FILTER (WHERE kind IN ('released', 'expired', 'revoked')) OVER before AS over,
                       count(*) FILTER (WHERE kind = 'submitted') OVER before AS submitted
                  FROM delivery.lease_event
                WINDOW before AS (PARTITION BY job_id ORDER BY event_id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING))
            SELECT count(*) FROM event
             WHERE (kind = 'granted' AND (epoch <> coalesce(granted, 0) + 1 OR coalesce(over, 0) <> coalesce(granted, 0)
                                          OR submitted > 0))
                OR (kind = 'submitted' AND (epoch <> granted OR submitted > 0))
            """
        ).one().only()
    }

    private static let function = """
        CREATE FUNCTION take_histories(kinds text[], whos bigint[], epochs bigint[], answers text[], states text[],
                                       newest bigint[]) RETURNS text
        LANGUAGE plpgsql AS $$
        DECLARE
            move record;
            call record;
            lease record;
            job uuid;
            phones uuid[];
            attempts uuid[];
            nonces uuid[];
            answer text;
            taken text := '';
        BEGIN
            FOR move IN SELECT * FROM unnest(kinds, whos, epochs, answers, states, newest)
                          AS m (kind, who, epoch, answer, state, newest) LOOP
                answer := '';
                CASE move.kind
                WHEN 'begin' THEN
                    job := gen_random_uuid();
                    phones := ARRAY[gen_random_uuid(), gen_random_uuid(), gen_random_uuid()];
                    attempts := ARRAY[gen_random_uuid(), gen_random_uuid(), gen_random_uuid()];
                    nonces := '{}';
                    taken := '';
                    INSERT INTO delivery.account (account_id, device_set_version) VALUES (job::text, 3);
                    INSERT INTO delivery.device (device_id, account_id, platform, signing_algorithm, signing_key)
                    SELECT p, job::text, 'ios', 'ed25519', decode(repeat('01', 32), 'hex') FROM unnest(phones) p;
                    INSERT INTO delivery.device_key (device_id, key_id, public_key)
                    SELECT p, 'k1', decode(repeat('02', 32), 'hex') FROM unnest(phones) p;
                    PERFORM delivery.commit_job(job, job::text, 'RECEIPT', 'body', 1::smallint,
                        decode(repeat('03', 32), 'hex'), decode(repeat('04', 32), 'hex'), decode(repeat('05', 64), 'hex'),
                        'author-1', 3, ARRAY(SELECT ROW(p, 'k1', 'sealed'::bytea)::delivery.sealed_key FROM unnest(phones) p),
                        ARRAY['shop'], interval '1 hour');
                    UPDATE delivery.job_device SET claimed_at = now() WHERE job_id = job;
                WHEN 'tick' THEN
                    UPDATE delivery.fanout_lease l
                       SET expires_at = clock_timestamp() - interval '1 second',
                           hard_deadline = CASE WHEN move.epoch = 1 THEN clock_timestamp() - interval '1 second'
                                                ELSE hard_deadline END
                     WHERE l.job_id = job AND l.state = 'held';
                WHEN 'forget' THEN attempts[move.who] := gen_random_uuid();
                WHEN 'revoke' THEN PERFORM delivery.revoke_device(phones[move.who], 'test');
                WHEN 'sweep' THEN PERFORM delivery.finish_revocation(phones[move.who], interval '0', 10);
                WHEN 'acquire' THEN
                    SELECT * INTO call FROM delivery.acquire_lease(phones[move.who], job, attempts[move.who],
                        interval '90 seconds', interval '900 seconds', interval '0', interval '0');
                    answer := call.outcome;
                    IF answer = 'granted' THEN
                        IF nonces[call.epoch] IS NULL AND call.nonce = ANY (nonces)
                           OR nonces[call.epoch] <> call.nonce THEN
                            RETURN taken || ': a wrong nonce';
                        END IF;
                        nonces[call.epoch] := call.nonce;
                    END IF;
                WHEN 'renew' THEN
                    SELECT * INTO call FROM delivery.renew_lease(phones[move.who], job, move.epoch, nonces[move.epoch],
                        interval '90 seconds');
                    answer := call.outcome;
                WHEN 'release' THEN
                    SELECT * INTO call FROM delivery.release_lease(phones[move.who], job, move.epoch, nonces[move.epoch]);
                    answer := call.outcome;
                WHEN 'submit' THEN
                    SELECT * INTO call FROM delivery.submit_fanout(phones[move.who], job, move.epoch, nonces[move.epoch],
                        decode(repeat('07', 32), 'hex'), ARRAY['shop'], ARRAY['one'::bytea], interval '90 seconds', true);
                    answer := call.outcome;
                    IF answer = 'replayed' THEN
                        SELECT * INTO call FROM delivery.submit_fanout(phones[move.who], job, move.epoch,
                            nonces[move.epoch], decode(repeat('08', 32), 'hex'), ARRAY['shop'], ARRAY['two'::bytea],
                            interval '90 seconds', true);
                        IF call.outcome <> 'mismatch' THEN
                            RETURN taken || ': another text was ' || call.outcome;
                        END IF;
                    END IF;
                END CASE;
                taken := taken || ' ' || move.kind || ' ' || move.who || ' ' || move.epoch || ' ' || answer;
                IF answer <> move.answer THEN
                    RETURN taken || ' instead of ' || move.answer;
                END IF;
                SELECT l.state, l.epoch INTO lease FROM delivery.fanout_lease l WHERE l.job_id = job;
                IF lease.state <> move.state OR lease.epoch <> move.newest THEN
                    RETURN format('%s: %s in epoch %s instead of %s in %s', taken, lease.state, lease.epoch, move.state,
                                  move.newest);
                END IF;
            END LOOP;
            RETURN NULL;
        END;
        $$;
        """
}
