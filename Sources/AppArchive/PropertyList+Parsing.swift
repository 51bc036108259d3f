import CPropertyList

extension PropertyList {
    /// Deeper ones are refused: a small file must not exhaust the stack.
    private static let deepest = 64
    /// Seconds from 1970 to 2001, where Apple's dates begin.
    private static let epoch: Int64 = 978_307_200

    public init(parsing bytes: [UInt8]) throws(ArchiveError) {
        guard !bytes.isEmpty, bytes.count <= Int(Int32.max) else { throw ArchiveError("empty or far too large") }
        var root: plist_t?
        bytes.withUnsafeBytes { buffer in
            plist_from_memory(buffer.bindMemory(to: CChar.self).baseAddress, UInt32(buffer.count), &root)
        }
        guard let root else { throw ArchiveError("not a property list, neither XML nor binary") }
        defer { plist_free(root) }
        try self.init(node: root, depth: 0)
    }

    private init(node: plist_t, depth: Int) throws(ArchiveError) {
        guard depth < PropertyList.deepest else { throw ArchiveError("nested too deep") }
        switch plist_get_node_type(node) {
        case PLIST_STRING:
            var length: UInt64 = 0
            guard let start = plist_get_string_ptr(node, &length) else { throw ArchiveError("a text without content") }
            let text = UnsafeRawBufferPointer(start: start, count: Int(length))
            self = .text(String(decoding: text, as: UTF8.self))
        case PLIST_UINT:
            var number: UInt64 = 0
            plist_get_uint_val(node, &number)
            self = .number(Int64(bitPattern: number))
        case PLIST_REAL:
            var number = 0.0
            plist_get_real_val(node, &number)
            self = .real(number)
        case PLIST_BOOLEAN:
            var flag: UInt8 = 0
            plist_get_bool_val(node, &flag)
            self = .flag(flag != 0)
        case PLIST_DATE:
            var seconds: Int32 = 0
            var microseconds: Int32 = 0
            plist_get_date_val(node, &seconds, &microseconds)
            self = .date(Int64(seconds) + PropertyList.epoch)
        case PLIST_DATA:
            var length: UInt64 = 0
            guard let start = plist_get_data_ptr(node, &length) else {
                self = .bytes([])
                return
            }
            self = .bytes(Array(UnsafeRawBufferPointer(start: start, count: Int(length))))
        case PLIST_ARRAY: self = try PropertyList.list(of: node, depth: depth)
        case PLIST_DICT: self = try PropertyList.members(of: node, depth: depth)
        default: self = .other
        }
    }

    private static func list(of node: plist_t, depth: Int) throws(ArchiveError) -> PropertyList {
        var list: [PropertyList] = []
        for index in 0..<plist_array_get_size(node) {
            guard let item = plist_array_get_item(node, index) else { continue }
            list.append(try PropertyList(node: item, depth: depth + 1))
        }
        return .list(list)
    }

    private static func members(of node: plist_t, depth: Int) throws(ArchiveError) -> PropertyList {
        var members: [String: PropertyList] = [:]
        var iterator: plist_dict_iter?
        plist_dict_new_iter(node, &iterator)
        defer { free(iterator) }
        while true {
            var name: UnsafeMutablePointer<CChar>?
            var value: plist_t?
            plist_dict_next_item(node, iterator, &name, &value)
            guard let name, let value else { return .members(members) }
            defer { free(name) }
            members[String(cString: name)] = try PropertyList(node: value, depth: depth + 1)
        }
    }
}
