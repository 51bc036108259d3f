import Daemon
import FoundationEssentials
import LocalStack

extension Command {
    /// Prints the addresses as shell assignments, so that a script can take them over.
    static let up = Command(
        "up", summary: "starts private servers and leaves them running until `down`",
        options: [
            .value("state", "FILE", "where to note what was started", isRequired: true),
            .flag("servers-only", "PostgreSQL and RabbitMQ, no services"),
            .flag("keep-data", "`down` leaves the folder with the data"),
        ]
    ) { arguments in
        let path = try arguments.required("state")
        try await Interrupts.handled { interrupts in
            let servers = try await Servers.start(under: LabEnvironment.temporaryFolder) { folder in
                interrupts.guarding(folder)
                try StackState(folder: folder, keepsData: arguments.has("keep-data")).write(path)
            }
            var state = StackState(folder: servers.folder, servers: servers, keepsData: arguments.has("keep-data"))
            do {
                try state.write(path)
            } catch {
                try await state.stop()
                throw error
            }
            print("export MOBILE_DELIVERY_TEST_DATABASE_URL='\(servers.postgres.url)'")
            print("export MOBILE_DELIVERY_TEST_AMQP_URL='\(servers.rabbitmq.amqpURL)'")
            print("export MOBILE_DELIVERY_TEST_MANAGEMENT_URL='\(servers.rabbitmq.managementURL)'")
        }
    }
}
