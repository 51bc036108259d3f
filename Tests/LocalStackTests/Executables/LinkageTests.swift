import LocalStack
import TestSupport
import Testing

/// Decision 9: what runs in production can't open a receipt.
@Suite(.timeLimit(.minutes(1))) struct LinkageTests {
    @Test func `R-63: the services have no code that opens what is sealed to a device`() async throws {
        let run = try await ProgramRun.of("/usr/bin/nm", ["-D", ProgramRun.programs().mobileDelivery])
        #expect(run.termination == .exited(0))
        #expect(run.output.contains("crypto_"))
        #expect(!run.output.contains("crypto_box_seal_open"))
    }

    @Test func `the laboratory has it`() async throws {
        let run = try await ProgramRun.of("/usr/bin/nm", ["-D", ProgramRun.programs().lab])
        #expect(run.output.contains("crypto_box_seal_open"))
    }
}
