public import Primitives

/// A part of the stream of the service.
public enum ReplicaStreamPart: Hashable, Sendable {
    case begin(ReplicaStep)
    /// Objects of the current step. A part of a fill's pages has the position where to resume after it.
    case objects([ReplicaObject], removed: [Name], position: String?)
    /// The end of the current step: the replica now is at this revision.
    case end(position: String, Revision, time: Instant, classes: [Name: PrivilegeEnds])
    /// Nothing changed for the user up to this position.
    case position(String)
    /// The service is there, and nothing happened since the last part.
    case alive
}

/// The content of a step.
public enum ReplicaStep: Hashable, Sendable {
    /// All objects.
    case fill
    /// The rest of all objects, after the position of the request.
    case resumedFill
    /// All objects of a store that was restored from a backup without the confirmed revision.
    case restored
    /// The difference from a revision.
    case changes(after: Revision)
}

/// Why a stream ended.
public enum ReplicaStreamEnd: Hashable, Sendable {
    /// The connection failed or was closed, or the service is busy: with the seconds after which it wants the next attempt.
    case lost(retryAfterSeconds: Int?)
    /// The replica was slower than the service, and the connection was closed. The next one continues at once.
    case overtaken
    case refused(TransactionRefusal)
}

/// The answer to a transaction.
public enum ReplicaSendOutcome: Hashable, Sendable {
    /// The store contains the transaction at this revision. The hash is that of the commit; nil if the transaction changed nothing.
    case committed(Revision, hash: String?)
    case refused(TransactionRefusal)
    /// The answer was lost, or the service is busy. The transaction may have been committed.
    case unknown(retryAfterSeconds: Int?)
}

/// An input of the machine. The caller also passes the time.
enum ReplicaEvent: Sendable {
    case write([ReplicaChange])
    case withdraw(TransactionID)
    /// The application read the end of the transaction.
    case forget(TransactionID)
    case connect
    case disconnect
    case part(ReplicaStreamPart, stream: UInt64)
    case streamEnded(ReplicaStreamEnd, stream: UInt64)
    case answered(TransactionID, ReplicaSendOutcome, attempt: UInt64)
    case waited(ReplicaTimer)
}

/// The reason for a pause.
enum ReplicaTimer: Hashable, Sendable {
    /// The next attempt to open a stream.
    case stream(UInt64)
    /// The next attempt to send the first transaction.
    case send(UInt64)
}

/// An action that the machine requests. Effects are performed in order. If the first one, `persist`, fails, the caller performs none
/// of the others and keeps the machine as it was before the event.
enum ReplicaEffect: Hashable, Sendable {
    case persist([ReplicaWrite])
    /// - `containing` is the last commit that the replica was told of and that is not confirmed.
    case openStream(UInt64, after: String?, containing: ReplicaCommit?)
    case closeStream(UInt64)
    case send(TransactionID, key: String, [ReplicaChange], attempt: UInt64)
    case wait(ReplicaTimer, milliseconds: Int64)
    case report(ReplicaReport)
}

/// A report to the application. The view has changed already.
enum ReplicaReport: Hashable, Sendable {
    /// The view of these objects may have changed.
    case changed([Name])
    /// The view of more objects than ``ReplicaMachine/reportLimit`` may have changed.
    case reloaded
    /// The confirmed state no longer has these objects: they were deleted, or the user may not read them any longer.
    case lost([Name])
    case classPrivilegesChanged
    case ended(EndedTransaction)
    /// The store was restored from a backup. Pending transactions were given back.
    case restored
    case status
}
