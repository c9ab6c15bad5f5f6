import Events
import Muniment
import Permissions
import TestSupport

/// The store of ``FaultHistory``, and what it answers.
enum FaultStore {
    static let options = StoreOptions(clock: { FaultHistory.now }, mapBytes: 1 << 24)

    /// Makes the store, one commit a step.
    static func make(at path: String) throws {
        let store = try Store.create(at: path, options: StoreOptions(clock: { FaultHistory.start }, mapBytes: 1 << 24))
        for step in FaultHistory.steps {
            try store.commit(Transaction(step.caller, step.changes, authority: .importer, time: step.time))
        }
        try store.close()
    }

    /// One answer: yes, no, or that there is none.
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

    /// Opens the store for reading, asks, and closes it.
    static func answers(at path: String) throws -> [Answer] {
        let store = try Store.open(at: path, .reading, options: options)
        let answers = answers(store)
        try store.close()
        return answers
    }
}
