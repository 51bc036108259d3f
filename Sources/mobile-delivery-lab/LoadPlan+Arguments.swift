import Daemon
import LoadTest
import LocalStack

extension LoadPlan {
    init(_ arguments: ParsedArguments) throws(CommandFailure) {
        self.init()
        func read<Value>(
            _ option: String, _ form: String, _ parse: (String) -> Value?
        ) throws(CommandFailure) -> Value? {
            guard let text = arguments.value(of: option) else { return nil }
            guard let value = parse(text) else {
                throw CommandFailure(.usage, "--\(option) must be \(form), not '\(text)'")
            }
            return value
        }
        shape =
            try read(
                "arrivals", "jobs a second, ramp:10,500, steps:100,200, bursts:50,1000,10s or foreground:100",
                ArrivalShape.init) ?? shape
        isEven = arguments.has("even")
        seconds = try arguments.duration("duration").map { $0 / .milliseconds(1) / 1e3 } ?? seconds
        seed = UInt64(try arguments.integer("seed", default: 1))
        accounts = try arguments.integer("accounts", default: accounts, in: 1...100_000)
        devices = try read("devices", "1 to 32, or such as zipf:1.2,8", DeviceSpread.init) ?? devices
        routes = try read("routes", "such as apns-production=45,apns-sandbox=5,fcm=50", RouteMix.init) ?? routes
        skew = Skew(
            exponent: try read("skew", "a number from 0 to 10") { text in
                Double(text).flatMap { (0...10).contains($0) ? $0 : nil }
            } ?? 0)
        bodyBytes = try arguments.integer("body", default: bodyBytes, in: 1...262_144)
        phones = try arguments.integer("phones", default: 0, in: 0...1_000)
        outsiders = try arguments.integer("outsiders", default: 0, in: 0...100)
        instances = try read("instances", "such as relay=2,apns-sender=4", LoadPlan.instances) ?? [:]
        providers.latency =
            try read("provider-latency", "such as 40ms or lognormal:40ms,900ms", ProviderBehaviour.latency)
            ?? providers.latency
        let share = "a share such as 5% or 0.05"
        providers.faults = try read("provider-faults", share, Self.share) ?? 0
        providers.unregistered = try read("unregistered", share, Self.share) ?? 0
        providers.plantedLoss = try read("plant-loss", share, Self.share) ?? 0
        providers.plantedDouble = try read("plant-double", share, Self.share) ?? 0
        faults =
            try read("kill", "such as relay@10s,ack-recorder@20s", { FaultTimeline($0) })
            ?? (arguments.has("kill-each") ? .eachOnce(within: seconds) : faults)
        for text in arguments.values(of: "setting") {
            let halves = text.split(separator: "=", maxSplits: 1).map(String.init)
            guard halves.count == 2 else {
                throw CommandFailure(.usage, "--setting must be NAME=VALUE, not '\(text)'")
            }
            settings[halves[0]] = halves[1]
        }
        producers = try arguments.integer("producers", default: producers, in: 1...64)
        patience = try arguments.duration("patience").map { $0 / .milliseconds(1) / 1e3 } ?? patience
        stampsPublish = !arguments.has("no-publish-stamps")
        if case .foreground = shape, phones == 0 {
            throw CommandFailure(.usage, "--arrivals foreground needs --phones: nobody else opens an app")
        }
        if seconds * shape.highest * 32 > 1e8 {
            throw CommandFailure(
                .usage, "too many jobs for the memory of one load test: take less time or a lower rate")
        }
    }

    /// `5%` or `0.05`.
    private static func share(_ text: String) -> Double? {
        let number = text.hasSuffix("%") ? Double(text.dropLast()).map { $0 / 100 } : Double(text)
        return number.flatMap { (0...1).contains($0) ? $0 : nil }
    }
}
