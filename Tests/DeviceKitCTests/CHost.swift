import FoundationEssentials
import LocalStack
import TestSupport

/// `Tests/Interoperation/devicekit_host.c`, compiled by the toolchain's compiler and linked against the library.
struct CHost {
    let folder: String
    private let gateway: String

    init(gateway: String) async throws {
        self.gateway = gateway
        folder = "\(FileManager.default.temporaryDirectory.path)/c-host-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let build = CHost.build
        let root = Repository.root
        let errors = try await run(
            "/usr/bin/env",
            [
                "clang", "-Wall", "-Werror", "-I\(root)/Sources/C/CDeviceKit/include",
                "\(root)/Tests/Interoperation/devicekit_host.c", "-o", "\(folder)/host", "-L\(build)", "-lDeviceKitC",
                "-lcurl", "-lpthread", "-Wl,-rpath,\(build)",
            ])
        guard FileManager.default.isExecutableFile(atPath: "\(folder)/host") else {
            throw CHostError(description: errors)
        }
    }

    /// What one start of the program prints: the status, and the state.
    func call(_ words: String..., configuration: String) async throws -> (status: Int?, state: String) {
        try write(configuration, "configuration.json")
        let output = try await run(
            "\(folder)/host", [gateway, "\(folder)/configuration.json"] + words, errors: "\(folder)/log")
        let lines = output.split(separator: "\n").map(String.init)
        return (lines.first.flatMap { Int($0) }, lines.dropFirst().joined())
    }

    @discardableResult
    func write(_ text: String, _ name: String) throws -> String {
        try Data(text.utf8).write(to: URL(filePath: "\(folder)/\(name)"))
        return "\(folder)/\(name)"
    }

    func remove() { try? FileManager.default.removeItem(atPath: folder) }

    private func run(_ program: String, _ arguments: [String], errors: String? = nil) async throws -> String {
        let output = ScratchFile("")
        let command = ProcessCommand(
            program, arguments,
            environment: [
                "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin", "TMPDIR": folder,
                "HOME": folder,
            ])
        let child = try ChildProcess("c-host", command, logPath: output.path, errorPath: errors ?? output.path)
        _ = await child.end(after: .seconds(120))
        return child.log
    }

    /// Where the library lies, beside the tests.
    private static var build: String {
        let program = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return program.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 }
    }
}

struct CHostError: Error, CustomStringConvertible { let description: String }
