// swift-tools-version: 6.3
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),  // SE-0335
    .enableUpcomingFeature("InternalImportsByDefault"),  // SE-0409
    .enableUpcomingFeature("MemberImportVisibility"),  // SE-0444
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),  // SE-0461
    .enableUpcomingFeature("InferIsolatedConformances"),  // SE-0470
    .treatAllWarnings(as: .error),  // SE-0480
]

/// A module map over one Debian library; `Sources/C` holds nothing else.
func system(_ name: String, _ pkgConfig: String, apt: String) -> Target {
    .systemLibrary(name: name, path: "Sources/C/\(name)", pkgConfig: pkgConfig, providers: [.apt([apt])])
}

/// A target of ours and the target that tests it.
func module(_ name: String, _ dependencies: [String], tests: [String] = []) -> [Target] {
    let uses = dependencies.map { Target.Dependency(stringLiteral: $0) }
    let testUses = ([name, "TestSupport"] + dependencies + tests).map { Target.Dependency(stringLiteral: $0) }
    return [
        .target(name: name, dependencies: uses, swiftSettings: settings),
        .testTarget(name: "\(name)Tests", dependencies: testUses, swiftSettings: settings),
    ]
}

// Layer 0: C
var targets: [Target] = [
    .target(name: "CLinux", path: "Sources/C/CLinux"),
    system("CPostgres", "libpq", apt: "libpq-dev"),
    system("CRabbitMQ", "librabbitmq", apt: "librabbitmq-dev"),
    system("CCurl", "libcurl", apt: "libcurl4-openssl-dev"),
    system("CNGHTTP2", "libnghttp2", apt: "libnghttp2-dev"),
    system("COpenSSL", "openssl", apt: "libssl-dev"),
    system("CSodium", "libsodium", apt: "libsodium-dev"),
    system("CMicroHTTPD", "libmicrohttpd", apt: "libmicrohttpd-dev"),
    system("CSQLite", "sqlite3", apt: "libsqlite3-dev"),
    system("CPropertyList", "libplist-2.0", apt: "libplist-dev"),
    system("CZip", "libzip", apt: "libzip-dev"),
    .target(name: "CDeviceKit", path: "Sources/C/CDeviceKit"),
]

// Layer 1: rules and words
targets += module("Delivery", [])
targets += module("Messages", ["Delivery"])

// Layer 2: the thread
targets += module("Reactor", ["CLinux"])

// Layer 3: faces
targets += module("Postgres", ["Reactor", "CPostgres", "CLinux"])
targets += module("AMQP", ["Reactor", "CRabbitMQ", "CLinux"], tests: ["LocalStack"])
targets += module("HTTP2", ["Reactor", "CNGHTTP2", "COpenSSL", "CLinux"])
targets += module("HTTPClient", ["Reactor", "CCurl", "CLinux"])
targets += module("HTTPServer", ["CMicroHTTPD", "CLinux"], tests: ["HTTP2", "HTTPClient"])
targets += module("Cryptography", ["CSodium"])
targets += module("TokenSigning", ["COpenSSL"])
targets += module("ReceiptOpening", ["CSodium", "Cryptography"])
targets += module("AppArchive", ["CPropertyList", "CZip", "COpenSSL"])
targets += module("Daemon", ["HTTPServer", "CLinux"])

// Layer 4: services
targets += module("Storage", ["Delivery", "Messages", "Postgres", "Daemon"])
targets += module(
    "Topology", ["Delivery", "Messages", "Postgres", "HTTPClient", "Daemon", "Storage"], tests: ["AMQP"])
targets += module(
    "OutboxRelay", ["Delivery", "Messages", "Postgres", "AMQP", "Daemon", "Storage"], tests: ["LocalStack"])
targets += module(
    "Operations", ["Delivery", "Messages", "Postgres", "AMQP", "Daemon", "Storage"], tests: ["OutboxRelay"])
targets += module(
    "DeadLetters", ["Delivery", "Messages", "Postgres", "AMQP", "Daemon", "Operations"], tests: ["Storage"])
targets += module("Sending", ["Delivery", "Messages", "AMQP", "HTTP2", "Cryptography", "Daemon"])
targets += module(
    "APNSSender", ["Delivery", "Messages", "AMQP", "HTTP2", "TokenSigning", "Cryptography", "Daemon", "Sending"],
    tests: ["LocalStack"])
targets += module(
    "FCMSender",
    ["Delivery", "Messages", "AMQP", "HTTP2", "HTTPClient", "TokenSigning", "Cryptography", "Daemon", "Sending"])
targets += module(
    "FanoutCoordinator",
    ["Delivery", "Messages", "Postgres", "AMQP", "TokenSigning", "Daemon", "Storage"])
targets += module(
    "AckRecorder", ["Delivery", "Messages", "Postgres", "AMQP", "Cryptography", "Daemon", "Storage"],
    tests: ["LocalStack"])
targets += module(
    "DeviceGateway",
    ["Delivery", "Messages", "Postgres", "AMQP", "HTTPServer", "Cryptography", "TokenSigning", "Daemon", "Storage"],
    tests: ["HTTPClient", "LocalStack", "AckRecorder"])

// Layer 4: the phone
targets += module("DeviceKit", ["Delivery", "Messages", "Cryptography", "ReceiptOpening"], tests: ["DeviceStore"])
targets += module("DeviceStore", ["Delivery", "Messages", "DeviceKit", "CSQLite"])
targets += module("DeviceKitApple", ["Delivery", "DeviceKit", "Cryptography", "ReceiptOpening"], tests: ["LocalStack"])
targets += module(
    "DeviceKitC", ["Delivery", "Messages", "DeviceKit", "DeviceStore", "CDeviceKit"],
    tests: ["LocalStack", "DeviceFleet", "Cryptography"])

// Layer 5: the lab
targets += module(
    "ProviderSimulator",
    ["Delivery", "Messages", "HTTP2", "HTTPServer", "TokenSigning", "Daemon", "CLinux"], tests: ["HTTPClient"])
targets += module(
    "DeviceFleet",
    [
        "Delivery", "Messages", "DeviceKit", "DeviceStore", "HTTPClient", "Cryptography", "ReceiptOpening", "Daemon",
        "Postgres", "Storage", "CLinux",
    ], tests: ["HTTPServer"])
targets += module(
    "LocalStack",
    [
        "Delivery", "Messages", "Postgres", "AMQP", "HTTPClient", "HTTPServer", "Cryptography", "TokenSigning",
        "Daemon",
        "Storage", "Topology", "DeviceFleet", "ProviderSimulator", "CLinux",
    ])
targets += module(
    "Benchmarks",
    [
        "Delivery", "Messages", "Postgres", "AMQP", "HTTPClient", "HTTP2", "Daemon", "Storage", "Topology",
        "LocalStack", "LoadTest", "ProviderSimulator", "TokenSigning", "Cryptography", "HTTPServer", "CLinux",
        "Operations", "DeadLetters",
    ])
targets += module(
    "Chaos",
    [
        "Delivery", "Messages", "Postgres", "AMQP", "HTTPClient", "Daemon", "Storage", "LocalStack", "DeviceFleet",
        "DeviceKit", "DeviceStore", "Cryptography",
    ])

targets += module(
    "LoadTest",
    [
        "Delivery", "Messages", "Postgres", "AMQP", "HTTPClient", "Cryptography", "Daemon", "DeviceFleet", "LocalStack",
    ])
targets += module(
    "Verification",
    [
        "AppArchive", "Daemon", "Delivery", "Messages", "Cryptography", "Postgres", "HTTPClient", "DeviceKit",
        "DeviceStore", "DeviceFleet", "LocalStack",
    ])

// Layer 6: executables
let services = [
    "OutboxRelay", "Sending", "APNSSender", "FCMSender", "FanoutCoordinator", "AckRecorder", "DeviceGateway",
    "Topology", "Operations", "DeadLetters",
]
targets += [
    .executableTarget(
        name: "mobile-delivery",
        dependencies: (services + [
            "Daemon", "Storage", "Postgres", "AMQP", "Delivery", "Messages", "HTTPClient", "HTTP2", "Cryptography",
            "TokenSigning", "HTTPServer",
        ]).map { Target.Dependency(stringLiteral: $0) },
        swiftSettings: settings),
    .executableTarget(
        name: "mobile-delivery-lab",
        dependencies: [
            "Benchmarks", "Chaos", "LoadTest", "LocalStack", "ProviderSimulator", "DeviceFleet", "DeviceKit",
            "DeviceStore",
            "Daemon", "Storage", "Postgres", "AMQP", "Delivery", "Messages", "HTTPClient", "HTTP2", "Cryptography",
            "TokenSigning", "Topology", "Verification",
        ],
        swiftSettings: settings),
    // In C, because it is what the relay is compared with: librabbitmq and nothing around it.
    .executableTarget(
        name: "bare-publisher", dependencies: ["CRabbitMQ"], linkerSettings: [.linkedLibrary("rabbitmq")]),
    // The server and the libcurl loop of `bench http2`, in C for the same reason.
    .executableTarget(
        name: "bare-http2-server", dependencies: ["CNGHTTP2", "COpenSSL"],
        linkerSettings: [.linkedLibrary("nghttp2"), .linkedLibrary("ssl"), .linkedLibrary("crypto")]),
    .executableTarget(
        name: "bare-http2-client", dependencies: ["CCurl"], linkerSettings: [.linkedLibrary("curl")]),
    .target(
        name: "TestSupport",
        dependencies: [
            "Postgres", "AMQP", "HTTPClient", "Topology", "Delivery", "Messages", "Daemon", "CLinux", "LocalStack",
        ],
        path: "Tests/TestSupport", swiftSettings: settings),
    .testTarget(name: "ArchitectureTests", dependencies: ["TestSupport"], swiftSettings: settings),
]

let package = Package(
    name: "mobile-delivery",
    // For hosts that are not written in Swift.
    products: [.library(name: "DeviceKitC", type: .dynamic, targets: ["DeviceKitC"])],
    targets: targets, swiftLanguageModes: [.v6])
