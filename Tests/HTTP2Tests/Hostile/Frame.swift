/// An HTTP/2 frame written or read by hand.
struct Frame: Equatable {
    enum Kind: UInt8 {
        case data = 0
        case headers = 1
        case resetStream = 3
        case settings = 4
        case pushPromise = 5
        case ping = 6
        case goAway = 7
        case windowUpdate = 8
        case continuation = 9
    }

    static let endStream: UInt8 = 1
    static let acknowledgement: UInt8 = 1
    static let endHeaders: UInt8 = 4

    var kind: UInt8
    var flags: UInt8 = 0
    var stream: Int32 = 0
    var payload: [UInt8] = []

    init(_ kind: Kind, flags: UInt8 = 0, stream: Int32 = 0, _ payload: [UInt8] = []) {
        self.kind = kind.rawValue
        self.flags = flags
        self.stream = stream
        self.payload = payload
    }

    /// From nine bytes of header and the payload behind them.
    init(header: [UInt8], payload: [UInt8]) {
        kind = header[3]
        flags = header[4]
        stream = Int32(bitPattern: header[5...].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF)
        self.payload = payload
    }

    var bytes: [UInt8] {
        let count = UInt32(payload.count)
        return [UInt8(count >> 16 & 255), UInt8(count >> 8 & 255), UInt8(count & 255), kind, flags]
            + Self.word(UInt32(bitPattern: stream)) + payload
    }

    static func word(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(value >> (24 - 8 * UInt32($0)) & 255) } }

    // MARK: What servers say

    /// Settings by number: 3 concurrent streams, 4 initial window, 5 frame size.
    static func settings(_ values: [UInt16: UInt32]) -> Frame {
        Frame(
            .settings,
            values.sorted { $0.key < $1.key }.flatMap { [UInt8($0.key >> 8), UInt8($0.key & 255)] + word($0.value) })
    }

    /// Header fields as literals that enter no table.
    static func answer(_ stream: Int32, _ fields: [(String, String)] = [(":status", "200")], end: Bool = true) -> Frame
    {
        Frame(.headers, flags: endHeaders | (end ? endStream : 0), stream: stream, block(fields))
    }

    static func block(_ fields: [(String, String)]) -> [UInt8] {
        fields.flatMap { [0] + text($0.0) + text($0.1) }
    }

    static func data(_ stream: Int32, _ bytes: [UInt8], end: Bool) -> Frame {
        Frame(.data, flags: end ? endStream : 0, stream: stream, bytes)
    }

    static func reset(_ stream: Int32, _ code: UInt32) -> Frame { Frame(.resetStream, stream: stream, word(code)) }

    static func goAway(last: Int32, code: UInt32 = 0, debug: String = "") -> Frame {
        Frame(.goAway, word(UInt32(bitPattern: last)) + word(code) + Array(debug.utf8))
    }

    private static func text(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = text.utf8.count
        if rest < 127 {
            bytes.append(UInt8(rest))
        } else {
            bytes.append(127)
            rest -= 127
            while rest >= 128 {
                bytes.append(UInt8(rest & 127) | 128)
                rest >>= 7
            }
            bytes.append(UInt8(rest))
        }
        return bytes + text.utf8
    }
}
