import Postgres
import Testing

@testable import AckRecorder

struct RecordingErrorTests {
    @Test(
        arguments: [("40001", .conflict), ("40P01", .conflict)] as [(String, PostgresError.Kind)])
    func `a conflict is tried again`(state: String, kind: PostgresError.Kind) {
        #expect(RecordingError(PostgresError(kind, "said", sqlState: state)) == .conflict)
    }

    @Test func `a lock that is not to be had in time keeps nobody else waiting`() {
        #expect(RecordingError(PostgresError(.server, "said", sqlState: "55P03")) == .held)
    }

    @Test(
        arguments: [
            ("22021", .server), ("23514", .constraint), ("21000", .server), ("54000", .server), ("P0001", .server),
            ("MD009", .server),
        ] as [(String, PostgresError.Kind)])
    func `what the database will always refuse is poison`(state: String, kind: PostgresError.Kind) {
        let error = PostgresError(kind, "said", sqlState: state)
        #expect(RecordingError(error) == .poison(error.description))
    }

    @Test(
        arguments: [
            ("57P01", .server), ("53300", .server), ("42P01", .missingObject), ("42501", .missingRight),
            (nil, .connectionLost), (nil, .deadlineExceeded), (nil, .unavailable), ("XX000", .server), (nil, .decoding),
        ] as [(String?, PostgresError.Kind)])
    func `anything else is the database's trouble and no message's`(state: String?, kind: PostgresError.Kind) {
        let error = PostgresError(kind, "said", sqlState: state)
        #expect(RecordingError(error) == .trouble(error.description))
    }
}
