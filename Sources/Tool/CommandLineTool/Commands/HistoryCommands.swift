import Events
import Muniment
import Permissions
import Wire

/// The two times of a comparison.
extension Option {
    fileprivate static let earlier = Option("from", value: "REVISION|TIME", "the earlier point in time")
    fileprivate static let later = Option("to", value: "REVISION|TIME", "the later point in time (default: now)")
}

extension Command {
    static let history = Command(
        "history", "show the events of an object, a principal or a role, oldest first", sentence: "[of] NAME",
        options: [.json, .store],
        example: Example(
            "history of user:bob",
            """
            r4  2026-01-31T10:00:00Z  user:root
                user:bob was registered
            r6  2026-01-31T10:02:00Z  user:root
                user:bob became a member of role:editors
            r14  2026-01-31T10:05:00Z  user:root
                doc:plan was given to user:bob
            """)
    ) { call in
        call.skip("of")
        let name = try call.name("the name")
        try call.end()
        let (output, isJSON) = (call.output, call.isJSON)
        try call.withStore(.reading) { store in
            try store.history(of: name) { commit in
                try output.commit(try CommitDescription(commit, about: name), isJSON: isJSON)
            }
        }
        return .success
    }

    static let log = Command(
        "log", "show all events, oldest first",
        options: [.firstRevision, .lastRevision, .json, .store],
        example: Example("log --from 5 --to 5", "r5  2026-01-31T10:01:00Z  user:root\n    role:editors was created")
    ) { call in
        try call.end()
        let from = try call.options[.firstRevision].map(Values.revision) ?? .genesis
        let last = try call.options[.lastRevision].map(Values.revision)
        let (output, isJSON) = (call.output, call.isJSON)
        try call.withStore(.reading) { store in
            let to = try store.lastRevision(last, from: from)
            try store.log(from: from, to: to) { commit in
                try output.commit(try CommitDescription(commit), isJSON: isJSON)
            }
        }
        return .success
    }

    static let diff = Command(
        "diff", "compare the access of a subject, or to an object, at two points in time",
        sentence: "NAME --from REVISION|TIME [--to REVISION|TIME]", options: [.earlier, .later, .json, .store],
        example: Example("diff user:ann --from 8 --to 9", "doc:plan  + read, update")
    ) { call in
        let name = try call.name("the name")
        try call.end()
        guard let earlier = try call.options[.earlier].map(Values.moment) else {
            throw UsageError("the earlier point in time is missing; write `\(Option.earlier.usage)`")
        }
        let later = try call.options[.later].map(Values.moment) ?? .now
        let (differences, moments) = try call.withStore(.reading) { store in
            do { return try store.difference(of: name, from: earlier, to: later) } catch is SpanError {
                throw UsageError("--to is earlier than --from; swap them")
            }
        }
        return try call.answer(.object(differences.json(of: name, moments)), lines: differences.map(\.line))
    }
}

extension Store {
    /// Returns the last revision of a requested span, or the head if the caller named none.
    ///
    /// - Throws: ``StoreError/noSuchRevision(_:head:)`` if the span ends after the head.
    func lastRevision(_ asked: Revision?, from: Revision) throws -> Revision {
        let head = try head.revision
        for revision in [asked, from] {
            if let revision, revision > head { throw StoreError.noSuchRevision(revision, head: head) }
        }
        if let asked, asked < from { throw UsageError(SpanError(from: from, to: asked).description) }
        return asked ?? head
    }
}

extension AccessDifference {
    fileprivate var line: String {
        var line = name
        if !gained.isEmpty { line += "  + " + gained.joined(separator: ", ") }
        if !lost.isEmpty { line += "  - " + lost.joined(separator: ", ") }
        return line
    }
}
