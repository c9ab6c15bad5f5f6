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

/// The settings of tests. `Tools/test` runs them against the optimized product; optimizing the tests, too, would take longer than they run.
let testSettings = settings + [.unsafeFlags(["-Onone"], .when(configuration: .release))]

/// The part of the product, which is a folder of Sources, that a target belongs to.
enum Part: String {
    case core = "Core"
    case formats = "Formats"
    case recipes = "Recipes"
    case service = "Service"
    case accounts = "Accounts"
    case client = "Client"
    case testing = "Testing"
}

func layer(_ name: String, in part: Part, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, path: "Sources/\(part.rawValue)/\(name)", swiftSettings: settings)
}

func library(_ name: String, in part: Part, pkgConfig: String, package: String) -> Target {
    .systemLibrary(
        name: name, path: "Sources/\(part.rawValue)/\(name)", pkgConfig: pkgConfig, providers: [.apt([package])])
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies, swiftSettings: testSettings)
}

let package = Package(
    name: "muniment",
    // The client is for these systems, from the first versions that have `Synchronization`; the service is for Linux.
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "Muniment", targets: ["Muniment", "Primitives", "Events", "Permissions", "Notices"]),
        .library(name: "MunimentRecipes", targets: ["MunimentRecipes"]),
        .library(name: "MunimentTesting", targets: ["MunimentTesting", "RandomHistories"]),
        .library(name: "MunimentClient", targets: ["MunimentClient", "MunimentReplica", "Primitives"]),
        .executable(name: "muniment", targets: ["CommandLineTool"]),
    ],
    targets: [
        library("CLMDB", in: .core, pkgConfig: "lmdb", package: "liblmdb-dev"),
        library("CCrypto", in: .core, pkgConfig: "libcrypto", package: "libssl-dev"),
        .target(name: "CTimex", path: "Sources/Core/CTimex"),
        layer("Primitives", in: .core),
        layer("LMDB", in: .core, ["CLMDB"]),
        layer("Hashing", in: .core, ["CCrypto"]),
        layer("Files", in: .core, ["CTimex"]),
        layer("Events", in: .core, ["Primitives"]),
        layer("Permissions", in: .core, ["Primitives", "Events"]),
        layer("Notices", in: .core, ["Events", "Permissions"]),
        layer("EventLog", in: .core, ["Events", "Hashing", "LMDB", "Files"]),
        layer("Projections", in: .core, ["Events", "Permissions", "LMDB", "Hashing"]),
        layer("Muniment", in: .core, ["Events", "Permissions", "Notices", "EventLog", "Projections", "LMDB", "Files", "Hashing"]),

        layer("Histories", in: .formats, ["Events", "Permissions", "Notices", "Muniment"]),
        layer("Importers", in: .formats, ["Events", "Permissions", "Muniment", "Histories", "SQLite"]),
        layer("Wire", in: .formats, ["Events", "Permissions", "Notices", "Muniment"]),

        layer(
            "MunimentRecipes", in: .recipes, ["Events", "Permissions", "Notices", "Muniment", "Projections", "Files"]),

        library("CSodium", in: .accounts, pkgConfig: "libsodium", package: "libsodium-dev"),
        layer("Work", in: .service, ["Primitives"]),
        layer("Secrets", in: .accounts, ["CSodium"]),
        library("CCurl", in: .accounts, pkgConfig: "libcurl", package: "libcurl4-openssl-dev"),
        layer("NetworkClient", in: .accounts, ["Primitives", "CCurl", "Secrets"]),
        layer("Identity", in: .accounts, ["Primitives", "Hashing", "Secrets", "Files", "LMDB", "EventLog", "Work"]),
        layer("Mail", in: .accounts, ["Primitives", "Files", "Identity", "NetworkClient", "Secrets"]),
        layer("OpenIDConnect", in: .accounts, ["Primitives", "Hashing", "Secrets", "Identity", "NetworkClient", "Credentials"]),

        library("CSQLite", in: .client, pkgConfig: "sqlite3", package: "libsqlite3-dev"),
        layer("SQLite", in: .client, ["CSQLite"]),
        layer("MunimentReplica", in: .client, ["Primitives", "SQLite"]),
        layer("Transfers", in: .client, ["CCurl"]),
        layer(
            "MunimentClient", in: .client,
            ["Primitives", "MunimentReplica", .target(name: "Transfers", condition: .when(platforms: [.linux]))]),

        library("CMicroHTTPD", in: .service, pkgConfig: "libmicrohttpd", package: "libmicrohttpd-dev"),
        layer("HTTPServer", in: .service, ["CMicroHTTPD"]),
        layer(
            "Credentials", in: .service,
            ["Events", "EventLog", "Permissions", "Hashing", "Secrets", "Files", "NetworkClient"]),
        library("CPostgreSQL", in: .service, pkgConfig: "libpq", package: "libpq-dev"),
        layer("PostgreSQLLog", in: .service, ["CPostgreSQL", "Events", "EventLog", "Hashing"]),
        .target(
            name: "Console", path: "Sources/Service/Console", exclude: ["Files"], swiftSettings: settings, plugins: ["EmbedConsole"]
        ),
        .plugin(name: "EmbedConsole", capability: .buildTool()),
        layer(
            "Service", in: .service,
            [
                "Events", "Permissions", "Notices", "Muniment", "MunimentRecipes", "Histories", "Wire", "HTTPServer", "Credentials",
                "Identity", "Secrets", "Hashing", "Files", "Work", "Console", "EventLog",
            ]),

        layer("RandomHistories", in: .testing, ["Events", "Permissions"]),
        layer(
            "MunimentTesting", in: .testing,
            ["Events", "Permissions", "Notices", "Muniment", "Histories", "RandomHistories"]),

        .target(name: "CPager", path: "Sources/Tool/CPager"),
        .executableTarget(
            name: "CommandLineTool",
            dependencies: [
                "CPager", "Muniment", "MunimentRecipes", "Histories", "Importers", "Wire", "Notices", "Events", "Permissions",
                "Credentials", "Files", "Hashing", "HTTPServer", "Identity", "Mail", "OpenIDConnect", "NetworkClient", "Service",
                "EventLog", "PostgreSQLLog",
            ],
            path: "Sources/Tool/CommandLineTool", swiftSettings: settings, plugins: ["RecordCommit"]),
        .plugin(name: "RecordCommit", capability: .buildTool()),

        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                "CSQLite", "Events", "Permissions", "Notices", "EventLog", "Projections", "LMDB", "Muniment", "Histories",
                "HTTPServer", "TestSupport", "MunimentClient", "MunimentReplica", "Primitives",
            ],
            path: "Tools/Benchmarks", swiftSettings: settings),
        .executableTarget(
            name: "IdentityDemo", dependencies: ["MunimentClient", "Events", "Permissions", "NetworkClient"],
            path: "Tools/IdentityDemo", exclude: ["provider.py"], swiftSettings: settings),
        .executableTarget(
            name: "OfflineDemo", dependencies: ["MunimentClient", "MunimentReplica", "Primitives"], path: "Tools/OfflineDemo",
            swiftSettings: settings),
        .target(name: "ChildSpawn", path: "Tests/ChildSpawn"),
        .target(
            name: "TestSupport", dependencies: ["ChildSpawn", "Events", "Permissions", "RandomHistories"],
            path: "Tests/TestSupport", swiftSettings: settings),
        .target(
            name: "StoreSupport", dependencies: ["Events", "Permissions", "Notices", "Muniment", "TestSupport"],
            path: "Tests/StoreSupport", swiftSettings: testSettings),
        tests("ArchitectureTests", []),
        tests(
            "CommandLineToolTests",
            [
                "CommandLineTool", "Muniment", "Permissions", "Events", "Credentials", "Identity", "Mail", "NetworkClient",
                "OpenIDConnect", "Service", "IdentitySupport", "TestSupport",
            ]),
        tests("TestSupportTests", ["Events", "Permissions", "TestSupport"]),
        tests("EventsTests", ["Events", "Primitives", "TestSupport"]),
        tests("SecretsTests", ["Secrets"]),
        tests("NetworkClientTests", ["NetworkClient", "Hashing", "TestSupport"]),
        .target(
            name: "IssuerSupport", dependencies: ["Events", "Credentials", "NetworkClient", "TestSupport"],
            path: "Tests/IssuerSupport", swiftSettings: testSettings),
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
                "MunimentClient", "MunimentReplica", "Primitives",
            ],
            path: "Tests/FaultHelper", swiftSettings: testSettings),
        tests(
            "MunimentClientTests",
            [
                "MunimentClient", "MunimentReplica", "Transfers", "Events", "Permissions", "Projections", "Identity",
                "OpenIDConnect",
                "Muniment",
                "Service",
                "Credentials", "CommandLineTool", "ServiceSupport", "IdentitySupport", "TestSupport", "FaultHelper",
            ]),
        tests(
            "ReplicaTests",
            ["SQLite", "MunimentReplica", "Events", "Permissions", "Muniment", "Projections", "TestSupport", "FaultHelper"]),
        tests("HTTPServerTests", ["HTTPServer", "TestSupport"]),
        tests("EventLogTests", ["EventLog", "Events", "Hashing", "LMDB", "TestSupport", "FaultHelper"]),
        tests(
            "SharedLogTests",
            [
                "EventLog", "Events", "Permissions", "Hashing", "Muniment", "PostgreSQLLog", "Credentials", "TestSupport",
                "StoreSupport",
            ]),
        tests("StorageTests", ["LMDB", "Hashing", "Files", "TestSupport", "FaultHelper"]),
        tests(
            "IdentityTests",
            [
                "Identity", "EventLog", "Events", "Permissions", "Hashing", "Secrets", "Files", "LMDB", "TestSupport", "Work",
                "FaultHelper",
            ]),
        tests("PermissionsTests", ["Events", "Permissions", "Hashing", "RandomHistories", "TestSupport"]),
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
            dependencies: [
                "Events", "Permissions", "Muniment", "MunimentRecipes", "TestSupport", "StoreSupport", "Notices", "MunimentTesting",
            ],
            path: "Tests/Conformance", swiftSettings: testSettings),
        tests("ImportersTests", ["Events", "Permissions", "Muniment", "Importers", "SQLite", "RandomHistories", "TestSupport"]),
        tests("HistoriesTests", ["Events", "Permissions", "Notices", "Muniment", "Histories", "TestSupport", "StoreSupport"]),
        .target(
            name: "ServiceSupport",
            dependencies: ["Events", "Permissions", "Muniment", "Credentials", "HTTPServer", "Identity", "Service", "TestSupport"],
            path: "Tests/ServiceSupport", swiftSettings: testSettings),
        tests(
            "ServiceTests",
            [
                "Events", "Permissions", "Notices", "Muniment", "Projections", "Histories", "Credentials", "Files", "HTTPServer",
                "Identity", "Service", "CommandLineTool", "RandomHistories", "ServiceSupport", "IssuerSupport", "IdentitySupport",
                "OpenIDConnect",
                "Mail", "NetworkClient",
                "TestSupport", "StoreSupport", "Work",
            ]),
        tests(
            "MunimentTestingTests",
            [
                "MunimentTesting", "Events", "Permissions", "Notices", "Muniment", "Histories", "TestSupport", "StoreSupport",
            ]),
    ]
)

// Tools/sanitize builds some tests a second time. With their names here, separated by commas, the package has only them and their
// dependencies.
if let names = Context.environment["MUNIMENT_TESTS"] {
    var kept: Set<String> = []
    var found = names.split(separator: ",").map(String.init)
    while let name = found.popLast() {
        guard kept.insert(name).inserted, let target = package.targets.first(where: { $0.name == name }) else { continue }
        for dependency in target.dependencies {
            switch dependency {
            case .byNameItem(let needed, _), .targetItem(let needed, _): found.append(needed)
            default: break
            }
        }
    }
    package.targets.removeAll { $0.type != .plugin && !kept.contains($0.name) }
    package.products = []
}
