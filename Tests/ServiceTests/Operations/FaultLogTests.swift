import Synchronization
import Testing

@testable import Service

@Suite("The fault log: a repeated fault is counted, and written at most once a minute")
struct FaultLogTests {
    @Test("15,000 equal faults of different requests are two lines: the first one, and the count at the end")
    func flood() {
        let lines = Mutex<[String]>([])
        let log = FaultLog { line in lines.withLock { $0.append(line) } }
        for number in 1...15_000 { log.report("the disk is full", request: "r\(number)") }
        #expect(lines.withLock { $0 } == ["request r1: the disk is full"])
        #expect(log.count.value == 15_000)
        log.flush()
        let all = lines.withLock { $0 }
        #expect(all.count == 2 && all[1].hasPrefix("the disk is full (repeated 14999 times in "), "\(all)")
    }

    @Test("A fault is written again after a minute, with the number of its repetitions, and other faults at once")
    func time() {
        var faults = RepeatedFaults()
        #expect(faults.add("a", at: .seconds(0)) == (true, false))
        #expect(faults.add("a", at: .seconds(1)) == (false, true))
        #expect(faults.add("a", at: .seconds(50)) == (false, false))
        #expect(faults.add("b", at: .seconds(50)) == (true, false))
        #expect(faults.add("b", at: .seconds(55)) == (false, false))
        let first = faults.takeRepeated(at: .seconds(61))
        #expect(first.lines == ["a (repeated 2 times in 61 s)"] && first.isPending, "`b` was written 11 seconds ago")
        let second = faults.takeRepeated(at: .seconds(121))
        #expect(second.lines == ["b (repeated once in 71 s)"] && !second.isPending)
        #expect(faults.add("a", at: .seconds(122)) == (true, false))
    }

    @Test("The number of different faults in memory is limited; further ones count together")
    func manyFaults() {
        var faults = RepeatedFaults()
        let written = (0..<1_000).count { faults.add("fault \($0)", at: .seconds(1)).isNew }
        #expect(written == RepeatedFaults.textLimit)
        #expect(faults.takeRepeated(at: .seconds(62)).lines == ["other faults (repeated 900 times in 61 s)"])
    }
}
