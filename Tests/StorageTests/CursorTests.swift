import LMDB
import TestSupport
import Testing

@Suite("LMDB: cursors and keys")
struct CursorTests {
    let folder: ScratchFolder
    let environment: Environment
    let table: Table

    init() throws {
        folder = try ScratchFolder()
        environment = try Environment(path: folder.path, options: EnvironmentOptions(mapBytes: 1 << 22))
        table = try environment.table(nil, creating: true)
    }

    @Test("A cursor moves in both directions and finds the first row at or after a key")
    func walking() throws {
        try environment.put([2: [20], 4: [40], 6: [60]], in: table)
        let view = try environment.beginReading()
        let cursor = try view.cursor(over: table)
        #expect(try cursor.seek(atOrAfter: [UInt8(3)].span))
        #expect(cursor.row == Row(4, 40))
        #expect(try cursor.next())
        #expect(cursor.row == Row(6, 60))
        #expect(try !cursor.next())
        #expect(try cursor.last() && cursor.previous())
        #expect(cursor.row == Row(4, 40))
        #expect(try cursor.first())
        #expect(cursor.row == Row(2, 20))
        #expect(try !cursor.previous())
        #expect(try !cursor.seek(atOrAfter: [UInt8(7)].span))
        cursor.close()
        view.end()
        environment.close()
    }

    @Test("A cursor follows its view through renewals, and shows the rows of each renewal")
    func renewals() throws {
        try environment.put([0: [0]], in: table)
        let view = try environment.beginReading()
        let cursor = try view.cursor(over: table)
        for round in UInt8(1)...50 {
            try environment.put([round: [round]], in: table)
            #expect(try cursor.last())
            #expect(cursor.row == Row(round - 1, round - 1))
            view.reset()
            try view.renew()
            #expect(try cursor.last())
            #expect(cursor.row == Row(round, round))
            #expect(try cursor.seek(atOrAfter: [round / 2].span))
            #expect(cursor.row == Row(round / 2, round / 2))
        }
        cursor.close()
        view.end()
        environment.close()
    }

    @Test("Fixed keys keep the order of their numbers, and read back equal", arguments: [1, 5, 7, 8, 9, 11, 13, 16])
    func fixedKeys(byteCount: Int) throws {
        var random = SplitMix64(seed: UInt64(byteCount))
        let limit = byteCount == 16 ? UInt128.max : UInt128(1) << UInt128(8 * byteCount) - 1
        var numbers: Set<UInt128> = [0, 1, limit]
        for _ in 0..<200 { numbers.insert((UInt128(random.next()) << 64 | UInt128(random.next())) & limit) }
        let transaction = try environment.beginWriting()
        for number in numbers {
            try transaction.put([UInt8(truncatingIfNeeded: number)].span, in: table, for: FixedKey(number, byteCount: byteCount))
        }
        try transaction.commit()
        let view = try environment.beginReading()
        let cursor = try view.cursor(over: table)
        var found: [UInt128] = []
        var isThere = try cursor.first()
        while isThere {
            #expect(cursor.fixedKey.byteCount == byteCount)
            #expect(cursor.row.value == UInt8(truncatingIfNeeded: cursor.fixedKey.number))
            found.append(cursor.fixedKey.number)
            isThere = try cursor.next()
        }
        #expect(found == numbers.sorted())
        for number in numbers.shuffled(using: &random).prefix(20) {
            #expect(try cursor.seek(atOrAfter: FixedKey(number, byteCount: byteCount)))
            #expect(cursor.fixedKey.number == number)
        }
        cursor.close()
        view.end()
        environment.close()
    }

    @Test("The bytes of a fixed key are its number in big-endian order")
    func fixedKeyBytes() {
        #expect(FixedKey(0x01_02_03, byteCount: 5).withBytes { $0.array } == [0, 0, 1, 2, 3])
        #expect(FixedKey(.max, byteCount: 16).withBytes { $0.array } == [UInt8](repeating: 0xFF, count: 16))
        #expect(FixedKey(1, byteCount: 5) < FixedKey(2, byteCount: 5))
    }
}

/// A row with a one-byte key and a one-byte value.
struct Row: Equatable {
    let key: UInt8
    let value: UInt8

    init(_ key: UInt8, _ value: UInt8) {
        self.key = key
        self.value = value
    }
}

extension Cursor {
    var row: Row { withRow { key, value in Row(key[key.count - 1], value[0]) } }
}
