import Events
import Permissions
import Projections
import Testing

@testable import Muniment

@Suite("The cache of query results")
struct QueryMemoryTests {
    private func key(_ caller: Name, _ number: UInt8) -> QueryMemory.Key {
        QueryMemory.Key(caller: caller, digest: [number], revision: .genesis, instant: Instant(microseconds: 0))
    }

    /// Results of about 2 MiB.
    private let positions = (0..<1_000).map { number in
        QueryPosition(keys: (0..<8).map { [UInt8](repeating: $0, count: 200) }, object: ObjectID(rawValue: UInt64(number)))
    }

    @Test("The results of one caller take at most 16 MiB, and those of another caller stay")
    func callerLimit() {
        let memory = QueryMemory()
        memory.keep(positions, for: key("user:ben", 1))
        for number in 0..<100 as Range<UInt8> { memory.keep(positions, for: key("user:ann", number)) }
        #expect(memory.bytes <= QueryMemory.callerLimitBytes + (4 << 20))
        #expect(memory.bytes > QueryMemory.callerLimitBytes / 2)
        #expect(memory.page(after: positions[0], limit: 1, for: key("user:ben", 1)) != nil)
        #expect(memory.page(after: positions[0], limit: 1, for: key("user:ann", 99)) != nil)
        #expect(memory.page(after: positions[0], limit: 1, for: key("user:ann", 0)) == nil)
    }

    @Test("The results of all callers of a store take at most 64 MiB")
    func storeLimit() {
        let memory = QueryMemory()
        for number in 0..<100 as Range<UInt8> { memory.keep(positions, for: key(Name("user:\(number)"), 1)) }
        #expect(memory.bytes <= QueryMemory.storeLimitBytes)
        #expect(memory.bytes > QueryMemory.storeLimitBytes / 2)
    }

    @Test("The same query again replaces its earlier results")
    func repeated() {
        let memory = QueryMemory()
        memory.keep(positions, for: key("user:ann", 1))
        let bytes = memory.bytes
        for second in 1...50 as ClosedRange<Int64> {
            let key = QueryMemory.Key(caller: "user:ann", digest: [1], revision: .genesis, instant: Instant(microseconds: second))
            memory.keep(positions, for: key)
        }
        #expect(memory.bytes == bytes)
    }
}
