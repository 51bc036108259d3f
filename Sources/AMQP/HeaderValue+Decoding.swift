import CRabbitMQ

extension HeaderValue {
    /// Copies a table out of a frame.
    static func headers(_ table: amqp_table_t) -> Headers {
        var headers = Headers(minimumCapacity: Int(table.num_entries))
        for index in 0..<Int(table.num_entries) {
            let entry = table.entries[index]
            headers[entry.key.string] = HeaderValue(entry.value)
        }
        return headers
    }

    private init(_ field: amqp_field_value_t) {
        switch amqp_field_value_kind_t(UInt32(field.kind)) {
        case AMQP_FIELD_KIND_BOOLEAN: self = .boolean(field.value.boolean != 0)
        case AMQP_FIELD_KIND_I8: self = .integer(Int64(field.value.i8))
        case AMQP_FIELD_KIND_U8: self = .integer(Int64(field.value.u8))
        case AMQP_FIELD_KIND_I16: self = .integer(Int64(field.value.i16))
        case AMQP_FIELD_KIND_U16: self = .integer(Int64(field.value.u16))
        case AMQP_FIELD_KIND_I32: self = .integer(Int64(field.value.i32))
        case AMQP_FIELD_KIND_U32: self = .integer(Int64(field.value.u32))
        case AMQP_FIELD_KIND_I64: self = .integer(field.value.i64)
        case AMQP_FIELD_KIND_U64: self = .integer(Int64(clamping: field.value.u64))
        case AMQP_FIELD_KIND_F32: self = .double(Double(field.value.f32))
        case AMQP_FIELD_KIND_F64: self = .double(field.value.f64)
        case AMQP_FIELD_KIND_TIMESTAMP: self = .timestamp(field.value.u64)
        case AMQP_FIELD_KIND_UTF8:
            let bytes = field.value.bytes.array
            self = String(validating: bytes, as: UTF8.self).map { .string($0) } ?? .bytes(bytes)
        case AMQP_FIELD_KIND_BYTES: self = .bytes(field.value.bytes.array)
        case AMQP_FIELD_KIND_TABLE: self = .table(HeaderValue.headers(field.value.table))
        case AMQP_FIELD_KIND_ARRAY:
            let array = field.value.array
            self = .array((0..<Int(array.num_entries)).map { HeaderValue(array.entries[$0]) })
        default: self = .void
        }
    }
}
