import Events
import Foundation
import LMDB
import Muniment
import Permissions

/// A store on disk with a generated company, and copies of its files for measurements of the raw library.
struct GeneratedStore {
    let generator: Generator
    let folder: String
    let events: Double
    let importSeconds: Double
    /// The most memory of this process during the import, in bytes, without mapped files.
    let mostMemory: Double

    var path: String { folder + "/store" }
    var logCopy: String { folder + "/raw-log" }
    var indexCopy: String { folder + "/raw-index" }

    /// Changes in one transaction of an import.
    static let changesPerTransaction = 1000

    /// Imports the company. Only the import itself is timed.
    ///
    /// - Parameters:
    ///   - clock: returns the time of the commits; nil for the machine's clock. A service commits only to a store whose last commit is
    ///     not long ago.
    ///   - memory: nil if the memory is not measured.
    static func make(
        entries: Int, in folder: String, clock: (@Sendable () -> Instant)? = { BenchmarkClock().now },
        memory: MemorySampler? = MemorySampler()
    ) throws -> GeneratedStore {
        let generator = Generator(entries: entries)
        let path = folder + "/store"
        let store = try Store.create(
            at: path, preset: .open, administrator: "user:root",
            options: StoreOptions(clock: clock, expiryRecording: .withCommits))
        let importer = try store.importer()
        try importer.add(
            Transaction(
                "user:root",
                [
                    .defineClass("folder", ClassSettings(inherits: .everything)),
                    .defineClass("doc", ClassSettings(inherits: .everything)),
                ], authority: .importer))
        // The transactions are generated before the clock starts, since reading a history is not part of the measurement.
        var seconds = 0.0
        var prepared: [Transaction] = []
        func execute() throws {
            let start = ContinuousClock.now
            for transaction in prepared { try importer.add(transaction) }
            seconds += start.duration(to: .now).nanoseconds / 1e9
            prepared.removeAll(keepingCapacity: true)
        }
        for operations in generator.transactions(of: changesPerTransaction) {
            prepared.append(Transaction("user:root", operations.map(\.change), authority: .importer))
            if prepared.count == 200 { try execute() }
        }
        try execute()
        let start = ContinuousClock.now
        try importer.finish()
        seconds += start.duration(to: .now).nanoseconds / 1e9
        let events = Double(try store.statistics().events)
        try store.close()
        let made = GeneratedStore(
            generator: generator, folder: folder, events: events, importSeconds: seconds, mostMemory: memory?.stop() ?? 0)
        for (part, copy) in [("log", made.logCopy), ("index", made.indexCopy)] {
            try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: true)
            try FileManager.default.copyItem(atPath: "\(path)/\(part)/data.mdb", toPath: copy + "/data.mdb")
        }
        return made
    }

    /// Bytes of the log and the index on disk.
    var bytes: Double {
        Double((Environment.fileBytes(in: path + "/log") ?? 0) + (Environment.fileBytes(in: path + "/index") ?? 0))
    }
}

/// A clock that is set by hand, so that each run gives the same result.
struct BenchmarkClock: Sendable {
    let now = Instant(microseconds: 1_767_225_600_000_000)
}

extension Operation {
    /// The operation as a change of a Muniment transaction.
    var change: Change {
        switch self {
        case .createObject(let object, let parent): .createObject(Name(object), parent: parent.map { Name($0) })
        case .deleteObject(let object): .deleteObject(Name(object))
        case .createRole(let role): .createRole(Name(role))
        case .deleteRole(let role): .deleteRole(Name(role))
        case .addMember(let member, let role): .addMember(Name(member), to: Name(role))
        case .removeMember(let member, let role): .removeMember(Name(member), from: Name(role))
        case .grant(let subject, let object, let rank): .setAccess(Name(subject), on: Name(object), privileges(ofRank: rank))
        case .revoke(let subject, let object): .revoke(Name(subject), on: Name(object))
        }
    }
}

/// Ranks are nested: rank 2 includes rank 1.
func privileges(ofRank rank: Int) -> [String] { Array(["read", "update", "delete"].prefix(rank)) }
