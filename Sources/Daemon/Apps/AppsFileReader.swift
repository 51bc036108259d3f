/// Turns the file's values into apps and collects what is wrong, each with its place.
struct AppsFileReader {
    let folder: String
    private(set) var problems: [String] = []

    init(folder: String) { self.folder = folder }

    static let defaultLocalization = [
        "RECEIPT": AppsFile.Localization(title: "receipt.available.title", body: "receipt.available.body"),
        "CREDIT_NOTE": AppsFile.Localization(title: "credit_note.available.title", body: "credit_note.available.body"),
    ]

    mutating func apps(_ root: AppsFileValue, isReadable: (String) -> Bool) -> [AppsFile.App] {
        let members = object(root, at: "the file", known: ["apps"])
        guard case .list(let list)? = members["apps"], !list.isEmpty else {
            complain("apps must be a list of at least one app")
            return []
        }
        var apps: [AppsFile.App] = []
        for (index, value) in list.enumerated() {
            let app = app(value, number: index + 1, isReadable: isReadable)
            if apps.contains(where: { $0.name == app.name }) { complain("two apps have the name \"\(app.name)\"") }
            apps.append(app)
        }
        return apps
    }

    private mutating func app(
        _ value: AppsFileValue, number: Int, isReadable: (String) -> Bool
    ) -> AppsFile.App {
        let members = object(value, at: "app \(number)", known: ["name", "apns", "fcm"])
        var name = "\(number)"
        if case .text(let text)? = members["name"], Self.isAppName(text) {
            name = text
        } else {
            complain("app \(number): name must be 1 to 40 of a-z, 0-9 and -, and not \"dead\"")
        }
        let place = "app \"\(name)\""
        if members["apns"] == nil, members["fcm"] == nil { complain("\(place): needs apns, fcm or both") }
        return AppsFile.App(
            name: name, apns: members["apns"].map { apns($0, at: "\(place): apns", isReadable) },
            fcm: members["fcm"].map { fcm($0, at: "\(place): fcm", isReadable) })
    }

    private mutating func apns(
        _ value: AppsFileValue, at place: String, _ isReadable: (String) -> Bool
    ) -> AppsFile.APNS {
        let known = ["bundleId", "teamId", "keyId", "keyFile", "environments", "category", "localization"]
        let members = object(value, at: place, known: known)
        return AppsFile.APNS(
            bundleID: text(members, "bundleId", at: place, "a bundle id such as nl.cheqi.app", Self.isBundleID),
            teamID: text(members, "teamId", at: place, "10 letters or digits", Self.isAppleID),
            keyID: text(members, "keyId", at: place, "10 letters or digits", Self.isAppleID),
            keyFile: file(members, "keyFile", at: place, isReadable),
            environments: environments(members["environments"], at: place),
            category: members["category"] == nil
                ? "RECEIPT_AVAILABLE"
                : text(members, "category", at: place, "1 to 64 printable characters", Self.isShort),
            localization: localization(members["localization"], at: "\(place).localization"))
    }

    private mutating func fcm(
        _ value: AppsFileValue, at place: String, _ isReadable: (String) -> Bool
    ) -> AppsFile.FCM {
        let members = object(value, at: place, known: ["projectId", "serviceAccountFile"])
        return AppsFile.FCM(
            projectID: text(members, "projectId", at: place, "a Firebase project id", Self.isProjectID),
            serviceAccountFile: file(members, "serviceAccountFile", at: place, isReadable))
    }

    private mutating func environments(_ value: AppsFileValue?, at place: String) -> [String] {
        guard let value else { return ["production"] }
        var names: [String] = []
        if case .list(let list) = value {
            for case .text(let name) in list where !names.contains(name) { names.append(name) }
            if names.count == list.count, !names.isEmpty, names.allSatisfy({ ["production", "sandbox"].contains($0) }) {
                return names
            }
        }
        complain("\(place).environments must list \"production\", \"sandbox\" or both, each once")
        return []
    }

    private mutating func localization(_ value: AppsFileValue?, at place: String) -> [String: AppsFile.Localization] {
        var result = Self.defaultLocalization
        guard let value else { return result }
        let members = object(value, at: place, known: result.keys.sorted())
        for (type, value) in members.sorted(by: { $0.key < $1.key }) where result[type] != nil {
            let place = "\(place).\(type)"
            let keys = object(value, at: place, known: ["title", "body"])
            result[type] = AppsFile.Localization(
                title: text(keys, "title", at: place, "a key of 1 to 64 printable characters", Self.isShort),
                body: text(keys, "body", at: place, "a key of 1 to 64 printable characters", Self.isShort))
        }
        return result
    }

    // MARK: One field

    private mutating func object(_ value: AppsFileValue, at place: String, known: [String]) -> [String: AppsFileValue] {
        guard case .members(let members) = value else {
            complain("\(place) must be an object")
            return [:]
        }
        for name in members.keys.sorted() where !known.contains(name) {
            complain("\(place): \"\(name)\" is not known here, only \(known.joined(separator: ", "))")
        }
        return members
    }

    private mutating func text(
        _ members: [String: AppsFileValue], _ name: String, at place: String, _ rule: String,
        _ isValid: (String) -> Bool
    ) -> String {
        if case .text(let text)? = members[name], isValid(text) { return text }
        complain(members[name] == nil ? "\(place).\(name) is missing: \(rule)" : "\(place).\(name) must be \(rule)")
        return ""
    }

    private mutating func file(
        _ members: [String: AppsFileValue], _ name: String, at place: String, _ isReadable: (String) -> Bool
    ) -> String {
        let relative = text(members, name, at: place, "the path of a file") { !$0.isEmpty }
        guard !relative.isEmpty else { return "" }
        let path = relative.hasPrefix("/") ? relative : folder + relative
        if !isReadable(path) { complain("\(place).\(name): \(path) cannot be read") }
        return path
    }

    private mutating func complain(_ problem: String) { problems.append(problem) }

    // MARK: Rules

    static func isAppName(_ text: String) -> Bool {
        (1...40).contains(text.utf8.count) && text != "dead"
            && text.utf8.allSatisfy { isLowerCase($0) || isDigit($0) || $0 == UInt8(ascii: "-") }
    }

    static func isAppleID(_ text: String) -> Bool {
        text.utf8.count == 10 && text.utf8.allSatisfy { isLetter($0) || isDigit($0) }
    }

    static func isBundleID(_ text: String) -> Bool {
        (1...155).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                isLetter($0) || isDigit($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".")
            }
    }

    static func isProjectID(_ text: String) -> Bool {
        (4...63).contains(text.utf8.count)
            && text.utf8.allSatisfy { isLowerCase($0) || isDigit($0) || $0 == UInt8(ascii: "-") }
    }

    static func isShort(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && text.utf8.allSatisfy { (0x20..<0x7f).contains($0) }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
    private static func isLowerCase(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) }
    private static func isLetter(_ byte: UInt8) -> Bool {
        isLowerCase(byte) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
    }
}
