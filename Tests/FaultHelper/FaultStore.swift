import Events
import Muniment
import Permissions
import TestSupport

/// The store of ``FaultHistory``, and its answers.
enum FaultStore {
    static let options = StoreOptions(clock: { FaultHistory.now }, expiryRecording: .withCommits, mapBytes: 1 << 24)

    /// Creates the store with one commit per step.
    static func make(at path: String) throws {
        let store = try Store.create(
            at: path, options: StoreOptions(clock: { FaultHistory.start }, expiryRecording: .withCommits, mapBytes: 1 << 24))
        for (number, step) in FaultHistory.steps.enumerated() {
            try store.commit(Transaction(step.caller, step.changes, authority: .importer, time: step.time))
            // The first refusal has commits before and after it, and the refusals fill several pages.
            guard number >= 4, number < 9 else { continue }
            for _ in 0..<4 { try refuse(store, at: step.time) }
        }
        try store.close()
    }

    private static func refuse(_ store: Store, at time: Instant) throws {
        let message = String(repeating: "x", count: 900)
        let change = Change.createObject("doc:refused", value: .string(message))
        do { try store.commit(Transaction(.anonymous, [change], time: time)) } catch is Refusal {}
    }

    /// An answer: yes, no, or an error.
    enum Answer: Equatable {
        case yes
        case no
        case failed(String)
    }

    static func answers(_ store: Store) -> [Answer] {
        FaultHistory.questions.map { question in
            let moment: Moment = question.revision.map { .revision($0) } ?? question.instant.map { .time($0) } ?? .now
            do {
                return try store.read(at: moment) { snapshot in
                    try snapshot.check(question.subject, [question.privilege], on: question.object).isAllowed ? .yes : .no
                }
            } catch { return .failed("\(error)") }
        }
    }

    /// Opens the store for reading, reads the recorded refusals, and closes it.
    static func refusals(at path: String) throws -> [RecordedRefusal] {
        let store = try Store.open(at: path, .reading, options: options)
        var refusals: [RecordedRefusal] = []
        let read = Result { try store.refusals { refusal, _ in refusals.append(refusal) } }
        try store.close()
        try read.get()
        return refusals
    }

    /// Opens the store for reading, runs all queries, and closes it.
    static func answers(at path: String) throws -> [Answer] {
        let store = try Store.open(at: path, .reading, options: options)
        let answers = answers(store)
        try store.close()
        return answers
    }
}
