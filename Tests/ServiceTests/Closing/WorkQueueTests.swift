import Dispatch
import Foundation
import Testing

@testable import Service

@Suite("Queues of work", .timeLimit(.minutes(10))) struct WorkQueueTests {
    private final class Held: Sendable {}
    private final class Weak: @unchecked Sendable {
        weak var held: Held?
        init(_ held: Held) { self.held = held }
    }

    @Test("What a piece of work holds is let go when it is done, while others still wait")
    func letsGo() async {
        let queue = WorkQueue(width: 1, backlogLimit: 8)
        let (first, last) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let seen = await withCheckedContinuation { continuation in
            let weak: [Weak] = (0..<2).map { place in
                let held = Held()
                #expect(queue.add { withExtendedLifetime(held) { if place == 0 { first.wait() } } })
                return Weak(held)
            }
            #expect(
                queue.add {
                    // The thread that did the one before may just be letting go of it.
                    for _ in 0..<1_000 where weak.contains(where: { $0.held != nil }) { usleep(1_000) }
                    continuation.resume(returning: weak.map { $0.held == nil })
                    last.wait()
                })
            #expect(queue.add {})
            first.signal()
        }
        #expect(seen == [true, true])
        last.signal()
    }
}
