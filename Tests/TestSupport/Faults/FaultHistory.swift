public import Events
public import Permissions

/// A small history with grants and revocations, and queries about it. The answers must never be a wrong yes.
public enum FaultHistory {
    public struct Step: Sendable {
        public let caller: Name
        public let time: Instant
        public let changes: [Change]
    }

    public struct Question: Hashable, Sendable {
        public let subject: Name
        public let privilege: String
        public let object: Name
        /// A revision; nil for now.
        public let revision: Revision?
        /// An instant, instead of a revision.
        public let instant: Instant?
    }

    public static let start = Instant(microseconds: 1_767_225_600_000_000)
    /// The time of the clock for queries: every access with an expiry has expired.
    public static let now = start.advanced(byMicroseconds: 1_000_000_000)

    private static let root: Name = "user:root"
    private static let users: [Name] = ["user:ann", "user:bob", "thing:door", "everyone"]
    private static let objects: [Name] = ["doc:1", "doc:2", "doc:3", "note:1"]

    public static let steps: [Step] = {
        var changes: [(Name, [Change])] = [
            (root, [.defineClass("doc", ClassSettings(objectACL: .required, inherits: .everything)), .defineClass("note")]),
            (root, users.dropLast().map { .register($0) }),
            (root, [.grant("everyone", on: .store, ["read", "update", "create"])]),
            (root, [.grant("everyone", on: .class("doc"), ["read", "update", "create"])]),
            (root, [.createObject("doc:1"), .createObject("doc:2", parent: "doc:1"), .createObject("doc:3")]),
            (root, [.createObject("note:1", value: .object(["text": .string("hello")]))]),
            (root, [.createRole("role:a"), .createRole("role:b"), .addMember("role:a", to: "role:b")]),
        ]
        // Grants and revokes the same access repeatedly, so that the file contains many old pages with that access.
        for round in 0..<5 {
            changes += [
                (root, [.grant("user:ann", on: "doc:1", ["read"])]),
                (root, [.addMember("user:bob", to: "role:a")]),
                (root, [.grant("role:b", on: "doc:3", ["read", "update"])]),
                (root, [.grant("everyone", on: .class("note"), ["read"])]),
                (root, [.appointAdministrator("thing:door")]),
                (
                    root,
                    [
                        .grant(
                            "user:bob", on: "doc:2", ["update"],
                            until: start.advanced(byMicroseconds: Int64(round * 10 + 15) * 10_000_000))
                    ]
                ),
                (root, [.revoke("user:ann", on: "doc:1")]),
                (root, [.removeMember("user:bob", from: "role:a")]),
                (root, [.revoke("everyone", on: .class("note"))]),
                (root, [.dismissAdministrator("thing:door")]),
            ]
        }
        changes.append((root, [.grant("user:ann", on: "doc:3", ["read"])]))
        return changes.enumerated().map { number, step in
            Step(caller: step.0, time: start.advanced(byMicroseconds: Int64(number) * 10_000_000), changes: step.1)
        }
    }()

    /// The queries: all access of all callers now, and at some times in the past.
    public static let questions: [Question] = {
        var questions: [Question] = []
        for subject in users {
            for object in objects {
                for privilege in ["read", "update"] {
                    questions.append(Question(subject: subject, privilege: privilege, object: object, revision: nil, instant: nil))
                }
                for revision: UInt64 in [9, 17, 20, 37] {
                    questions.append(
                        Question(subject: subject, privilege: "read", object: object, revision: Revision(revision), instant: nil))
                }
                for seconds: Int64 in [105, 215, 395] {
                    let instant = start.advanced(byMicroseconds: seconds * 1_000_000)
                    questions.append(
                        Question(subject: subject, privilege: "update", object: object, revision: nil, instant: instant))
                }
            }
        }
        return questions
    }()
}
