/// Object identifiers of the server's own types (pg_type.dat); they never change.
public enum TypeOID {
    public static let bool: UInt32 = 16
    public static let bytea: UInt32 = 17
    public static let int8: UInt32 = 20
    public static let int2: UInt32 = 21
    public static let int4: UInt32 = 23
    public static let text: UInt32 = 25
    public static let json: UInt32 = 114
    public static let float8: UInt32 = 701
    public static let timestamptz: UInt32 = 1184
    public static let interval: UInt32 = 1186
    public static let uuid: UInt32 = 2950
    public static let jsonb: UInt32 = 3802

    static let name: UInt32 = 19
    static let oid: UInt32 = 26
    static let float4: UInt32 = 700
    static let unknown: UInt32 = 705
    static let bpchar: UInt32 = 1042
    static let varchar: UInt32 = 1043
    static let timestamp: UInt32 = 1114
    /// Types made by `CREATE TYPE` begin here.
    static let firstUserDefined: UInt32 = 16384
}
