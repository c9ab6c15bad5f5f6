internal import Primitives

/// The stored state of a replica. It is read by name, so that the memory of the machine does not grow with the replica.
protocol ReplicaStorage {
    /// Returns the header; nil for a new storage.
    func header() throws -> ReplicaHeader?
    /// Returns the pending transactions in their order.
    func pending() throws -> [PendingTransaction]
    /// Returns an object of the confirmed state.
    func object(_ name: Name) throws -> ReplicaObject?
    /// Returns the staged state of an object; nil if the parts of the current step do not name it.
    func staged(_ name: Name) throws -> StagedObject?
    /// Returns a page of the confirmed objects of a class, sorted by name.
    func objects(ofClass className: String, after name: Name?, limit: Int) throws -> [ReplicaObject]
    /// Returns names of confirmed objects that the parts of the current fill do not contain, at most `limit`.
    func objectsMissingInFill(limit: Int) throws -> [Name]
    /// Returns the transactions that ended and are still kept, from the first one after a number.
    func ended(after id: TransactionID, limit: Int) throws -> [EndedTransaction]
    /// Performs all writes together, or none. They are durable on return, except the pages of a fill, which can be sent again.
    mutating func persist(_ writes: [ReplicaWrite]) throws
}

/// A value that the storage has as a JSON text.
protocol StoredValue {
    func encoded() throws(JSONError) -> [UInt8]
    init(decoding bytes: [UInt8]) throws
}

/// A stored value that is made from, and into, a JSON value.
protocol StoredJSON: StoredValue {
    var json: JSONValue { get }
    init(json: JSONValue) throws(MemberProblem)
}

extension StoredJSON {
    func encoded() throws(JSONError) -> [UInt8] { try JSONText.encode(json) }
    init(decoding bytes: [UInt8]) throws { try self.init(json: try JSONText.decode(bytes, limit: .max)) }
}

/// The state of an object in a step.
enum StagedObject: Hashable, Sendable {
    case object(ReplicaObject)
    case removed
}

/// The layers of a staged step. The difference takes precedence over the pages.
enum StagedLayer: Hashable, Sendable {
    /// The pages of a fill. They survive a disconnection.
    case pages
    /// The difference from the pages, or from the confirmed state.
    case difference
}

/// A change of the storage.
enum ReplicaWrite: Hashable, Sendable {
    case header(ReplicaHeader)
    /// Stages a part: first the removed objects, then the others.
    case stage([ReplicaObject], removed: [Name], StagedLayer)
    /// Removes one staged layer, or all with nil.
    case clearStage(StagedLayer?)
    /// Applies the stage to the confirmed state, and clears it. A fill replaces the confirmed state.
    case applyStage(isFill: Bool)
    case pending(PendingTransaction)
    case removePending(TransactionID)
    case ended(EndedTransaction)
    case forgetEnded(TransactionID)
    /// Forgets the ends up to a number, except refused ones.
    case forgetEndedUpTo(TransactionID)
}
