import FoundationEssentials
import LocalStack
import TestSupport

/// The toolchain's compiler, with the stub modules of `Tests/AppleStubs` in the place of Apple's.
struct AppleStubs {
    let folder: String

    /// Compiles the stubs.
    init() async throws {
        folder = "\(FileManager.default.temporaryDirectory.path)/apple-stubs-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for name in ["UIKit", "UserNotifications", "BackgroundTasks", "Security"] {
            let errors = try await compile([
                "-emit-module", "-parse-as-library", "-module-name", name, "-emit-module-path",
                "\(folder)/\(name).swiftmodule", "\(Repository.root)/Tests/AppleStubs/\(name).swift",
            ])
            guard errors.isEmpty else { throw AppleStubsError(description: errors) }
        }
    }

    /// What the compiler says to `files`, with the settings of the package; empty if nothing.
    func errors(in files: [String]) async throws -> String {
        let features = [
            "ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility", "NonisolatedNonsendingByDefault",
            "InferIsolatedConformances",
        ]
        return try await compile(
            ["-typecheck", "-parse-as-library", "-module-name", "DeviceKitApple", "-swift-version", "6"]
                + features.flatMap { ["-enable-upcoming-feature", $0] }
                + ["-warnings-as-errors", "-I", folder, "-I", "\(AppleStubs.build)/Modules"]
                + ["-Xcc", "-fmodule-map-file=\(Repository.root)/Sources/C/CSodium/module.modulemap"] + files)
    }

    func remove() { try? FileManager.default.removeItem(atPath: folder) }

    private func compile(_ arguments: [String]) async throws -> String {
        let output = ScratchFile("")
        let child = try ChildProcess(
            "swiftc",
            ProcessCommand(
                "/usr/bin/env", ["swiftc"] + arguments,
                environment: [
                    "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin", "HOME": folder,
                    "TMPDIR": folder,
                ]),
            logPath: output.path)
        let end = await child.end(after: .seconds(300))
        return end == .exited(0) && child.log.isEmpty ? "" : "\(child.log)\(String(describing: end))"
    }

    /// Where the modules lie that these tests were built with.
    private static var build: String {
        let program = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return program.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 }
    }
}

struct AppleStubsError: Error, CustomStringConvertible { let description: String }
