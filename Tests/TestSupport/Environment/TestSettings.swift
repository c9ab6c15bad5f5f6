import Foundation

/// The environment variables for the amount of testing and the seeds.
public enum TestSettings {
    /// The number of random histories that are applied to a store.
    public static let historyCount = number("MUNIMENT_HISTORIES").map(Int.init) ?? 200

    /// The number of random histories with a check of their notices.
    public static let noticeHistoryCount = number("MUNIMENT_HISTORIES").map(Int.init) ?? 300

    /// The number of random histories that are searched on every route for data that callers may not know.
    public static let taintedHistoryCount = max(historyCount / 50, 2)

    /// The number of random schedules with withdrawn credentials.
    public static let withdrawalHistoryCount = max(historyCount / 20, 5)

    /// The number of flipped bits in each file of a data directory.
    public static let flipCount = number("MUNIMENT_FLIPS").map(Int.init) ?? 12

    /// The seed of the first random history; the next histories use the following seeds. Random unless the environment sets it.
    public static let firstSeed: UInt64 = {
        let seed = number("MUNIMENT_SEED") ?? UInt64(UInt32.random(in: 0 ... .max))
        print("random histories: MUNIMENT_SEED=\(seed) MUNIMENT_HISTORIES=\(historyCount)")
        return seed
    }()

    /// Whether the tests run under AddressSanitizer, as in `Tools/sanitize`. They need more memory and time then, so the limits of some do
    /// not hold.
    public static let isSanitized = ProcessInfo.processInfo.environment["ASAN_OPTIONS"] != nil

    private static func number(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
    }

    /// A folder on a disk. `Tools/test` has its temporary folder in memory.
    public static let disk =
        ProcessInfo.processInfo.environment["MUNIMENT_TEST_DISK"] ?? FileManager.default.temporaryDirectory.path

    /// The folder that contains `Package.swift`.
    public static let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().path(percentEncoded: false)

    /// The folder of data that several projects use: next to the repository, unless the environment sets another one.
    public static let shared = ProcessInfo.processInfo.environment["MUNIMENT_SHARED"] ?? package + "/../shared"
}
