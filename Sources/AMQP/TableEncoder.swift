import CRabbitMQ

/// Builds what the library wants to read, in memory of a pool that the caller recycles after the call.
struct TableEncoder {
    let pool: UnsafeMutablePointer<amqp_pool_t>

    func bytes(_ text: String) -> amqp_bytes_t {
        if let bytes = text.utf8.withContiguousStorageIfAvailable({ copy(UnsafeRawBufferPointer($0)) }) { return bytes }
        var text = text
        return text.withUTF8 { copy(UnsafeRawBufferPointer($0)) }
    }

    func table(_ headers: Headers) -> amqp_table_t {
        let entries: UnsafeMutablePointer<amqp_table_entry_t> = allocate(headers.count)
        for (index, (key, value)) in headers.enumerated() {
            (entries + index).initialize(to: amqp_table_entry_t(key: bytes(key), value: field(value)))
        }
        return amqp_table_t(num_entries: Int32(headers.count), entries: entries)
    }

    private func field(_ value: HeaderValue) -> amqp_field_value_t {
        var field = amqp_field_value_t()
        func set(_ kind: amqp_field_value_kind_t) { field.kind = UInt8(kind.rawValue) }
        switch value {
        case .string(let text):
            set(AMQP_FIELD_KIND_UTF8)
            field.value.bytes = bytes(text)
        case .bytes(let raw):
            set(AMQP_FIELD_KIND_BYTES)
            field.value.bytes = raw.withUnsafeBytes { copy($0) }
        case .integer(let number):
            set(AMQP_FIELD_KIND_I64)
            field.value.i64 = number
        case .boolean(let flag):
            set(AMQP_FIELD_KIND_BOOLEAN)
            field.value.boolean = flag ? 1 : 0
        case .double(let number):
            set(AMQP_FIELD_KIND_F64)
            field.value.f64 = number
        case .timestamp(let seconds):
            set(AMQP_FIELD_KIND_TIMESTAMP)
            field.value.u64 = seconds
        case .array(let values):
            set(AMQP_FIELD_KIND_ARRAY)
            let entries: UnsafeMutablePointer<amqp_field_value_t> = allocate(values.count)
            for (index, value) in values.enumerated() { (entries + index).initialize(to: self.field(value)) }
            field.value.array = amqp_array_t(num_entries: Int32(values.count), entries: entries)
        case .table(let nested):
            set(AMQP_FIELD_KIND_TABLE)
            field.value.table = table(nested)
        case .void:
            set(AMQP_FIELD_KIND_VOID)
        }
        return field
    }

    private func allocate<T>(_ count: Int) -> UnsafeMutablePointer<T> {
        guard let memory = amqp_pool_alloc(pool, max(1, count) * MemoryLayout<T>.stride) else {
            preconditionFailure("no memory for \(count) header fields")
        }
        return memory.bindMemory(to: T.self, capacity: max(1, count))
    }

    private func copy(_ source: UnsafeRawBufferPointer) -> amqp_bytes_t {
        guard !source.isEmpty else { return amqp_bytes_t(len: 0, bytes: nil) }
        guard let memory = amqp_pool_alloc(pool, source.count) else {
            preconditionFailure("no memory for \(source.count) bytes of a header")
        }
        memory.copyMemory(from: source.baseAddress!, byteCount: source.count)
        return amqp_bytes_t(len: source.count, bytes: memory)
    }
}

extension amqp_bytes_t {
    /// Points into `buffer`, which must outlive it; the library only reads.
    init(borrowing buffer: UnsafeRawBufferPointer) {
        self.init(len: buffer.count, bytes: UnsafeMutableRawPointer(mutating: buffer.baseAddress))
    }

    var array: [UInt8] { Array(UnsafeRawBufferPointer(start: bytes, count: len)) }

    /// What is not UTF-8 is repaired: names of this protocol are ASCII.
    var string: String { String(decoding: UnsafeRawBufferPointer(start: bytes, count: len), as: UTF8.self) }
}
