import Daemon

extension Stack {
    /// Encrypts, signs and commits one document for every device of the account, in one SQL transaction; returns the job.
    /// It is what a host backend does with `delivery.commit_job`.
    public nonisolated func commit(
        _ documentType: String, _ json: String, account: String, recipients: [String]
    ) async throws -> String {
        let setup = StackSetup(site)
        let name = "commit-\(RandomWord.make())"
        let document = "\(site.folder)/\(name).json"
        try site.servers.folder.write(json, to: document)
        let command = ProcessCommand(
            site.programs.lab,
            [
                "commit", "--database", site.databaseURL(as: "md_producer"), "--account", account, "--type",
                documentType,
                "--document", document, "--producer-key", setup.producerKeyFile,
            ] + recipients.flatMap { ["--recipient", $0] },
            environment: site.commonEnvironment)
        let child = try ChildProcess("commit", command, logPath: "\(site.folder)/\(name).log")
        guard await child.end(after: .seconds(60)) == .exited(0),
            let job = child.log.split(separator: "\n").compactMap({ JSONLine($0)?.texts["job"] }).first
        else { throw CommandFailure(.temporary, "the commit failed: \(child.lastLine)") }
        return job
    }
}
