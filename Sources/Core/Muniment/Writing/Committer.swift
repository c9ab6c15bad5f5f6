internal import Events
internal import Hashing
internal import Permissions
internal import Projections

/// Turns transactions into commits in a working set: authorises them, folds them, and returns the commits to append to the log.
struct Committer {
    let workingSet: WorkingSet
    let clock: @Sendable () -> Instant
    /// Nil if every time is accepted.
    var clockGuard: ClockGuard?
    /// Steps that a transaction may take if its caller does not administer the store.
    var workLimit = Int.max

    /// The time of the next commit. It never decreases, even if the clock does (CONFORMANCE E3).
    var now: Instant { workingSet.state.revision == .genesis ? clock() : max(clock(), workingSet.state.time) }

    /// Runs a transaction, and appends the resulting commits: due expiries, the first connection of the caller, and the transaction
    /// itself.
    ///
    /// - Throws: ``KeyedRefusalError`` for a refusal that is the answer to the transaction's idempotency key, `Refusal` for any other.
    mutating func perform(_ transaction: Transaction, appendingTo commits: inout [Commit]) throws -> Receipt {
        try transaction.precondition?()
        let time = try time(of: transaction)
        try expire(by: time, appendingTo: &commits)
        try checkForm(transaction)
        let actor = try connect(transaction, at: time, appendingTo: &commits)
        let origin = digested(transaction)
        let keyed = keyedRequest(transaction, origin)
        if let keyed, let refusal = try workingSet.recordedRefusal(of: keyed) {
            throw KeyedRefusalError(refusal: refusal, requestDigest: keyed.digest, isRepeated: true)
        }
        // After the refusals: the same changes with another expected revision may have been committed with this key.
        if let key = origin.idempotencyKey,
            let recorded = try workingSet.recordedRequest(actor: actor, idempotencyKey: key)
        {
            guard recorded.digest == origin.requestDigest else {
                throw Refusal(.keyReused, "the idempotency key `\(Name(key).excerpt)` was used for another request: take a new key")
            }
            return Receipt(revision: recorded.revision, head: workingSet.state.revision, time: time)
        }
        do { return try commit(transaction, actor, origin, at: time, appendingTo: &commits) } catch let refusal as Refusal {
            guard let keyed, refusal.code != .notAuthenticated else { throw refusal }
            throw KeyedRefusalError(refusal: refusal, requestDigest: keyed.digest, isRepeated: false)
        }
    }

    /// Decides a transaction of a known caller, and folds it.
    private mutating func commit(
        _ transaction: Transaction, _ actor: PrincipalID, _ origin: Origin, at time: Instant, appendingTo commits: inout [Commit]
    ) throws -> Receipt {
        let revision = workingSet.state.revision.next
        let (events, notes): ([Event], [ChangeNote]) = try folding(revision, actor) {
            let decided = try limitingWork(of: transaction, actor) { try decide(transaction, actor: actor, at: time) }
            guard transaction.authority != .importer, !decided.events.isEmpty else { return (decided.events, []) }
            let review = ChangeReview(workingSet: workingSet, caller: actor, instant: time)
            let notes = try review.notes(transaction.changes, unchanged: decided.unchanged, accesses: decided.accesses)
            return (decided.events, notes)
        }
        guard !events.isEmpty, workingSet.hasEffect else {
            workingSet.rollBack()
            return Receipt(revision: nil, head: workingSet.state.revision, time: time)
        }
        let commit = Commit(revision: revision, time: time, actor: actor, origin: origin, events: events)
        workingSet.finish(commit)
        commits.append(commit)
        return Receipt(revision: revision, head: revision, time: time, notes: notes)
    }

    private func limitingWork<R>(of transaction: Transaction, _ actor: PrincipalID, _ body: () throws -> R) throws -> R {
        // Administrators and imports have no limit of work. The subjects of the caller do not count: others may have put the
        // caller in roles.
        if try transaction.authority != .importer && !workingSet.isAdministrator(actor) {
            _ = try workingSet.subjects(of: actor)
            workingSet.work.beginLimit(workLimit)
        }
        defer { workingSet.work.endLimit() }
        return try body()
    }

    /// Runs a transaction as ``perform(_:appendingTo:)`` does. Returns the result, and a refusal that must be recorded.
    mutating func outcome(
        of transaction: Transaction, appendingTo commits: inout [Commit]
    ) -> (result: Result<Receipt, any Error>, refused: RefusedTransaction?) {
        do { return (.success(try perform(transaction, appendingTo: &commits)), nil) } catch let keyed as KeyedRefusalError {
            let refused = keyed.isRepeated ? nil : refused(transaction, keyed.refusal, keyed.requestDigest)
            return (.failure(keyed.refusal), refused)
        } catch {
            return (.failure(error), (error as? Refusal).map { refused(transaction, $0, []) })
        }
    }

    private func refused(_ transaction: Transaction, _ refusal: Refusal, _ digest: [UInt8]) -> RefusedTransaction {
        RefusedTransaction(
            transaction: transaction, refusal: refusal, time: transaction.time ?? now, head: workingSet.state.revision,
            requestDigest: digest)
    }

    /// Records every due expiry: one commit for each instant of expiry.
    mutating func expire(by instant: Instant, appendingTo commits: inout [Commit]) throws {
        while let (until, expiries) = try workingSet.nextExpiries(by: instant) {
            let revision = workingSet.state.revision.next
            let time = workingSet.state.revision == .genesis ? until : max(until, workingSet.state.time)
            let events = try folding(revision, .system) { try expiries.compactMap { try end($0) } }
            let commit = Commit(revision: revision, time: time, actor: .system, events: events)
            workingSet.finish(commit)
            commits.append(commit)
        }
    }

    private func end(_ expiry: Expiry) throws -> Event? {
        guard let entry = try workingSet.entry(of: expiry.subject, on: expiry.object) else { return nil }
        let ended = entry.ending.filter { $0.until == expiry.until }.reduce(into: Privileges()) { $0.formUnion($1.privileges) }
        let event = Event.accessExpired(AccessLoss(object: expiry.object, subject: expiry.subject, privileges: ended))
        try workingSet.apply(event)
        return event
    }

    /// Folds the events that `body` decides into a started commit; reverts it if that fails.
    private func folding<R>(
        _ revision: Revision, _ actor: PrincipalID, _ body: () throws -> R
    ) throws -> R {
        workingSet.begin(revision, actor: actor)
        do { return try body() } catch {
            workingSet.rollBack()
            throw error
        }
    }

    /// Records that the clock was ahead when earlier commits were made.
    func correctClock(
        as caller: Name, comment: String?, appendingTo commits: inout [Commit]
    ) throws -> ClockCorrectionReceipt {
        let (head, now) = (workingSet.state, clock())
        if let problem = caller.problem { throw problem }
        guard let number = try workingSet.number(of: caller), try workingSet.isAdministrator(PrincipalID(rawValue: number)) else {
            throw Refusal(.notAdministrator, "`\(caller)` does not administer the store: only an administrator corrects the clock")
        }
        guard now < head.time else { throw StoreError.clockNeedsNoCorrection(now, head: head.time) }
        try checkOrigin("comment", comment)
        let commit = Commit(
            revision: head.revision.next, time: now, actor: PrincipalID(rawValue: number), origin: Origin(comment: comment),
            events: [.clockCorrected])
        try workingSet.fold(commit)
        commits.append(commit)
        return ClockCorrectionReceipt(revision: commit.revision, time: now, before: head.time)
    }

    private func checkOrigin(_ what: StaticString, _ text: String?) throws(Refusal) {
        guard let text, text.utf8.count > Limits.originBytes else { return }
        throw Refusal(.tooLarge, "the \(what) `\(Name(text).excerpt)` has more than \(Limits.originBytes) bytes")
    }

    private func time(of transaction: Transaction) throws -> Instant {
        let head = workingSet.state
        guard let time = transaction.time else {
            try clockGuard?.check(head: head.time)
            return try StoreError.checkRange(of: now)
        }
        try StoreError.checkRange(of: time)
        guard head.revision == .genesis || time >= head.time else { throw StoreError.timeGoesBackwards(time, head: head.time) }
        return time
    }

    private func checkForm(_ transaction: Transaction) throws {
        if let problem = transaction.caller.problem { throw problem }
        guard transaction.caller.kind == .caller || transaction.caller.kind == .anonymous else {
            throw Refusal(.malformed, "`\(transaction.caller.excerpt)` cannot act: a caller is a user, a thing, or `anonymous`")
        }
        guard transaction.changes.count <= Limits.changesPerTransaction || transaction.authority == .importer else {
            throw Refusal(
                .tooLarge,
                "a transaction has at most \(Limits.changesPerTransaction) changes, this one \(transaction.changes.count)")
        }
        let origin = transaction.origin
        try checkOrigin("request id", origin.requestID)
        try checkOrigin("idempotency key", origin.idempotencyKey)
        try checkOrigin("comment", origin.comment)
        try checkOrigin("credential", origin.credential)
        // A request with an idempotency key is read as a whole, so requests that are too large are rejected before.
        guard origin.idempotencyKey != nil else { return }
        for (index, change) in transaction.changes.enumerated() {
            if var refusal = change.obviouslyTooLarge {
                refusal.change = index
                throw refusal
            }
        }
    }

    /// Returns the number of the caller. An unknown caller is registered by a separate commit: its first connection.
    private mutating func connect(
        _ transaction: Transaction, at time: Instant, appendingTo commits: inout [Commit]
    ) throws -> PrincipalID {
        let name = transaction.caller
        if name.kind == .anonymous { return .anonymous }
        let known = try workingSet.number(of: name)
        let actor = PrincipalID(rawValue: known ?? workingSet.nextID)
        if let known, try workingSet.place(of: ObjectID(rawValue: known)) != nil { return actor }
        // In an import, the first mention is part of the transaction; `decide` registers it.
        if transaction.authority == .importer { return actor }
        if case nil = known, let problem = name.problemAsNew { throw problem }
        let revision = workingSet.state.revision.next
        let event = try folding(revision, actor) {
            let event = try registration(of: name)
            try workingSet.apply(event)
            return event
        }
        let commit = Commit(revision: revision, time: time, actor: actor, events: [event])
        workingSet.finish(commit)
        commits.append(commit)
        return actor
    }

    private func registration(of name: Name) throws -> Event {
        let known = try workingSet.number(of: name)
        let introduction = Introduction(
            PrincipalID(rawValue: known ?? workingSet.nextID), name: known == nil ? name.text : nil)
        return .principalRegistered(introduction)
    }

    /// The events of a transaction, the indexes of the changes without one, and the access that the others gave and took.
    private struct Decided {
        var events: [Event] = []
        var unchanged: [Int] = []
        var accesses: [ChangeReview.AccessChange] = []
    }

    private func decide(_ transaction: Transaction, actor: PrincipalID, at time: Instant) throws -> Decided {
        var authorizer = CommandAuthorizer(workingSet, caller: actor, authority: transaction.authority, at: time)
        var decided = Decided()
        if transaction.authority == .importer { try register([transaction.caller], into: &decided.events) }
        try authorizer.readExpectations(of: transaction.changes, and: transaction.expectedRevision)
        var valueBytes = 0
        for (index, change) in transaction.changes.enumerated() {
            do {
                if transaction.authority == .importer { try register(change.mentionedPrincipals, into: &decided.events) }
                let events = try authorizer.events(for: change)
                if transaction.authority != .importer {
                    if events.isEmpty { decided.unchanged.append(index) }
                    if let access = try access(events, at: index, time) { decided.accesses.append(access) }
                }
                // Unlike the loop over an array, this one copies no event.
                let span = events.span
                for index in span.indices {
                    try workingSet.apply(span[index])
                    valueBytes += span[index].valueBytes
                }
                decided.events += events
                guard valueBytes <= Limits.bytesPerCommit else {
                    throw Refusal(.tooLarge, "the values of a transaction have at most \(Limits.bytesPerCommit) bytes together")
                }
            } catch var refusal as Refusal {
                refusal.change = index
                throw refusal
            }
        }
        try authorizer.checkExpectation(of: transaction.changes, transaction.expectedRevision)
        return decided
    }

    /// Returns the access that the events of a grant, a revocation or an attached permission give or take; nil for other changes, and for
    /// one that does both.
    /// Must be called before the events are applied.
    private func access(_ events: [Event], at index: Int, _ time: Instant) throws -> ChangeReview.AccessChange? {
        guard events.count == 1 else { return nil }
        switch events[0] {
        case .accessGranted(let grant):
            let had = try workingSet.entry(of: grant.subject, on: grant.object)?.withoutExpiry ?? []
            return ChangeReview.AccessChange(
                index: index, subject: grant.subject, object: grant.object, privileges: grant.privileges.subtracting(had),
                isGrant: true)
        case .permissionAttached(let attachment):
            return try workingSet.permission(attachment.permission).map {
                ChangeReview.AccessChange(
                    index: index, subject: $0.subject, object: attachment.object, privileges: $0.privileges, isGrant: true)
            }
        case .accessRevoked(let loss):
            let had = try workingSet.entry(of: loss.subject, on: loss.object)?.live(at: time) ?? []
            guard let place = try workingSet.place(of: loss.object), let options = try workingSet.options(of: place.classID) else {
                return nil
            }
            return ChangeReview.AccessChange(
                index: index, subject: loss.subject, object: loss.object,
                privileges: had.intersection(loss.privileges).intersection(options.known), isGrant: false)
        default: return nil
        }
    }

    /// In an import, users and things exist after they are first mentioned.
    private func register(_ names: [Name], into events: inout [Event]) throws {
        for name in names {
            if let number = try workingSet.number(of: name), try workingSet.place(of: ObjectID(rawValue: number)) != nil {
                continue
            }
            guard name.kind == .caller, name.isWellFormed else { continue }
            let event = try registration(of: name)
            try workingSet.apply(event)
            events.append(event)
        }
    }

    private func digested(_ transaction: Transaction) -> Origin {
        var origin = transaction.origin
        if origin.idempotencyKey != nil, origin.requestDigest.isEmpty {
            origin.requestDigest = Digest(of: transaction.changes.canonicalBytes.span).bytes
        }
        return origin
    }

    /// The request whose refusal is the answer to its key; nil without a key, and for an import, whose caller may not exist yet. An
    /// expected revision is part of the request.
    private func keyedRequest(_ transaction: Transaction, _ origin: Origin) -> KeyedRequest? {
        guard let key = origin.idempotencyKey, transaction.authority != .importer else { return nil }
        guard let expected = transaction.expectedRevision else {
            return KeyedRequest(caller: transaction.caller.text, key: key, digest: origin.requestDigest)
        }
        var writer = ByteWriter()
        writer.raw(origin.requestDigest)
        writer.varint(expected.rawValue)
        return KeyedRequest(caller: transaction.caller.text, key: key, digest: Digest(of: writer.bytes.span).bytes)
    }
}

/// A refusal that is the answer to an idempotency key: the same request with the key gets it again.
struct KeyedRefusalError: Error {
    let refusal: Refusal
    let requestDigest: [UInt8]
    /// Whether it is the answer to an earlier request, which is recorded.
    let isRepeated: Bool
}

extension Event {
    /// The number of bytes of JSON in this event.
    fileprivate var valueBytes: Int {
        switch self {
        case .objectCreated(let event): event.value?.count ?? 0
        case .objectWritten(let event): event.value.count
        default: 0
        }
    }
}
