import LMDB
import TestSupport
import Testing

@Suite("LMDB: damage is found before a page reference is used")
struct StructureTests {
    /// Creates an environment with small and large rows, many of them rewritten or deleted, like an index.
    private static func busyEnvironment(_ path: String, seed: UInt64, rounds: Int) throws -> Environment {
        let environment = try Environment(
            path: path, options: EnvironmentOptions(mapBytes: 1 << 24, syncsCommits: false, tableLimit: 3))
        let tables = try ["one", "two", "three"].map { try environment.table($0, creating: true) }
        var random = SplitMix64(seed: seed)
        for round in 0..<rounds {
            let transaction = try environment.beginWriting()
            for _ in 0..<random.number(1...60) {
                let table = random.one(of: tables)
                let key = FixedKey(UInt128(random.number(0...400)), byteCount: random.one(of: [5, 16]))
                if random.chance(percent: 30) {
                    _ = try key.withBytes { bytes throws(StorageError) in try transaction.delete(from: table, key: bytes) }
                } else {
                    let bytes = random.one(of: [0, 1, 40, 40, 40, 200, 1900, 2100, 5000, 20_000])
                    try transaction.put([UInt8](repeating: 7, count: bytes).span, in: table, for: key)
                }
            }
            if random.chance(percent: 5) { try transaction.empty(random.one(of: tables)) }
            if random.chance(percent: 10) { transaction.abort() } else { try transaction.commit() }
            try environment.checkStructure()
            if round % 50 == 49 { try environment.sync() }
        }
        return environment
    }

    @Test("An undamaged file passes the check after every commit", arguments: 1...4)
    func soundFiles(seed: Int) throws {
        let folder = try ScratchFolder()
        let environment = try Self.busyEnvironment(folder.path, seed: UInt64(seed), rounds: 150)
        environment.close()
        try Environment(path: folder.path, options: EnvironmentOptions(isReadOnly: true)).close()
    }

    @Test("E3: a change of a counted byte is found, or changes a row")
    func usedBytes() throws {
        let folder = try ScratchFolder()
        let environment = try Environment(path: folder.path, options: EnvironmentOptions(tableLimit: 1))
        // One commit: nothing is freed, and the other head page is the older one.
        let transaction = try environment.beginWriting()
        let table = try transaction.table("rows")
        for (number, bytes) in [0, 1, 40, 41, 200, 2100].enumerated() {
            try transaction.put(
                [UInt8](repeating: UInt8(number + 1), count: bytes).span, in: table, for: FixedKey(UInt128(number), byteCount: 5))
        }
        try transaction.commit()
        let use = try #require(try environment.checkStructure())
        environment.close()
        let file = folder.path + "/data.mdb"
        let whole = try FileBytes.read(file)
        #expect(use.fileBytes == whole.count)

        /// All rows, or nil if damage is found.
        func rows() throws -> [[UInt8]]? {
            do {
                let opened = try Environment(path: folder.path, options: EnvironmentOptions(isReadOnly: true, tableLimit: 1))
                defer { opened.close() }
                try opened.checkStructure()
                let table = try opened.table("rows", creating: false)
                let view = try opened.beginReading()
                defer { view.end() }
                return try (0..<6).map { number in
                    try FixedKey(UInt128(number), byteCount: 5).withBytes { key throws(StorageError) in
                        try view.withValue(in: table, for: key) { value throws(StorageError) in
                            (0..<value.count).map { value[$0] }
                        } ?? [255]
                    }
                }
            } catch is StorageError { return nil }
        }
        let expected = try #require(try rows())
        // LMDB writes the transaction to its place in a head page.
        let older = whole[144] < whole[4096 + 144] ? 0..<4096 : 4096..<8192
        /// Whether a byte is deep in a run of zeros, which no row has: room in a page.
        func isRoom(_ offset: Int) -> Bool {
            let near = max(offset - 64, 0)..<min(offset + 64, whole.count)
            return whole[near].allSatisfy { $0 == 0 }
        }
        var found = 0
        for offset in whole.indices where !older.contains(offset) && !isRoom(offset) {
            var changed = whole
            changed[offset] ^= 1 << UInt8(offset % 8)
            try FileBytes.write(changed, to: file)
            if try rows() != expected { found += 1 }
        }
        #expect(found >= use.checkedBytes)
        #expect(found < use.checkedBytes + 64)
    }

    @Test("A truncated file is refused, unless only free pages are missing and every row is present")
    func cutOffFiles() throws {
        let folder = try ScratchFolder()
        let environment = try Self.busyEnvironment(folder.path, seed: 9, rounds: 20)
        let rows = try environment.rowCount()
        environment.close()
        let whole = try FileBytes.read(folder.path + "/data.mdb")
        let cut = try folder.folder("cut")
        var refused = 0
        for length in stride(from: 1, to: whole.count, by: 1777) {
            try FileBytes.write(Array(whole[..<length]), to: cut + "/data.mdb")
            do {
                let opened = try Environment(path: cut, options: EnvironmentOptions(isReadOnly: true, tableLimit: 3))
                #expect(try opened.rowCount() == rows)
                opened.close()
            } catch let error as StorageError {
                #expect(error.kind == .corrupted || error.kind == .notADatabase, "\(length): \(error)")
                refused += 1
            }
        }
        #expect(refused > 10)
    }

    @Test("A page that refers to a page of an earlier commit is found, for any changed bit")
    func pagesOfThePast() throws {
        let folder = try ScratchFolder()
        let environment = try Environment(path: folder.path, options: EnvironmentOptions(tableLimit: 1))
        let table = try environment.table("rows", creating: true)
        // Each commit frees the page of the commit before it, and the freed page is still well-formed.
        for value in UInt8(0)..<9 { try environment.put([1: [value], 2: [value]], in: table) }
        environment.close()
        let file = folder.path + "/data.mdb"
        let whole = try FileBytes.read(file)
        var found = 0
        for offset in stride(from: 0, to: whole.count, by: 5) {
            let mask = UInt8(1) << UInt8(offset / 5 % 8)
            try FileBytes.flip(file, at: offset, mask: mask)
            do {
                let damaged = try Environment(path: folder.path, options: EnvironmentOptions(isReadOnly: true, tableLimit: 1))
                let rows = try damaged.rows(of: damaged.table("rows", creating: false))
                // A damaged head page can give the state of the commit before the last, but never a mixture.
                let isWhole = rows == [[1]: [8], [2]: [8]] || rows == [[1]: [7], [2]: [7]]
                let isInRow = Set(rows.keys.map { $0.count }) != [1] || rows.values.contains { $0.count != 1 }
                let isOneBit = rows.values.flatMap { $0 }.contains { ($0 ^ 8).nonzeroBitCount == 1 }
                #expect(isWhole || isInRow || isOneBit || rows[[1]] == nil || rows[[2]] == nil, "\(offset): \(rows)")
                damaged.close()
            } catch is StorageError {
                found += 1
            }
            try FileBytes.flip(file, at: offset, mask: mask)
        }
        #expect(found > 50)
        #expect(try FileBytes.read(file) == whole)
    }
}

extension Environment {
    fileprivate func rowCount() throws -> [Int] {
        let tables = try ["one", "two", "three"].map { try table($0, creating: false) }
        let view = try beginReading()
        defer { view.end() }
        return try tables.map { table in
            let cursor = try view.cursor(over: table)
            defer { cursor.close() }
            var count = 0
            var isThere = try cursor.first()
            while isThere {
                count += 1
                isThere = try cursor.next()
            }
            return count
        }
    }
}
