package import Events
internal import Hashing
internal import LMDB
package import Permissions

/// The part of the store's head that was needed so far, in memory. The writer decides on it and folds into it.
///
/// It is an overlay over the index. A transaction marks it, applies events, and keeps them or rolls back; ``takePendingRows()``
/// returns the changes, sorted, for the index. Unchanged versions stay as a cache. Must be used by one thread at a time.
package final class WorkingSet {
    /// Versions kept in memory after a flush.
    private static let cacheLimit = 100_000
    /// Principals whose reach is kept in memory.
    static let reachLimit = 1000

    let reader: HeadReader
    /// Whether the index is empty, so that no lookup in it is needed.
    private(set) var isIndexEmpty: Bool
    /// Whether the index contains at most the store's creation, and all of it is in memory too: the next large batch can then
    /// rewrite the whole index in one sorted run.
    private(set) var holdsEverything: Bool
    package internal(set) var state: IndexState
    /// The last revision for the rows taken so far.
    private(set) var writtenRevision: Revision
    private var stateAtMark: IndexState

    private let changed = ChangedOverlays()
    var objects: VersionOverlay<ObjectID, ObjectDocument>
    var memberships: VersionOverlay<PrincipalID, MembershipDocument>
    var classes: VersionOverlay<ClassID, ClassOptions>
    var permissions: VersionOverlay<PermissionID, PermissionGrant>
    var values: VersionOverlay<ObjectID, ValueDocument>
    var properties: VersionOverlay<ObjectID, ObjectProperties>
    var slots: VersionOverlay<ClassID, PropertySlots>
    var relations: RelationOverlay
    /// Rows of past properties, since the last flush.
    var pastProperties = KeyedRows(tag: .properties)

    /// Names by text and by number: those introduced since the last flush, and a cache of others.
    private var numbers = NameTable()
    private var texts: [UInt64: String] = [:]
    private(set) var newNames: [(id: UInt64, name: String)] = []
    private var newNamesAtMark = 0

    private(set) var newTimes: [(time: Instant, revision: Revision)] = []
    /// Rows of times in the index that a correction of the clock replaces.
    private(set) var outdatedTimes: [(time: Instant, revision: Revision)] = []
    private(set) var newRequests: [(key: FixedKey, request: RecordedRequest)] = []
    private var requests: [FixedKey: RecordedRequest] = [:]

    /// Ends that were added (true) or removed (false) since the last flush.
    private(set) var expiries: [Expiry: Bool] = [:]
    private var expiryJournal: [(Expiry, Bool?)] = []
    /// No access ends before this. It is unknown, and therefore in the distant past, until ``nextExpiries(by:)`` was called.
    package private(set) var earliestExpiry = Instant.distantPast

    /// The cost of transactions.
    package let work = WorkMeter()

    /// The part of the audit index that is not in a row yet.
    var blocks: OpenBlocks

    /// The objects with links written by this commit, by the target of the links.
    var linkedInCommit: [ObjectID: [ObjectID]] = [:]

    /// The subjects of callers, cached until a membership changes.
    var subjectSets: [PrincipalID: SubjectSet] = [:]
    /// The roles that principals reach, cached until a membership of one of them changes.
    var reaches: [PrincipalID: MembershipReach] = [:]

    /// The revision and the actor of the commit that is being folded.
    private(set) var revision = Revision.genesis
    private(set) var actor = PrincipalID.system

    init(reader: HeadReader) throws {
        self.reader = reader
        let stored = try reader.tables.readState(in: reader.transaction)
        isIndexEmpty = stored == nil
        holdsEverything = stored == nil
        state = stored ?? IndexState()
        writtenRevision = stored?.revision ?? .genesis
        stateAtMark = state
        objects = VersionOverlay(.object, changed)
        memberships = VersionOverlay(.memberships, changed)
        classes = VersionOverlay(.classOptions, changed)
        permissions = VersionOverlay(.permission, changed)
        values = VersionOverlay(.value, changed)
        properties = VersionOverlay(.properties, changed)
        slots = VersionOverlay(.propertySlots, changed)
        relations = RelationOverlay(changed)
        blocks = OpenBlocks(
            events: state.eventCount, refusalBlocks: state.refusalBlocks,
            after: try reader.tables.endOfEventBlocks(state, in: reader.transaction))
    }

    // MARK: Transactions

    /// Begins a commit. All events applied until ``finish(_:)`` or ``rollBack()`` belong to it.
    package func begin(_ revision: Revision, actor: PrincipalID) {
        self.revision = revision
        self.actor = actor
        stateAtMark = state
        newNamesAtMark = newNames.count
        if !linkedInCommit.isEmpty { linkedInCommit.removeAll() }
        expiryJournal.removeAll(keepingCapacity: true)
        mark()
    }

    /// Keeps the changes to versions since the last mark.
    private func mark() {
        if hasChanges(.object) { objects.mark() }
        if hasChangedRelations { relations.versions.mark() }
        if hasChanges(.memberships) { memberships.mark() }
        if hasChanges(.classOptions) { classes.mark() }
        if hasChanges(.permission) { permissions.mark() }
        if hasChanges(.value) { values.mark() }
        if hasChanges(.properties) { properties.mark() }
        if hasChanges(.propertySlots) { slots.mark() }
        changed.bits = 0
    }

    private func hasChanges(_ kind: DocumentKind) -> Bool { changed.bits & ChangedOverlays.bit(kind) != 0 }
    private var hasChangedRelations: Bool { changed.bits & ChangedOverlays.relations != 0 }

    /// Whether the commit has changed the state so far.
    package var hasEffect: Bool {
        if newNames.count != newNamesAtMark { return true }
        if hasChanges(.object), objects.hasChanged { return true }
        if hasChangedRelations, relations.versions.hasChanged { return true }
        return memberships.hasChanged || classes.hasChanged || permissions.hasChanged || values.hasChanged
            || state.privilegeNames != stateAtMark.privilegeNames
    }

    /// Keeps the commit.
    package func finish(_ commit: Commit) {
        if hasChanges(.properties) { properties.forEachEnded { encodeEnded($0, $1, at: commit.revision) } }
        state.revision = commit.revision
        state.time = commit.time
        state.eventCount += UInt64(commit.events.count)
        blocks.add(commit)
        // Revision 0 precedes the first commit, whatever its own time: the history may be older than its store.
        if commit.revision > .genesis { newTimes.append((commit.time, commit.revision)) }
        if let key = commit.origin.idempotencyKey {
            let request = RecordedRequest(revision: commit.revision, digest: commit.origin.requestDigest)
            let key = IndexTables.requestKey(actor: commit.actor, idempotencyKey: key)
            newRequests.append((key, request))
            requests[key] = request
        }
    }

    /// Begins a commit, applies its events, and keeps it. Before a commit that corrects the clock, all taken rows must be in the
    /// index.
    package func fold(_ commit: Commit) throws {
        begin(commit.revision, actor: commit.actor)
        for event in commit.events { try apply(event) }
        if commit.correctsClock { try correctTimes(by: commit) }
        finish(commit)
    }

    /// Gives every earlier commit with a later time the time of a correction.
    private func correctTimes(by commit: Commit) throws {
        state.clockCorrections.append(ClockCorrection(revision: commit.revision, time: commit.time))
        newTimes = newTimes.map { (min($0.time, commit.time), $0.revision) }
        guard !isIndexEmpty else { return }
        try reader.forEachTime(after: commit.time) { outdated in
            outdatedTimes.append(outdated)
            newTimes.append((commit.time, outdated.revision))
        }
    }

    /// Rolls back all changes since ``begin(_:actor:)``.
    package func rollBack() {
        state = stateAtMark
        for (id, name) in newNames[newNamesAtMark...] {
            numbers.remove(Name(name))
            texts[id] = nil
        }
        newNames.removeSubrange(newNamesAtMark...)
        for (expiry, before) in expiryJournal.reversed() { expiries[expiry] = before }
        expiryJournal.removeAll()
        objects.rollBack()
        memberships.rollBack()
        classes.rollBack()
        permissions.rollBack()
        values.rollBack()
        properties.rollBack()
        slots.rollBack()
        relations.versions.rollBack()
        subjectSets.removeAll()
        reaches.removeAll()
    }

    /// Whether folded commits are missing in the index.
    package var hasUnwritten: Bool { !newTimes.isEmpty || !newNames.isEmpty || !newRequests.isEmpty || blocks.rows.count > 0 }

    /// Whether nothing was folded yet.
    package var isEmpty: Bool { state.isEmpty }

    /// Ends reading the index. The working set cannot be used afterwards.
    package func end() { reader.end() }

    /// Whether pages that were read may have been reused. Decisions based on them are then invalid.
    package var isOvertaken: Bool { reader.isOvertaken }

    /// The number of versions in memory; a caller that folds many commits should flush when it becomes large.
    package var heldCount: Int {
        objects.count + memberships.count + values.count + properties.count + relations.count + newNames.count
            + pastProperties.count
    }

    // MARK: Turns

    /// Renews the read transaction of the index, to continue folding.
    ///
    /// Rows that were taken may not be in the index yet. Until they are, their content stays in memory, so it does not matter
    /// whether this view of the index already contains them.
    ///
    /// - Parameter isSettled: whether all rows taken so far are in the index.
    package func beginTurn(isSettled: Bool) throws {
        reader.rest()
        try reader.renew()
        guard isSettled else { return }
        expiries.removeAll(keepingCapacity: true)
        requests.removeAll(keepingCapacity: true)
        if heldCount > Self.cacheLimit {
            objects.removeAll()
            memberships.removeAll()
            values.removeAll()
            properties.removeAll()
            slots.removeAll()
            relations.removeAll()
            classes.removeAll()
            permissions.removeAll()
        }
        if numbers.count > Self.cacheLimit { numbers.removeAll() }
        if texts.count > Self.cacheLimit { texts.removeAll(keepingCapacity: true) }
        if subjectSets.count > Self.cacheLimit { subjectSets.removeAll(keepingCapacity: true) }
    }

    /// Whether so many versions are in memory that the next turn should begin settled.
    package var shouldSettle: Bool { heldCount > 2 * Self.cacheLimit }

    /// Resets the read transaction of the index, so that its map can grow.
    package func endTurn() { reader.rest() }

    /// Counts all new data as taken.
    func countAsTaken() {
        isIndexEmpty = false
        writtenRevision = state.revision
        // Of requests, only the new ones are in memory.
        if state.revision > .genesis || !newRequests.isEmpty { holdsEverything = false }
        newNames.removeAll(keepingCapacity: true)
        newNamesAtMark = 0
        newTimes.removeAll(keepingCapacity: true)
        outdatedTimes.removeAll()
        newRequests.removeAll(keepingCapacity: true)
    }

    // MARK: Names

    package func number(of name: Name) throws -> UInt64? {
        try work.count()
        if let number = numbers.number(of: name) { return number }
        guard !isIndexEmpty else { return nil }
        try work.count(WorkMeter.load)
        guard let number = try reader.tables.number(of: name.text, in: reader.transaction) else { return nil }
        numbers.set(name, to: number)
        return number
    }

    func text(of id: UInt64) throws -> String? {
        if let text = texts[id] { return text }
        guard !isIndexEmpty, let text = try reader.tables.name(of: id, in: reader.transaction) else { return nil }
        texts[id] = text
        return text
    }

    /// Returns the name of a number.
    ///
    /// - Throws: ``IndexError/damaged`` for a number without a name, since every number in use has one.
    package func name(of id: UInt64) throws -> String {
        guard let name = try text(of: id) else { throw IndexError.damaged }
        return name
    }

    /// Stores the name that an event introduces.
    func introduce(_ id: UInt64, _ name: String?) {
        guard let name else { return }
        numbers.set(Name(name), to: id)
        texts[id] = name
        newNames.append((id, name))
        state.nextID = max(state.nextID, id + 1, ReservedID.firstFree)
    }

    /// Counts the names of the store's creation as new again.
    func introduceAgain() {
        let known = Set(newNames.map(\.id))
        newNames += texts.filter { !known.contains($0.key) }.map { (id: $0.key, name: $0.value) }
    }

    package func recordedRequest(actor: PrincipalID, idempotencyKey: String) throws -> RecordedRequest? {
        let key = IndexTables.requestKey(actor: actor, idempotencyKey: idempotencyKey)
        return try requests[key] ?? (isIndexEmpty ? nil : reader.tables.request(key, in: reader.transaction))
    }

    /// The number of requests with a key that were folded since the last flush.
    package var newRequestCount: Int { newRequests.count }

    /// Returns the refusal of an earlier request with the same key and the same content; nil without one.
    package func recordedRefusal(of request: KeyedRequest) throws -> Refusal? {
        let key = IndexTables.refusedRequestKey(request)
        return try (requests[key] ?? (isIndexEmpty ? nil : reader.tables.request(key, in: reader.transaction)))?.refusal
    }

    /// Keeps a refusal that is the answer to an idempotency key: only then does its record have the digest of the request.
    func rememberAnswer(_ refusal: RecordedRefusal) {
        guard refusal.number > state.lastKeyedRefusal, let key = refusal.origin.idempotencyKey,
            refusal.origin.requestDigest.count == Digest.byteCount, let code = Refusal.Code(rawValue: refusal.code)
        else { return }
        let request = KeyedRequest(caller: refusal.caller, key: key, digest: refusal.origin.requestDigest)
        let rowKey = IndexTables.refusedRequestKey(request)
        let row = RecordedRequest(
            revision: refusal.head, digest: request.digest, refusal: Refusal(code, refusal.message, change: refusal.change))
        newRequests.append((rowKey, row))
        requests[rowKey] = row
        state.lastKeyedRefusal = refusal.number
    }

    // MARK: Ends

    func setExpiry(_ expiry: Expiry, isPending: Bool) {
        expiryJournal.append((expiry, expiries[expiry]))
        expiries[expiry] = isPending
        if isPending { earliestExpiry = min(earliestExpiry, expiry.until) }
    }

    /// Returns the earliest pending end and all access that ends at that time; nil if no access ends by `instant`.
    package func nextExpiries(by instant: Instant) throws -> (until: Instant, [Expiry])? {
        guard earliestExpiry <= instant else { return nil }
        var earliest: Instant?
        var found: [Expiry] = []
        func consider(_ expiry: Expiry) {
            if let known = earliest, known < expiry.until { return }
            if earliest != expiry.until { found = [] }
            earliest = expiry.until
            found.append(expiry)
        }
        for (expiry, isPending) in expiries where isPending { consider(expiry) }
        if !isIndexEmpty {
            try reader.expiries.forEachExpiry { expiry in
                guard earliest.map({ expiry.until <= $0 }) ?? true else { return false }
                if expiries[expiry] == nil { consider(expiry) }
                return true
            }
        }
        earliestExpiry = earliest ?? .forever
        guard let earliest, earliest <= instant else { return nil }
        return (earliest, found.sorted())
    }
}
