import FoundationEssentials

extension AppsFile {
    /// Reads and checks the file, and that the key files it names can be read; their content is the senders' to judge.
    public init(reading path: String) throws(AppsFileError) {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw AppsFileError(path: path, problems: ["cannot be read: create it, or set MOBILE_DELIVERY_APPS_FILE"])
        }
        try self.init(json: Array(data), path: path) { FileManager.default.isReadableFile(atPath: $0) }
    }

    /// `path` is where the content came from: key files are relative to it.
    public init(json: [UInt8], path: String, isReadable: (String) -> Bool) throws(AppsFileError) {
        guard let root = try? JSONDecoder().decode(AppsFileValue.self, from: Data(json)) else {
            throw AppsFileError(path: path, problems: ["not valid JSON"])
        }
        var reader = AppsFileReader(folder: Self.folder(of: path))
        let apps = reader.apps(root, isReadable: isReadable)
        guard reader.problems.isEmpty else { throw AppsFileError(path: path, problems: reader.problems) }
        self.init(path: path, apps: apps)
    }

    private static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "" }
        return String(path[...slash])
    }
}

/// Any JSON value of the file, so that each fault can be named with its place instead of ending the reading.
enum AppsFileValue: Decodable, Equatable {
    case text(String)
    case list([AppsFileValue])
    case members([String: AppsFileValue])
    case other

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let text = try? container.decode(String.self) {
            self = .text(text)
        } else if let list = try? container.decode([AppsFileValue].self) {
            self = .list(list)
        } else if let members = try? container.decode([String: AppsFileValue].self) {
            self = .members(members)
        } else {
            self = .other
        }
    }
}
