import Delivery
import Postgres
import Storage

/// A trigger on `due` that only campaigns install: it notes every claim, and every change that a relay makes to a row
/// whose running lease is not its own. It also holds a relay at a step when a `StepGate` is closed.
///
/// A relay is told by the application name of its connections, which every start of one has for itself.
struct LeaseAudit: Sendable {
    let database: Database

    static let gates: Int32 = 7_305_613

    func install() async throws(PostgresError) {
        try await database.script(
            """
            CREATE SCHEMA chaos;
            CREATE TABLE chaos.claim (
                at timestamptz NOT NULL DEFAULT clock_timestamp(), entry uuid NOT NULL, route smallint NOT NULL,
                seq integer NOT NULL, token bigint NOT NULL, relay text NOT NULL
            );
            CREATE INDEX ON chaos.claim (entry, token);
            CREATE TABLE chaos.lease_fault (entry uuid NOT NULL, what text NOT NULL);
            CREATE FUNCTION chaos.watch() RETURNS trigger
            LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
            DECLARE
                writer constant text := current_setting('application_name');
                holder text;
                is_claim constant boolean := TG_OP = 'UPDATE' AND NEW.lease_token IS NOT NULL
                                             AND NEW.lease_token IS DISTINCT FROM OLD.lease_token;
            BEGIN
                IF session_user <> 'md_relay' THEN
                    RETURN NULL;
                END IF;
                IF is_claim THEN
                    PERFORM pg_advisory_xact_lock_shared(\(Self.gates), 1);
                ELSIF TG_OP = 'UPDATE' AND OLD.published_at IS NULL AND NEW.published_at IS NOT NULL THEN
                    PERFORM pg_advisory_xact_lock_shared(\(Self.gates), 2);
                END IF;
                IF OLD.lease_token IS NOT NULL AND OLD.lease_until > now() THEN
                    SELECT c.relay INTO holder FROM chaos.claim c
                     WHERE c.entry = OLD.entry AND c.token = OLD.lease_token;
                    IF is_claim THEN
                        INSERT INTO chaos.lease_fault VALUES (OLD.entry, format(
                            'claimed by %s while %s held it for another %s', writer, holder, OLD.lease_until - now()));
                    ELSIF holder IS DISTINCT FROM writer THEN
                        INSERT INTO chaos.lease_fault VALUES (OLD.entry, format(
                            '%s by %s while %s held it', lower(TG_OP), writer, holder));
                    END IF;
                END IF;
                IF is_claim THEN
                    IF NEW.seq <> OLD.seq + 1 THEN
                        INSERT INTO chaos.lease_fault VALUES (OLD.entry, format(
                            'claimed with seq %s after seq %s', NEW.seq, OLD.seq));
                    END IF;
                    INSERT INTO chaos.claim (entry, route, seq, token, relay)
                    VALUES (NEW.entry, NEW.route, NEW.seq, NEW.lease_token, writer);
                END IF;
                RETURN NULL;
            END;
            $$;
            CREATE TRIGGER watch AFTER UPDATE OR DELETE ON delivery.due FOR EACH ROW EXECUTE FUNCTION chaos.watch();
            """)
    }

    func forget() async throws(PostgresError) {
        try await database.script("TRUNCATE chaos.claim, chaos.lease_fault")
    }

    /// Whether a relay holds a row whose publish it has not noted yet.
    func isHolding(_ relay: String) async throws(PostgresError) -> Bool { try await heldRows(by: relay).rows > 0 }

    /// How many such rows a relay holds, and how many of them are hints.
    func heldRows(by relay: String) async throws(PostgresError) -> (rows: Int, hints: Int) {
        let row = try await database.query(
            """
            SELECT count(*) AS rows, count(*) FILTER (WHERE d.route > 0) AS hints
              FROM chaos.claim c JOIN delivery.due d ON d.entry = c.entry AND d.lease_token = c.token
             WHERE c.relay = \(relay) AND d.published_at IS NULL
            """
        ).one()
        return (Int(try row["rows"] as Int64), Int(try row["hints"] as Int64))
    }

    /// Whether PostgreSQL is at work on something that the relay sent.
    func isBusy(_ relay: String) async throws(PostgresError) -> Bool {
        try await database.query(
            """
            SELECT EXISTS (SELECT FROM pg_stat_activity WHERE application_name = \(relay) AND state <> 'idle') AS is_busy
            """
        ).one()["is_busy"]
    }

    func lastClaimer() async throws(PostgresError) -> String? {
        try await database.query("SELECT relay FROM chaos.claim ORDER BY at DESC LIMIT 1").first
            .map { row throws(PostgresError) in try row["relay"] }
    }

    /// How many rows relays hold whose publish they have not noted yet.
    func heldRows() async throws(PostgresError) -> Int {
        Int(
            try await database.query(
                "SELECT count(*) AS n FROM delivery.due WHERE lease_until > now() AND published_at IS NULL"
            ).one().get("n", as: Int64.self))
    }

    func claims() async throws(PostgresError) -> [CampaignHistory.Claim] {
        var claims: [CampaignHistory.Claim] = []
        for row in try await database.query("SELECT entry, seq, at FROM chaos.claim WHERE route > 0 ORDER BY at") {
            let at: Timestamp = try row["at"]
            claims.append(
                CampaignHistory.Claim(entry: try row["entry"], seq: Int(try row["seq"] as Int32), at: at.microseconds))
        }
        return claims
    }

    func faults() async throws(PostgresError) -> [CampaignHistory.LeaseFault] {
        var faults: [CampaignHistory.LeaseFault] = []
        for row in try await database.query("SELECT entry, what FROM chaos.lease_fault") {
            faults.append(CampaignHistory.LeaseFault(entry: try row["entry"], what: try row["what"]))
        }
        return faults
    }
}
