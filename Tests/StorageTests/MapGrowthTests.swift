import LMDB
import Synchronization
import TestSupport
import Testing

@Suite("LMDB: map growth")
struct MapGrowthTests {
    let folder: ScratchFolder
    let environment: Environment
    let table: Table

    init() throws {
        folder = try ScratchFolder()
        environment = try Environment(path: folder.path, options: EnvironmentOptions(mapBytes: 1 << 16))
        table = try environment.table(nil, creating: true)
    }

    /// Puts a row, and grows the map if it is full. Returns how often the map grew.
    private func put(_ number: UInt32, bytes: Int) throws -> Int {
        let value = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: bytes)
        let key = FixedKey(UInt128(number), byteCount: 5)
        var growths = 0
        while true {
            do {
                let transaction = try environment.beginWriting()
                do { try transaction.put(value.span, in: table, for: key) } catch {
                    transaction.abort()
                    throw error
                }
                try transaction.commit()
                return growths
            } catch let error as StorageError where error.kind == .mapFull {
                try environment.growMap()
                growths += 1
            }
        }
    }

    private func check(_ view: ReadTransaction, upTo last: UInt32, bytes: Int) throws {
        for number in 0..<last {
            let value = try FixedKey(UInt128(number), byteCount: 5).withBytes { key in
                try view.withValue(in: table, for: key) { value throws(StorageError) in [value[0], value[value.count - 1]] }
            }
            guard value == [UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number)] else {
                Issue.record("row \(number) is \(value ?? [])")
                return
            }
        }
    }

    @Test("A full map grows without a restart and keeps all rows")
    func growing() throws {
        var growths = 0
        for number in UInt32(0)..<300 { growths += try put(number, bytes: 3000) }
        #expect(growths >= 3)
        let view = try environment.beginReading()
        try check(view, upTo: 300, bytes: 3000)
        view.end()
        try environment.checkStructure()
        environment.close()
    }

    /// State that the threads of a test share.
    private final class Progress: Sendable {
        let written = Atomic<UInt32>(0)
        let reads = Atomic<Int>(0)
        let isDone = Atomic<Bool>(false)
    }

    @Test("The map grows while readers start and finish; each reader sees only whole commits")
    func growingUnderReaders() throws {
        let progress = Progress()
        let readers = (0..<3).map { _ in
            TestThread {
                while !progress.isDone.load(ordering: .acquiring) {
                    let least = progress.written.load(ordering: .acquiring)
                    let view = try environment.beginReading()
                    try check(view, upTo: least, bytes: 2000)
                    view.end()
                }
            }
        }
        defer { progress.isDone.store(true, ordering: .releasing) }
        for number in UInt32(0)..<200 {
            _ = try put(number, bytes: 2000)
            progress.written.store(number + 1, ordering: .releasing)
        }
        progress.isDone.store(true, ordering: .releasing)
        for reader in readers { try reader.join() }
        try environment.checkStructure()
        environment.close()
    }

    @Test("The map grows even if readers renew their views almost continuously")
    func growingWithoutAGap() throws {
        let progress = Progress()
        let readers = (0..<4).map { _ in
            TestThread {
                let view = try environment.beginReading()
                while !progress.isDone.load(ordering: .acquiring) {
                    view.reset()
                    try view.renew()
                    progress.reads.add(1, ordering: .releasing)
                }
                view.end()
            }
        }
        defer { progress.isDone.store(true, ordering: .releasing) }
        let end = ContinuousClock.now + .seconds(1_200)
        while progress.reads.load(ordering: .acquiring) < 1000 {
            guard .now < end else { throw NotInTime(description: "the readers do not read") }
            _ = try put(0, bytes: 10)
        }
        for number in UInt32(0)..<100 { _ = try put(number, bytes: 3000) }
        progress.isDone.store(true, ordering: .releasing)
        for reader in readers { try reader.join() }
        environment.close()
    }
}
