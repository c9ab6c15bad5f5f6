// swift-tools-version: 6.3
import PackageDescription

/// What every Swift target of this package is compiled with. Warnings are errors; memory safety is strict, so that `unsafe`
/// shows where C begins.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .strictMemorySafety(),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

func layer(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies, swiftSettings: settings)
}

let package = Package(
    name: "muniment",
    products: [
        .library(name: "Muniment", targets: ["Muniment", "Events", "Permissions", "Notices"]),
        .library(name: "MunimentTesting", targets: ["MunimentTesting", "RandomHistories"]),
        .library(name: "MunimentClient", targets: ["MunimentClient", "Events", "Permissions"]),
        .executable(name: "muniment", targets: ["CommandLineTool"]),
    ],
    targets: [
        .systemLibrary(name: "CLMDB", pkgConfig: "lmdb", providers: [.apt(["liblmdb-dev"])]),
        .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),
        .systemLibrary(name: "CMicroHTTPD", pkgConfig: "libmicrohttpd", providers: [.apt(["libmicrohttpd-dev"])]),
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .target(name: "CTimex"),
        layer("LMDB", ["CLMDB"]),
        layer("Hashing", ["CCrypto"]),
        layer("Files", ["CTimex"]),
        layer("Secrets", ["CSodium"]),
        layer("HTTPServer", ["CMicroHTTPD"]),
        layer("Events"),
        layer("NetworkClient", ["CCurl", "Secrets"]),
        layer("Identity", ["Events", "Permissions", "Hashing", "Secrets", "Files", "LMDB", "EventLog"]),
        layer("Mail", ["Events", "Files", "Identity", "NetworkClient", "Secrets"]),
        layer("Credentials", ["Events", "Permissions", "Hashing", "Secrets", "Files", "NetworkClient"]),
        layer("OpenIDConnect", ["Events", "Hashing", "Secrets", "Identity", "NetworkClient", "Credentials"]),
        layer("MunimentClient", ["Events", "Permissions", "NetworkClient", "Secrets", "Files"]),
        layer("Permissions", ["Events"]),
        layer("EventLog", ["Events", "Hashing", "LMDB", "Files"]),
        layer("Notices", ["Events", "Permissions"]),
        layer("Projections", ["Events", "Permissions", "LMDB", "Hashing"]),
        layer("Muniment", ["Events", "Permissions", "Notices", "EventLog", "Projections", "LMDB", "Files", "Hashing"]),
        layer("Histories", ["Events", "Permissions", "Notices", "Muniment"]),
        layer("Wire", ["Events", "Permissions", "Notices", "Muniment"]),
        layer("RandomHistories", ["Events", "Permissions"]),
        layer("MunimentTesting", ["Events", "Permissions", "Notices", "Muniment", "Histories", "RandomHistories"]),
        layer(
            "Service",
            [
                "Events", "Permissions", "Notices", "Muniment", "Histories", "Wire", "HTTPServer", "Credentials", "Identity",
                "Secrets", "Hashing", "Files",
            ]),
        .executableTarget(
            name: "CommandLineTool",
            dependencies: [
                "Muniment", "Histories", "Wire", "Notices", "Events", "Permissions", "Credentials", "Files", "HTTPServer",
                "Identity", "Mail", "OpenIDConnect", "NetworkClient", "Service",
            ],
            swiftSettings: settings),
        .systemLibrary(name: "CSQLite", path: "Tools/CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                "CSQLite", "Events", "Permissions", "Notices", "EventLog", "Projections", "LMDB", "Muniment", "Histories",
                "HTTPServer", "TestSupport",
            ],
            path: "Tools/Benchmarks", swiftSettings: settings),
        .executableTarget(
            name: "IdentityDemo", dependencies: ["MunimentClient", "Events", "Permissions", "NetworkClient"],
            path: "Tools/IdentityDemo", exclude: ["provider.py"], swiftSettings: settings),
        .target(name: "ChildSpawn", path: "Tests/ChildSpawn"),
        .target(
            name: "TestSupport", dependencies: ["ChildSpawn", "Events", "Permissions", "RandomHistories"],
            path: "Tests/TestSupport", swiftSettings: settings),
        .target(
            name: "StoreSupport", dependencies: ["Events", "Permissions", "Notices", "Muniment", "TestSupport"],
            path: "Tests/StoreSupport", swiftSettings: settings),
        tests("ArchitectureTests", []),
        tests(
            "CommandLineToolTests",
            [
                "CommandLineTool", "Muniment", "Permissions", "Events", "Credentials", "Identity", "Mail", "NetworkClient",
                "OpenIDConnect", "Service", "IdentitySupport", "TestSupport",
            ]),
        tests("TestSupportTests", ["Events", "Permissions", "TestSupport"]),
        tests("EventsTests", ["Events", "TestSupport"]),
        tests("SecretsTests", ["Secrets"]),
        tests("NetworkClientTests", ["NetworkClient", "Hashing", "TestSupport"]),
        .target(
            name: "IssuerSupport", dependencies: ["Events", "Credentials", "NetworkClient", "TestSupport"],
            path: "Tests/IssuerSupport",
            swiftSettings: settings),
        .target(
            name: "IdentitySupport",
            dependencies: [
                "Events", "Hashing", "Identity", "NetworkClient", "OpenIDConnect", "IssuerSupport", "TestSupport",
            ],
            path: "Tests/IdentitySupport", swiftSettings: settings),
        tests(
            "OpenIDConnectTests",
            [
                "OpenIDConnect", "Credentials", "Events", "Hashing", "Identity", "NetworkClient", "IdentitySupport",
                "IssuerSupport",
                "TestSupport",
            ]),
        tests("MailTests", ["Mail", "Events", "Identity", "NetworkClient", "IdentitySupport", "TestSupport"]),
        tests(
            "CredentialsTests",
            ["Credentials", "IssuerSupport", "NetworkClient", "Hashing", "Events", "Permissions", "Files", "TestSupport"]),
        .target(name: "DiskWitness", path: "Tests/DiskWitness"),
        .executableTarget(
            name: "FaultHelper",
            dependencies: [
                "Muniment", "Histories", "Identity", "EventLog", "Events", "Permissions", "Files", "TestSupport", "DiskWitness",
            ],
            path: "Tests/FaultHelper", swiftSettings: settings),
        tests(
            "MunimentClientTests",
            [
                "MunimentClient", "Events", "Permissions", "Identity", "OpenIDConnect", "Muniment", "NetworkClient", "Service",
                "ServiceSupport",
                "IdentitySupport", "TestSupport",
            ]),
        tests("HTTPServerTests", ["HTTPServer", "TestSupport"]),
        tests("EventLogTests", ["EventLog", "Events", "Hashing", "LMDB", "TestSupport", "FaultHelper"]),
        tests("StorageTests", ["LMDB", "Hashing", "Files", "TestSupport", "FaultHelper"]),
        tests(
            "IdentityTests",
            [
                "Identity", "EventLog", "Events", "Permissions", "Hashing", "Secrets", "Files", "LMDB", "TestSupport",
                "FaultHelper",
            ]),
        tests("PermissionsTests", ["Events", "Permissions", "Hashing", "TestSupport"]),
        tests(
            "ProjectionsTests", ["Events", "Permissions", "Projections", "Hashing", "LMDB", "Muniment", "TestSupport"]),
        tests(
            "MunimentTests",
            [
                "Events", "Permissions", "Notices", "Muniment", "Projections", "EventLog", "Hashing", "Files", "LMDB",
                "TestSupport",
                "StoreSupport", "FaultHelper",
            ]),
        .testTarget(
            name: "ConformanceTests",
            dependencies: ["Events", "Permissions", "Muniment", "TestSupport", "StoreSupport", "Notices", "MunimentTesting"],
            path: "Tests/Conformance", swiftSettings: settings),
        tests("HistoriesTests", ["Events", "Permissions", "Notices", "Muniment", "Histories", "TestSupport", "StoreSupport"]),
        .target(
            name: "ServiceSupport",
            dependencies: ["Events", "Permissions", "Muniment", "Credentials", "HTTPServer", "Identity", "Service", "TestSupport"],
            path: "Tests/ServiceSupport", swiftSettings: settings),
        tests(
            "ServiceTests",
            [
                "Events", "Permissions", "Notices", "Muniment", "Projections", "Histories", "Credentials", "Files", "HTTPServer",
                "Identity", "Service", "CommandLineTool", "RandomHistories", "ServiceSupport", "IssuerSupport", "IdentitySupport",
                "OpenIDConnect",
                "Mail", "NetworkClient",
                "TestSupport", "StoreSupport",
            ]),
        tests(
            "MunimentTestingTests",
            [
                "MunimentTesting", "Events", "Permissions", "Notices", "Muniment", "Histories", "TestSupport", "StoreSupport",
            ]),
    ]
)

// Tools/sanitize builds some tests a second time: named here, with commas between them, these are all there is, with what they need.
if let names = Context.environment["MUNIMENT_TESTS"] {
    var kept: Set<String> = []
    var found = names.split(separator: ",").map(String.init)
    while let name = found.popLast() {
        guard kept.insert(name).inserted, let target = package.targets.first(where: { $0.name == name }) else { continue }
        for case .byNameItem(let needed, _) in target.dependencies { found.append(needed) }
    }
    package.targets.removeAll { !kept.contains($0.name) }
    package.products = []
}
