public import Primitives

/// The result of a transaction, which is on disk.
public struct CommitReceipt: Hashable, Sendable, WireObject {
    /// The head of the store after the transaction.
    public let head: Revision
    public let time: Instant
    /// The revision of the transaction; nil if it changed nothing.
    public let revision: Revision?
    /// The hash of the commit in hexadecimal digits. It covers the whole history up to the commit. Nil if the transaction changed
    /// nothing.
    public let hash: String?
    /// Notes about changes that had no effect, or that give creators no access. Empty for a repeated request.
    public let notes: [ChangeNote]

    init(members: JSONObject) throws {
        (head, time, revision) = (try members.read("head"), try members.read("time"), try members.read("revision"))
        (hash, notes) = (try members.read("hash"), try members.read("notes") ?? [])
    }
}

/// A note for the caller about a change that was committed.
public struct ChangeNote: Hashable, Sendable, WireObject {
    /// The index of the change in the transaction, from 0.
    public let change: Int
    /// `unchanged`, `storeLevel`, `classLevel` or `stillAllowed` for a change that neither gave nor took access;
    /// `noCreatorPrivileges` for a class that gives creators no privileges on their objects; `unreadable` for an object that the caller
    /// created and may not read; or a reason of a later version of the service.
    public let reason: String
    /// The explanation, and the remedy.
    public let message: String

    init(members: JSONObject) throws {
        (change, reason, message) = (try members.read("change"), try members.read("reason"), try members.read("message"))
    }
}

/// The result of one of several separate changes.
public enum SeparateResult: Hashable, Sendable, WireValue {
    case committed(CommitReceipt)
    /// The store refused the change. The changes after it are separate.
    case refused(code: String, message: String)

    init(wire value: JSONValue) throws {
        guard let refused = try value.readMembers().read("refused") as JSONObject? else {
            self = .committed(try CommitReceipt(wire: value))
            return
        }
        self = .refused(code: try refused.read("code"), message: try refused.read("message"))
    }
}

/// Whether a subject has privileges on an object, and why.
public struct CheckAnswer: Hashable, Sendable, WireObject {
    public let isAllowed: Bool
    /// The reason, in one sentence.
    public let reason: String
    public let revision: Revision
    public let time: Instant

    init(members: JSONObject) throws {
        (isAllowed, reason) = (try members.read("allowed"), try members.read("reason"))
        (revision, time) = (try members.read("revision"), try members.read("time"))
    }
}

/// One of several checks in one request.
public struct AccessCheck: Hashable, Sendable {
    public let subject: Name
    public let privilege: String
    public let object: Name

    /// - Parameters:
    ///   - subject: who.
    ///   - privilege: what.
    ///   - object: on what.
    public init(_ subject: Name, _ privilege: String, on object: Name) {
        (self.subject, self.privilege, self.object) = (subject, privilege, object)
    }
}

/// The result of one of several checks.
public struct CheckDecision: Hashable, Sendable, WireObject {
    public let isAllowed: Bool
    /// Why the check is invalid; nil for a valid check. An invalid check is denied.
    public let error: String?

    init(members: JSONObject) throws {
        isAllowed = try members.read("decision")
        let context: JSONObject? = try members.read("context")
        let error: JSONObject? = try context?.read("error")
        self.error = try error?.read("message")
    }
}

/// The privileges of a subject on an object.
public struct PrivilegesAnswer: Hashable, Sendable, WireObject {
    public let privileges: [String]
    public let revision: Revision
    public let time: Instant

    init(members: JSONObject) throws {
        (privileges, revision, time) = (try members.read("privileges"), try members.read("revision"), try members.read("time"))
    }
}

/// The access of a subject on an object.
public struct AccessEntry: Hashable, Sendable, WireObject {
    public let subject: Name
    public let privileges: [String]
    /// When the access ends; nil for access without an end.
    public let until: Instant?
    /// Whether the entry cannot be revoked.
    public let isPermanent: Bool
    /// The attached permission that gives this access; nil for an entry of the object itself.
    public let permission: Name?

    init(members: JSONObject) throws {
        (subject, privileges) = (try members.read("subject"), try members.read("privileges"))
        (until, permission) = (try members.read("until"), try members.read("permission"))
        isPermanent = try members.read("permanent") ?? false
    }
}

/// The entries of an object at one revision.
public struct EntryList: Hashable, Sendable {
    public let entries: [AccessEntry]
    /// The revision of the list: pass it as `expecting` to a change of the list, so that two users do not overwrite each other.
    public let revision: Revision
}

/// The value of an object.
public struct StoredObject: Hashable, Sendable, WireObject {
    public let name: Name
    public let value: JSONValue
    /// The revision of the last change of the value, the parent or the owner: pass it as `expecting` to the next change.
    public let changed: Revision
    /// The revision of the store that was read.
    public let revision: Revision

    init(members: JSONObject) throws {
        (name, self.value) = (try members.read("object"), try members.read("value"))
        (changed, revision) = (try members.read("changed"), try members.read("revision"))
    }
}

/// The access of a subject to an object at two times, or without and with changes that were not made.
public struct AccessDifference: Hashable, Sendable, WireObject {
    /// The subject; nil in the differences of a subject.
    public let subject: Name?
    /// The object; nil in the differences of an object.
    public let object: Name?
    /// The name that the differences of ``StoreClient/differences(of:from:to:pageSize:)`` list.
    public let name: Name?
    public let before: [String]
    public let after: [String]
    public let gained: [String]
    public let lost: [String]

    init(members: JSONObject) throws {
        (subject, object, name) = (try members.read("subject"), try members.read("object"), try members.read("name"))
        (before, after) = (try members.read("before"), try members.read("after"))
        (gained, lost) = (try members.read("gained"), try members.read("lost"))
    }
}

/// The effects of transactions that were not made.
public struct WhatIfAnswer: Hashable, Sendable, WireObject {
    public let differences: [AccessDifference]
    /// Whether the list has all differences.
    public let isComplete: Bool
    public let refused: [RefusedTransaction]
    public let revision: Revision

    init(members: JSONObject) throws {
        (differences, isComplete) = (try members.read("differences"), try members.read("complete"))
        (refused, revision) = (try members.read("refused"), try members.read("revision"))
    }
}

/// A transaction that would be refused.
public struct RefusedTransaction: Hashable, Sendable, WireObject {
    /// Its index in the request, from 0.
    public let transaction: Int
    public let code: String
    public let message: String
    /// The index of the refused change in the transaction, from 0; nil if the transaction as a whole is refused.
    public let change: Int?

    init(members: JSONObject) throws {
        (transaction, change) = (try members.read("transaction"), try members.read("change"))
        (code, message) = (try members.read("code"), try members.read("message"))
    }
}
