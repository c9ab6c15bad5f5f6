import Glibc
import LMDB
import TestSupport
import Testing

@Suite("LMDB: transactions")
struct TransactionTests {
    let folder: ScratchFolder
    let environment: Environment
    let table: Table

    init() throws {
        folder = try ScratchFolder()
        environment = try Environment(path: folder.path, options: EnvironmentOptions(mapBytes: 1 << 20))
        table = try environment.table(nil, creating: true)
    }

    @Test("Committed rows are read; rows of an aborted transaction are not")
    func commitAndAbort() throws {
        try environment.put([1: [10], 2: [20]], in: table)
        let transaction = try environment.beginWriting()
        try transaction.put([UInt8(30)].span, in: table, for: [UInt8(3)].span)
        transaction.abort()
        #expect(try environment.rows(of: table) == [[1]: [10], [2]: [20]])
        environment.close()
    }

    @Test("A view does not change during writes until it is renewed")
    func viewsAreStable() throws {
        try environment.put([1: [10]], in: table)
        let view = try environment.beginReading()
        try environment.put([1: [11], 2: [20]], in: table)
        #expect(try view.value(in: table, for: [1]) == [10])
        #expect(try view.value(in: table, for: [2]) == nil)
        view.reset()
        try view.renew()
        #expect(try view.value(in: table, for: [1]) == [11])
        #expect(try view.value(in: table, for: [2]) == [20])
        view.end()
        environment.close()
    }

    @Test("Deleting returns whether the row existed; an emptied table has no rows")
    func deleting() throws {
        try environment.put([1: [10], 2: [20]], in: table)
        let transaction = try environment.beginWriting()
        #expect(try transaction.delete(from: table, key: [UInt8(1)].span))
        #expect(try !transaction.delete(from: table, key: [UInt8(1)].span))
        try transaction.commit()
        #expect(try environment.rows(of: table) == [[2]: [20]])
        let emptying = try environment.beginWriting()
        try emptying.empty(table)
        try emptying.commit()
        #expect(try environment.rows(of: table).isEmpty)
        environment.close()
    }

    @Test("Committed rows are present after the environment is reopened")
    func reopening() throws {
        try environment.put([7: [70]], in: table)
        environment.close()
        let again = try Environment(path: folder.path, options: EnvironmentOptions(isReadOnly: true))
        #expect(try again.rows(of: again.table(nil, creating: false)) == [[7]: [70]])
        again.close()
    }

    @Test("An append with a key out of order is refused, and changes nothing")
    func appendingKeepsOrder() throws {
        try environment.put([5: [50]], in: table)
        let transaction = try environment.beginWriting()
        #expect(throws: StorageError.self) {
            try transaction.put([UInt8(40)].span, in: table, for: [UInt8(4)].span, appending: true)
        }
        transaction.abort()
        #expect(try environment.rows(of: table) == [[5]: [50]])
        environment.close()
    }

    @Test(
        "An input/output error counts as a full disk only if little of the disk is free",
        arguments: [(0, .diskFull), (1 << 19, .diskFull), (1 << 20, .diskFailed), (nil, .diskFailed)]
            as [(UInt64?, StorageError.Kind)]
    )
    func inputOutputError(freeBytes: UInt64?, kind: StorageError.Kind) {
        #expect(StorageError.Kind(code: EIO) { freeBytes } == kind)
        #expect(StorageError.Kind(code: ENOSPC) { freeBytes } == .diskFull)
        let error = StorageError(kind, "write", path: "/data", detail: "Input/output error")
        #expect(error.description.contains("make room on the disk") == (kind == .diskFull))
        #expect(error.description.contains("check the disk") == (kind == .diskFailed))
    }

    @Test("A file that is not an LMDB file is refused, and the error names it", arguments: [1, 100, 4096, 8192, 20_000])
    func noEnvironment(bytes: Int) throws {
        environment.close()
        let path = try folder.folder("other")
        try FileBytes.write([UInt8](repeating: 0x41, count: bytes), to: path + "/data.mdb")
        let error = #expect(throws: StorageError.self) { try Environment(path: path, options: EnvironmentOptions()) }
        #expect(error?.kind == .notADatabase)
        #expect(error?.description.contains(path) == true)
        #expect(try FileBytes.read(path + "/data.mdb").allSatisfy { $0 == 0x41 })
    }
}

extension Environment {
    func put(_ rows: [UInt8: [UInt8]], in table: Table) throws {
        let transaction = try beginWriting()
        do {
            for (key, value) in rows { try transaction.put(value.span, in: table, for: [key].span) }
        } catch {
            transaction.abort()
            throw error
        }
        try transaction.commit()
    }

    func rows(of table: Table) throws -> [[UInt8]: [UInt8]] {
        let view = try beginReading()
        defer { view.end() }
        let cursor = try view.cursor(over: table)
        defer { cursor.close() }
        var rows: [[UInt8]: [UInt8]] = [:]
        var isThere = try cursor.first()
        while isThere {
            cursor.withRow { key, value in rows[key.array] = value.array }
            isThere = try cursor.next()
        }
        return rows
    }
}

extension ReadTransaction {
    func value(in table: Table, for key: [UInt8]) throws -> [UInt8]? {
        try withValue(in: table, for: key.span) { value throws(StorageError) in value.array }
    }
}

extension Span<UInt8> {
    var array: [UInt8] { indices.map { self[$0] } }
}
