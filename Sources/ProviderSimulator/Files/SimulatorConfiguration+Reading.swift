import HTTP2
import TokenSigning

extension SimulatorConfiguration {
    private static let names = [
        "host", "ports", "certificateFile", "privateKeyFile", "apnsKeys", "fcmProjects", "devices", "script",
        "providerTokenFloorSeconds", "accessTokenSeconds", "apnsFirstStreams", "apnsStreams", "fcmStreams",
        "journalEntries", "quotas",
        "apnsIdleSeconds", "apnsRequestSeconds", "fcmIdleSeconds", "fcmAgeSeconds", "fcmPings",
    ]

    /// Overlays what the file says: lists replace, all else overrides. Files that it names are relative to its folder.
    public mutating func read(_ path: String) throws(ScriptError) {
        guard let text = TextFile.read(path) else { throw ScriptError("\(path) cannot be read") }
        let root = try JSONValue(ours: Array(text.utf8), at: path)
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
        let fields = try Fields(root, at: path, known: Self.names)
        host = try fields.string("host") ?? host
        if let value = fields["ports"] { try readPorts(value, at: "\(path).ports") }
        if let certificate = try fields.string("certificateFile"), let key = try fields.string("privateKeyFile") {
            identity = Identity(
                certificatePEM: try Self.file(certificate, folder), privateKeyPEM: try Self.file(key, folder))
        }
        if fields["apnsKeys"] != nil {
            apnsKeys = []
            for (index, value) in try fields.array("apnsKeys").enumerated() {
                apnsKeys.append(try Self.apnsKey(value, at: "\(path).apnsKeys[\(index)]", folder))
            }
        }
        if fields["fcmProjects"] != nil {
            fcmProjects = []
            for (index, value) in try fields.array("fcmProjects").enumerated() {
                fcmProjects.append(try Self.project(value, at: "\(path).fcmProjects[\(index)]", folder))
            }
        }
        for (index, value) in try fields.array("devices").enumerated() {
            let place = "\(path).devices[\(index)]"
            guard let token = value["token"]?.string else { throw ScriptError("\(place).token is missing") }
            devices.append(try Device(value, token: token, before: nil, at: place))
        }
        if let value = fields["script"] { script = try Script(value, at: "\(path).script") }
        if let value = fields["quotas"] { quotas = try Quotas(value, at: "\(path).quotas") }
        try readNumbers(fields)
        try readLimits(fields)
    }

    private mutating func readNumbers(_ fields: Fields) throws(ScriptError) {
        let time: ClosedRange<Int64> = 0...1_000_000_000
        let count: ClosedRange<Int64> = 1...Int64(Int32.max)
        providerTokenFloorSeconds =
            try fields.integer("providerTokenFloorSeconds", in: time) ?? providerTokenFloorSeconds
        accessTokenSeconds = try fields.integer("accessTokenSeconds", in: time) ?? accessTokenSeconds
        apnsFirstStreams = try fields.integer("apnsFirstStreams", in: count).map { UInt32($0) } ?? apnsFirstStreams
        apnsStreams = try fields.integer("apnsStreams", in: count).map { UInt32($0) } ?? apnsStreams
        fcmStreams = try fields.integer("fcmStreams", in: count).map { UInt32($0) } ?? fcmStreams
        journalEntries = try fields.integer("journalEntries", in: 1...10_000_000).map { Int($0) } ?? journalEntries
    }

    /// 0 lifts a limit.
    private mutating func readLimits(_ fields: Fields) throws(ScriptError) {
        func seconds(_ name: String, _ usual: Duration?) throws(ScriptError) -> Duration? {
            guard let number = try fields.number(name, in: 0...1_000_000_000) else { return usual }
            return number == 0 ? nil : .seconds(number)
        }
        apnsLimits.idle = try seconds("apnsIdleSeconds", apnsLimits.idle)
        apnsLimits.upload = try seconds("apnsRequestSeconds", apnsLimits.upload)
        googleLimits.idle = try seconds("fcmIdleSeconds", googleLimits.idle)
        googleLimits.age = try seconds("fcmAgeSeconds", googleLimits.age)
        if let pings = try fields.integer("fcmPings", in: 0...1_000_000) {
            googleLimits.pings = pings == 0 ? nil : Int(pings)
        }
    }

    private mutating func readPorts(_ value: JSONValue, at place: String) throws(ScriptError) {
        let fields = try Fields(value, at: place, known: ["apnsProduction", "apnsSandbox", "fcm", "oauth", "control"])
        func port(_ name: String, _ fallback: UInt16) throws(ScriptError) -> UInt16 {
            guard let number = try fields.integer(name) else { return fallback }
            guard let port = UInt16(exactly: number) else { throw ScriptError("\(place).\(name) must be a port") }
            return port
        }
        ports.apnsProduction = try port("apnsProduction", ports.apnsProduction)
        ports.apnsSandbox = try port("apnsSandbox", ports.apnsSandbox)
        ports.fcm = try port("fcm", ports.fcm)
        ports.oauth = try port("oauth", ports.oauth)
        ports.control = try port("control", ports.control)
    }

    private static func apnsKey(_ value: JSONValue, at place: String, _ folder: String) throws(ScriptError) -> APNSKey {
        let fields = try Fields(
            value, at: place,
            known: ["teamId", "keyId", "publicKeyPEM", "publicKeyFile", "topics", "environments"])
        guard let team = try fields.string("teamId"), let id = try fields.string("keyId") else {
            throw ScriptError("\(place) needs teamId and keyId")
        }
        return APNSKey(
            teamID: team, keyID: id, publicKey: try publicKey(fields, at: place, folder),
            topics: try fields.strings("topics"),
            environments: try fields.strings("environments") ?? ["production", "sandbox"])
    }

    private static func project(_ value: JSONValue, at place: String, _ folder: String) throws(ScriptError)
        -> FCMProject
    {
        let fields = try Fields(
            value, at: place,
            known: [
                "projectId", "clientEmail", "publicKeyPEM", "publicKeyFile", "enabled", "otherPlatforms",
                "messagesPerMinute",
            ])
        guard let id = try fields.string("projectId"), let email = try fields.string("clientEmail") else {
            throw ScriptError("\(place) needs projectId and clientEmail")
        }
        var project = FCMProject(
            projectID: id, clientEmail: email, publicKey: try publicKey(fields, at: place, folder))
        project.isEnabled = try fields.optionalFlag("enabled") ?? true
        project.reachesOtherPlatforms = try fields.optionalFlag("otherPlatforms") ?? true
        project.messagesPerMinute = try fields.integer("messagesPerMinute", in: 1...1_000_000_000).map { Int($0) }
        return project
    }

    private static func publicKey(_ fields: Fields, at place: String, _ folder: String) throws(ScriptError) -> PublicKey
    {
        var text = try fields.string("publicKeyPEM")
        if let name = try fields.string("publicKeyFile") { text = try file(name, folder) }
        guard let text else { throw ScriptError("\(place) needs publicKeyPEM or publicKeyFile") }
        do throws(TokenSigningError) {
            return try PublicKey(pem: text)
        } catch {
            throw ScriptError("\(place): \(error)")
        }
    }

    private static func file(_ name: String, _ folder: String) throws(ScriptError) -> String {
        let path = name.hasPrefix("/") ? name : folder + name
        guard let text = TextFile.read(path) else { throw ScriptError("\(path) cannot be read") }
        return text
    }
}
