import Foundation

/// The environment variables for the amount of testing and the seeds.
public enum TestSettings {
    /// How many random histories are put to a store.
    public static let historyCount = number("MUNIMENT_HISTORIES").map(Int.init) ?? 200

    /// How many random histories have their notices checked.
    public static let noticeHistoryCount = number("MUNIMENT_HISTORIES").map(Int.init) ?? 300

    /// How many random histories are searched for what callers may not know, on every route.
    public static let taintedHistoryCount = number("MUNIMENT_HISTORIES").map(Int.init) ?? 4

    /// How many bits are flipped in each file of a data directory.
    public static let flipCount = number("MUNIMENT_FLIPS").map(Int.init) ?? 12

    /// The seed of the first random history; the others follow it. Another one on every run unless the environment gives it.
    public static let firstSeed: UInt64 = {
        let seed = number("MUNIMENT_SEED") ?? UInt64(UInt32.random(in: 0 ... .max))
        print("random histories: MUNIMENT_SEED=\(seed) MUNIMENT_HISTORIES=\(historyCount)")
        return seed
    }()

    private static func number(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
    }

    /// The folder with `Package.swift` in it.
    public static let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().path(percentEncoded: false)

    /// The folder of data that several projects use: next to the repository, unless the environment sets another one.
    public static let shared = ProcessInfo.processInfo.environment["MUNIMENT_SHARED"] ?? package + "/../shared"
}
