internal import Foundation

/// A question that many threads ask at once, and that is answered for all of them: each gets an answer to a question that was asked after
/// its own call began.
final class Coalesced<Answer: Sendable>: @unchecked Sendable {
    private let ask: @Sendable () throws -> Answer
    private let condition = NSCondition()
    private var started: UInt64 = 0
    private var answered: UInt64 = 0
    private var isAsking = false
    private var answer: Result<Answer, any Error>?

    init(_ ask: @escaping @Sendable () throws -> Answer) { self.ask = ask }

    func value() throws -> Answer {
        condition.lock()
        defer { condition.unlock() }
        let wanted = started + 1
        while true {
            if answered >= wanted, let answer { return try answer.get() }
            guard !isAsking else {
                condition.wait()
                continue
            }
            isAsking = true
            started += 1
            let number = started
            condition.unlock()
            let result = Result { try ask() }
            condition.lock()
            (isAsking, answered, answer) = (false, number, result)
            condition.broadcast()
        }
    }
}
