public import Primitives

/// The number of a local transaction: consecutive in one replica, from 1.
public struct TransactionID: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let rawValue: UInt64

    public init(_ rawValue: UInt64) { self.rawValue = rawValue }

    public static func < (left: TransactionID, right: TransactionID) -> Bool { left.rawValue < right.rawValue }
    public var description: String { String(rawValue) }
}

/// A transaction of this replica that the service has not confirmed yet.
public struct PendingTransaction: Hashable, Sendable {
    public let id: TransactionID
    public let changes: [ReplicaChange]
    public var state: State
    /// The idempotency key: the same in every request of this transaction.
    let key: String
    /// The hash of its commit; nil before the commit, and if it changed nothing.
    var hash: String?

    /// How far the transaction is.
    public enum State: Hashable, Sendable {
        /// Not sent yet. It can be withdrawn.
        case waiting
        /// Sent at least once, without an answer. It may have been committed.
        case sent
        /// Committed at a revision that is not confirmed yet.
        case committed(Revision)
    }
}

/// How a transaction ended. Each transaction ends exactly once.
public enum TransactionOutcome: Hashable, Sendable {
    /// The service committed it; the revision contains its changes.
    case committed(Revision)
    /// It was taken back. The changes are in ``EndedTransaction/changes``.
    case refused(TransactionRefusal)
    /// The application withdrew it before it was sent.
    case withdrawn
}

/// Why a transaction was taken back.
public struct TransactionRefusal: Hashable, Sendable, CustomStringConvertible {
    /// The code of the service, such as `noPrivilege`, or one of the codes of the replica in this type.
    public let code: String
    public let message: String
    /// What the user or the application can do; empty if the service named nothing.
    public let remedy: String
    /// The transaction that this one was written on top of, if its end is the reason.
    public var cause: TransactionID?

    /// Creates a refusal with the code, the message and the remedy of the service.
    public init(code: String, message: String, remedy: String = "", cause: TransactionID? = nil) {
        (self.code, self.message, self.remedy, self.cause) = (code, message, remedy, cause)
    }

    /// The user lost the object before the transaction was sent.
    public static let accessLost = "accessLost"
    /// A transaction that this one was written on top of was refused or withdrawn.
    public static let prerequisiteEnded = "prerequisiteEnded"
    /// The store was restored from a backup that does not contain the confirmed revision.
    public static let storeRestored = "storeRestored"

    public var description: String { "\(code): \(message)" + (remedy.isEmpty ? "" : "; \(remedy)") }
}

/// A transaction that has ended. The replica keeps refused ones until the application calls ``Replica/forget(_:)``.
public struct EndedTransaction: Hashable, Sendable {
    public let id: TransactionID
    public let outcome: TransactionOutcome
    /// The changes that were taken back; empty if the transaction was committed.
    public let changes: [ReplicaChange]
}

/// An error of the replica.
public enum ReplicaError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A change, or a part of the stream, is ill-formed.
    case malformed(String)
    /// The transaction was sent already, so that it may have been committed.
    case alreadySent(TransactionID)
    /// No pending transaction has this number.
    case notPending(TransactionID)
    /// The queue of pending transactions has its maximum length.
    case queueFull(String)
    /// The file belongs to another user or another version, or cannot be used.
    case storage(String)

    public var description: String {
        switch self {
        case .malformed(let text), .queueFull(let text), .storage(let text): text
        case .alreadySent(let id): "transaction \(id) was sent already: wait for its end"
        case .notPending(let id): "transaction \(id) is not pending: read its end in `endedTransactions`"
        }
    }
}

// MARK: The form in the storage

extension PendingTransaction: StoredJSON {
    var json: JSONValue {
        let stage: JSONValue =
            switch state {
            case .waiting: .string("waiting")
            case .sent: .string("sent")
            case .committed(let revision): .integer(Int64(clamping: revision.rawValue))
            }
        var members: JSONObject = [
            "id": .integer(Int64(clamping: id.rawValue)), "key": .string(key), "state": stage,
            "changes": .array(changes.map { .object($0.json) }),
        ]
        members["hash"] = hash.map { .string($0) }
        return .object(members)
    }

    init(json: JSONValue) throws(MemberProblem) {
        var reader = try ObjectReader<MemberProblem>(json)
        id = TransactionID(UInt64(try reader.required("id", try reader.optionalNumber("id", 0...Int64.max))))
        key = try reader.text("key")
        hash = try reader.optionalText("hash")
        changes = try readChanges(&reader)
        switch reader.value("state") {
        case .string("waiting"): state = .waiting
        case .string("sent"): state = .sent
        case .integer(let revision) where revision >= 0: state = .committed(Revision(UInt64(revision)))
        default: throw reader.wrong("state", "is unknown", "update the client")
        }
    }
}

extension EndedTransaction: StoredJSON {
    var json: JSONValue {
        var members: JSONObject = [
            "id": .integer(Int64(clamping: id.rawValue)), "changes": .array(changes.map { .object($0.json) }),
        ]
        switch outcome {
        case .committed(let revision): members["committed"] = .integer(Int64(clamping: revision.rawValue))
        case .withdrawn: break
        case .refused(let refusal):
            var refused: JSONObject = [
                "code": .string(refusal.code), "message": .string(refusal.message), "remedy": .string(refusal.remedy),
            ]
            if let cause = refusal.cause { refused["cause"] = .integer(Int64(clamping: cause.rawValue)) }
            members["refused"] = .object(refused)
        }
        return .object(members)
    }

    init(json: JSONValue) throws(MemberProblem) {
        var reader = try ObjectReader<MemberProblem>(json)
        id = TransactionID(UInt64(try reader.required("id", try reader.optionalNumber("id", 0...Int64.max))))
        changes = try readChanges(&reader)
        let refusal = try reader.optional("refused") { json throws(MemberProblem) in
            var reader = try ObjectReader<MemberProblem>(json)
            return TransactionRefusal(
                code: try reader.text("code"), message: try reader.text("message"), remedy: try reader.text("remedy"),
                cause: try reader.optionalNumber("cause", 0...Int64.max).map { TransactionID(UInt64($0)) })
        }
        let revision = try reader.optionalNumber("committed", 0...Int64.max)
        outcome = refusal.map { .refused($0) } ?? revision.map { .committed(Revision(UInt64($0))) } ?? .withdrawn
    }
}

private func readChanges(_ reader: inout ObjectReader<MemberProblem>) throws(MemberProblem) -> [ReplicaChange] {
    try reader.list("changes") { json throws(MemberProblem) in
        do { return try ReplicaChange(try json.readMembers()) } catch {
            throw MemberProblem(problem: "is not a change: \(error)", remedy: "update the client")
        }
    }
}
