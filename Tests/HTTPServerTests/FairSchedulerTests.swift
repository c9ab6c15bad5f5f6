import Dispatch
import HTTPServer
import Synchronization
import Testing

@Suite("Fair scheduler: callers take turns")
struct FairSchedulerTests {
    /// The parts of the work, in the order of execution.
    private final class Record: Sendable {
        private let parts = Mutex<[String]>([])
        private let running = Atomic(0)
        private let highest = Atomic(0)

        /// The completed parts.
        var all: [String] { parts.withLock { $0 } }

        /// The highest number of parts that ran at the same time.
        var highestAtATime: Int { highest.load(ordering: .relaxed) }

        func run(_ part: String) {
            highest.max(running.add(1, ordering: .relaxed).newValue, ordering: .relaxed)
            parts.withLock { $0.append(part) }
            running.subtract(1, ordering: .relaxed)
        }
    }

    @Test("One task of a caller runs at a time, and all tasks end")
    func oneAtATime() async {
        let executor = FairScheduler(threads: 2).makeExecutor()
        let record = Record()
        await withDiscardingTaskGroup { group in
            for number in 0..<100 {
                group.addTask(executorPreference: executor) {
                    for _ in 0..<20 {
                        record.run("\(number)")
                        await Task.yield()
                    }
                }
            }
        }
        #expect(record.all.count == 2_000)
        #expect(record.highestAtATime == 1)
    }

    @Test("A caller with many waiting tasks delays the task of another caller by one turn")
    func turns() async {
        let scheduler = FairScheduler(threads: 1)
        let (busy, other) = (scheduler.makeExecutor(), scheduler.makeExecutor())
        let (record, isFilled) = (Record(), DispatchSemaphore(value: 0))
        await withDiscardingTaskGroup { group in
            group.addTask(executorPreference: busy) { block(until: isFilled) }
            for _ in 0..<100 { group.addTask(executorPreference: busy) { record.run("busy") } }
            group.addTask(executorPreference: other) { record.run("other") }
            isFilled.signal()
        }
        #expect(record.all.prefix(2).contains("other"))
        #expect(record.all.count == 101)
    }
}

/// Blocks the thread of a task.
private func block(until semaphore: DispatchSemaphore) { semaphore.wait() }
