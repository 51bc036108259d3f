import Daemon
import DeadLetters
import Operations
import Postgres

extension Command {
    static let deadList = Command(
        "dead list", summary: "List open dead letters, newest first, with counts by reason and hour.",
        options: DeadLetterFilter.options + [
            .value("limit", "N", "at most so many letters (20)"),
            .value("before", "ID", "letters older than this one"),
            .flag("watch", "again and again, until Ctrl-C"),
            .value("every", "TIME", "pause between two looks of --watch; 5s unless given"),
            .flag("json", "one JSON object a look"),
        ]
    ) { arguments in
        let filter = try DeadLetterFilter(arguments)
        let count = try arguments.integer("limit", default: 20, in: 1...1000)
        let before = arguments.has("before") ? try letterNumber(arguments.required("before")) : .max
        let pause = try duration("every", arguments, default: .seconds(5))
        try await OperatorSetup.with { setup in
            let look = DeadListLook(setup: setup, filter: filter, count: count, before: before)
            guard arguments.has("watch") else {
                _ = show(try await look.list(), arguments)
                return
            }
            repeat {
                do throws(PostgresError) {
                    guard show(try await look.list(), arguments) else { return }
                } catch {
                    // A watch lives through the outage that it watches; a fault of the settings ends it.
                    guard !error.isConfigurationFault else { throw error }
                    guard Terminal.write("no answer: \(error)\n") else { return }
                }
            } while await Shutdown.current.sleep(for: pause)
        }
    }

    /// False when nobody reads any more.
    private static func show(_ list: DeadLetterList, _ arguments: ParsedArguments) -> Bool {
        if arguments.has("json") { return Terminal.writeLine(list.json()) }
        let text = list.text(style: Terminal.style)
        guard arguments.has("watch") else { return Terminal.write(text) }
        // On a terminal each look replaces the one before.
        return Terminal.write(Terminal.isOutput ? "\u{1B}[H\u{1B}[2J" + text : text + "\n")
    }
}

/// One look at the index and at what the queues hold.
private struct DeadListLook {
    let setup: OperatorSetup
    let filter: DeadLetterFilter
    let count: Int
    let before: Int64

    func list() async throws(PostgresError) -> DeadLetterList {
        let index = DeadLetterIndex(setup.database)
        let isParking = filter.queue == DeadQueue.parking.rawValue
        let letters = isParking ? [] : try await index.page(filter, before: before, atMost: count)
        var list = DeadLetterList(try await index.summary(countEvery: setup.countEvery), filter, letters)
        list.broker = await setup.ask(DeadQueue.allCases.map(\.rawValue))
        if isParking, let broker = setup.brokerServer {
            do {
                list.parked = try await ParkedMessage.read(from: broker, atMost: count)
            } catch {
                list.broker.fault = "parking could not be read: \(error)"
            }
        }
        return list
    }
}
