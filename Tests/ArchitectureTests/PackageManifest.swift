import TestSupport

/// Targets and their dependencies, read from the text of `Package.swift`.
struct PackageManifest {
    /// By target; only what the manifest spells with `module("Name", ["Dependency", …])`.
    let modules: [String: [String]]

    init() throws {
        let text = try Repository.text("Package.swift")
        var modules: [String: [String]] = [:]
        for call in text.matches(of: /module\(\s*"(\w+)",\s*\[([^\]]*)\]/) {
            modules[String(call.output.1)] = call.output.2.matches(of: /"(\w+)"/).map { String($0.output.1) }
        }
        self.modules = modules
    }
}
