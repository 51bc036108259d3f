import Daemon
import LocalStack

extension Command {
    /// With `--servers-only` it prints shell assignments for a script, else addresses for a person.
    static let up = Command(
        "up", summary: "starts private servers and every service, and leaves them running until `down`",
        options: [
            .value("state", "FILE", "where to note what was started", isRequired: true),
            .flag("servers-only", "PostgreSQL and RabbitMQ, no services"),
            .flag("keep-data", "`down` leaves the folder with the data"),
        ]
    ) { arguments in
        let path = try arguments.required("state")
        let keepsData = arguments.has("keep-data")
        let programs = try Programs.besideThisOne(topology: LabEnvironment.topologyFolder)
        try await Interrupts.handled { interrupts in
            let servers = try await Servers.start(under: LabEnvironment.temporaryFolder) { folder in
                interrupts.guarding(folder)
                try StackState(folder: folder, keepsData: keepsData).write(path)
            }
            do {
                if arguments.has("servers-only") {
                    try StackState(folder: servers.folder, servers: servers, keepsData: keepsData).write(path)
                    print("export MOBILE_DELIVERY_TEST_DATABASE_URL='\(servers.postgres.url)'")
                    print("export MOBILE_DELIVERY_TEST_AMQP_URL='\(servers.rabbitmq.amqpURL)'")
                    print("export MOBILE_DELIVERY_TEST_MANAGEMENT_URL='\(servers.rabbitmq.managementURL)'")
                } else {
                    let stack = try await Stack.start(StackSite(servers, programs))
                    for (name, address) in try await stack.keep(in: path, keepsData: keepsData) {
                        print("\(name) \(address)")
                    }
                }
            } catch {
                try await servers.stop()
                throw error
            }
        }
    }
}
