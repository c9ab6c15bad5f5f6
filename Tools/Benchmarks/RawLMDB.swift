import EventLog
import Foundation
import LMDB

/// Measures LMDB with the same bytes, without Muniment.
enum RawLMDB {
    /// The tables of an index. Their order does not matter.
    static let tables = ["state", "names", "ids", "documents", "relations", "times", "expiries", "requests"]

    /// Returns the time of one `mdb_get` on the object documents of a store, at keys selected from all of them.
    static func get(_ store: GeneratedStore, calls: Int, seed: UInt64) throws -> Timing {
        let environment = try Environment(
            path: store.indexCopy, options: EnvironmentOptions(isReadOnly: true, tableLimit: tables.count))
        defer { environment.close() }
        let table = try environment.table("documents", creating: false)
        let transaction = try environment.beginReading()
        defer { transaction.end() }
        var keys: [[UInt8]] = []
        let cursor = try transaction.cursor(over: table)
        var isThere = try cursor.first()
        while isThere {
            // The first byte shows that the row is an object.
            cursor.withRow { key, _ in
                if key[0] == 1 { keys.append(key.indices.map { key[$0] }) }
            }
            isThere = try cursor.next()
        }
        cursor.close()
        var random = SplitMix64(seed: seed)
        let sample = (0..<calls).map { _ in keys[Int.random(in: 0..<keys.count, using: &random)] }
        keys = []
        return try Timing.measure(calls: calls) { call in
            let key = sample[call % sample.count]
            return try transaction.withValue(in: table, for: key.span) { value throws(StorageError) in value.count } ?? 0
        }
    }

    /// Returns the seconds to load every row of an index into an empty environment, in the order of the keys.
    static func sortedLoad(_ store: GeneratedStore) throws -> (rows: Int, seconds: Double) {
        let source = try Environment(path: store.indexCopy, options: EnvironmentOptions(isReadOnly: true, tableLimit: tables.count))
        defer { source.close() }
        let path = store.folder + "/sorted-load"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: path) }
        let target = try Environment(path: path, options: EnvironmentOptions(syncsCommits: false, tableLimit: tables.count))
        defer { target.close() }
        // A view sees only the tables that were open before it began.
        let opened = try tables.map { (try source.table($0, creating: false), try target.table($0, creating: true)) }
        let reading = try source.beginReading()
        defer { reading.end() }
        var rows = 0
        let start = ContinuousClock.now
        for (from, to) in opened {
            let cursor = try reading.cursor(over: from)
            let writing = try target.beginWriting()
            var isThere = try cursor.first()
            while isThere {
                try cursor.withRow { key, value throws(StorageError) in try writing.put(value, in: to, for: key, appending: true) }
                rows += 1
                isThere = try cursor.next()
            }
            cursor.close()
            try writing.commit()
        }
        return (rows, start.duration(to: .now).nanoseconds / 1e9)
    }

    /// Returns the seconds for a cursor to visit every record of a log, and the page of every byte.
    static func scan(_ store: GeneratedStore) throws -> Double {
        let environment = try Environment(path: store.logCopy, options: EnvironmentOptions(isReadOnly: true))
        defer { environment.close() }
        let table = try environment.table(nil, creating: false)
        let transaction = try environment.beginReading()
        defer { transaction.end() }
        return try Timing.once { () throws(StorageError) in
            let cursor = try transaction.cursor(over: table)
            defer { cursor.close() }
            var bytes = 0
            var isThere = try cursor.first()
            while isThere {
                cursor.withRow { _, value in
                    for offset in stride(from: 0, to: value.count, by: 64) { bytes += Int(value[offset]) }
                }
                isThere = try cursor.next()
            }
            return bytes
        }.seconds
    }

    /// Returns commits a second. Each has one record, and is on the disk before the next begins.
    static func durableCommits(_ count: Int, in folder: String) throws -> Double {
        let path = folder + "/raw-commits"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: path) }
        let environment = try Environment(path: path, options: EnvironmentOptions())
        defer { environment.close() }
        let table = try environment.table(nil, creating: true)
        let value = [UInt8](repeating: 7, count: 80)
        return try Timing.measure(calls: count, batch: 1) { call throws(StorageError) in
            let transaction = try environment.beginWriting()
            try transaction.put(value.span, in: table, for: FixedKey(UInt128(call), byteCount: 8))
            try transaction.commit()
            return call
        }.callsPerSecond
    }
}
