internal import Primitives

/// The stream: opening it, and the steps that it brings.
extension ReplicaMachine {
    mutating func connect(_ step: inout Step<some ReplicaStorage>) {
        if connection == .off { openStream(&step) }
    }

    mutating func disconnect(_ step: inout Step<some ReplicaStorage>) {
        if case .open(let stream, _) = connection { step.actions.append(.closeStream(stream)) }
        connection = .off
        failures = 0
        problem = nil
        step.reports.append(.status)
    }

    mutating func openStream(_ step: inout Step<some ReplicaStorage>) {
        lastStream += 1
        connection = .open(lastStream, OpenStream())
        let staging = step.header.staging
        let position = staging?.position ?? step.header.confirmed?.position
        // The rest of a reset is not another one.
        let commit = staging?.isRestored == true ? nil : lastToldCommit
        step.actions.append(.openStream(lastStream, after: position, containing: commit))
        step.reports.append(.status)
    }

    /// The last commit of a pending transaction that changed something.
    private var lastToldCommit: ReplicaCommit? {
        pending.last { $0.state.isCommitted && $0.hash != nil }.flatMap { transaction in
            guard case .committed(let revision) = transaction.state, let hash = transaction.hash else { return nil }
            return ReplicaCommit(revision: revision, hash: hash)
        }
    }

    /// Opens the stream again if it was opened after a transaction was first sent: the store may have been restored between its commit
    /// and the stream, and only a stream that names the commit tells that. Returns whether it did.
    mutating func checkHistory(of id: TransactionID, _ step: inout Step<some ReplicaStorage>) -> Bool {
        guard case .open(let stream, _) = connection, firstSend?.id != id || firstSend?.stream != stream else { return false }
        step.actions.append(.closeStream(stream))
        openStream(&step)
        return true
    }

    mutating func streamEnded(_ end: ReplicaStreamEnd, _ stream: UInt64, _ step: inout Step<some ReplicaStorage>) {
        guard case .open(stream, _) = connection else { return }
        switch end {
        case .lost(let seconds): reopenLater(nil, seconds, &step)
        case .overtaken: openStream(&step)
        case .refused(let refusal):
            failures = max(failures, 8)
            reopenLater(refusal, nil, &step)
        }
    }

    /// Closes a stream that contradicts the protocol, and opens another one later. A fill is not resumed then.
    private mutating func reject(_ what: String, _ stream: UInt64, _ step: inout Step<some ReplicaStorage>) {
        step.header.staging = nil
        step.actions.append(.closeStream(stream))
        let refusal = TransactionRefusal(
            code: "malformed", message: "unexpected part of the replica's stream: \(what)",
            remedy: "update the client or the service")
        reopenLater(refusal, nil, &step)
    }

    private mutating func reopenLater(
        _ problem: TransactionRefusal?, _ seconds: Int?, _ step: inout Step<some ReplicaStorage>
    ) {
        failures += 1
        lastStream += 1
        connection = .waiting(lastStream)
        self.problem = problem
        let pause = ReplicaMachine.pause(after: failures, seconds)
        step.actions.append(.wait(.stream(lastStream), milliseconds: pause))
        step.reports.append(.status)
    }

    mutating func receive(
        _ part: ReplicaStreamPart, from stream: UInt64, _ step: inout Step<some ReplicaStorage>
    ) throws {
        guard case .open(stream, var open) = connection else { return }
        switch part {
        case .begin(let kind):
            // A step that has not ended is dropped: the service began another one.
            if case .changes(let after) = kind, after != step.header.confirmed?.revision {
                return reject("changes after revision \(after), which is not the confirmed one", stream, &step)
            }
            if kind == .resumedFill {
                guard step.header.staging != nil else { return reject("nothing to resume", stream, &step) }
                step.writes.append(.clearStage(.difference))
                open.names = nil
            } else {
                step.writes.append(.clearStage(nil))
                step.header.staging = nil
                open.names = []
            }
            open.step = kind
            if kind == .restored { open.isCurrent = false }
        case .objects(let changed, let removed, let position):
            guard let kind = open.step else { return reject("objects outside a step", stream, &step) }
            let layer: StagedLayer = kind.isFill && position != nil ? .pages : .difference
            step.writes.append(.stage(changed, removed: removed, layer))
            open.names?.formUnion(changed.map(\.name))
            open.names?.formUnion(removed)
            if let names = open.names, names.count > ReplicaMachine.reportLimit { open.names = nil }
            if kind.isFill, let position {
                let isRestored = kind == .restored || step.header.staging?.isRestored ?? false
                step.header.staging = ReplicaHeader.Staging(position: position, isRestored: isRestored)
            }
        case .end(let position, let revision, let time, let classes):
            guard let kind = open.step else { return reject("an end outside a step", stream, &step) }
            let isRestored = kind == .restored || step.header.staging?.isRestored ?? false
            if !isRestored, let confirmed = step.header.confirmed, revision < confirmed.revision {
                return reject("revision \(revision) after revision \(confirmed.revision)", stream, &step)
            }
            let names = open.names
            open = OpenStream(step: nil, isCurrent: true)
            let confirmed = ReplicaHeader.Confirmed(
                position: position, revision: revision, time: time, heardAt: step.now, classes: classes)
            try apply(confirmed, names, isFill: kind.isFill, isRestored: isRestored, &step)
            becomeCurrent(&step)
        case .position(let position):
            // A position of a fill, or of a replica of other classes, says nothing about the confirmed state.
            guard open.step == nil, step.header.staging == nil, let confirmed = step.header.confirmed,
                position.isPosition(like: confirmed.position)
            else { return }
            guard let revision = Revision(position: position), revision >= confirmed.revision else {
                return reject("position `\(position.prefix(80))` after revision \(confirmed.revision)", stream, &step)
            }
            open.isCurrent = true
            step.header.confirmed?.position = position
            step.header.confirmed?.revision = revision
            hear(&step, isMoved: revision > confirmed.revision)
            let count = pending.count
            dropCommitted(upTo: revision, &step)
            if pending.count != count { try rebase(&step, base: step.storage.object) }
            becomeCurrent(&step)
        case .alive:
            if open.isCurrent, open.step == nil { hear(&step, isMoved: false) }
        }
        connection = .open(stream, open)
    }

    private mutating func becomeCurrent(_ step: inout Step<some ReplicaStorage>) {
        failures = 0
        problem = nil
        step.reports.append(.status)
    }

    /// Notes that the confirmed state is current. If nothing else changed, the storage hears it once a minute.
    private func hear(_ step: inout Step<some ReplicaStorage>, isMoved: Bool) {
        guard let heardAt = step.header.confirmed?.heardAt else { return }
        let isOld = step.now < heardAt || step.now >= heardAt.advanced(bySeconds: 60)
        guard isMoved || isOld else { return }
        let now = step.now
        step.header.confirmed?.heardAt = now
    }

    /// Moves the confirmed state to a revision, and the pending transactions on top of it.
    private mutating func apply(
        _ confirmed: ReplicaHeader.Confirmed, _ names: Set<Name>?, isFill: Bool, isRestored: Bool,
        _ step: inout Step<some ReplicaStorage>
    ) throws {
        let storage = step.storage
        let newBase: PendingView.Base = { name in
            switch try storage.staged(name) {
            case .object(let object): object
            case .removed: nil
            case nil: isFill ? nil : try storage.object(name)
            }
        }
        if step.header.confirmed?.classes != confirmed.classes { step.reports.append(.classPrivilegesChanged) }
        step.header.confirmed = confirmed
        step.header.staging = nil
        step.writes.append(.applyStage(isFill: isFill))
        try noteChanges(names, isFill: isFill, &step)
        if isRestored {
            giveAllBack(&step)
            step.reports.append(.restored)
        } else {
            dropCommitted(upTo: confirmed.revision, &step)
            try refuseLost(at: confirmed.revision, newBase, &step)
        }
        try rebase(&step, base: newBase)
    }

    /// Notes the objects of the step for the reports.
    private func noteChanges(_ names: Set<Name>?, isFill: Bool, _ step: inout Step<some ReplicaStorage>) throws {
        let storage = step.storage
        let limit = ReplicaMachine.reportLimit
        if isFill {
            step.lost = try storage.objectsMissingInFill(limit: limit + 1)
            if step.lost.count > limit { (step.lost, step.changed) = ([], nil) }
        } else {
            step.lost = try (names ?? []).filter { name in
                if case .removed? = try storage.staged(name) { try storage.object(name) != nil } else { false }
            }.sorted()
        }
        guard let names, step.changed != nil else {
            step.changed = nil
            return
        }
        for name in names {
            if case .object(let object)? = try storage.staged(name), try storage.object(name) == object { continue }
            step.changed?.insert(name)
        }
        step.changed?.formUnion(step.lost)
    }

    /// Ends every transaction, because the store was restored.
    private mutating func giveAllBack(_ step: inout Step<some ReplicaStorage>) {
        remove(&step, where: \.state.isCommitted)
        let outcomes = pending.map { transaction in
            let isSent = transaction.state == .sent
            return (
                transaction.id,
                TransactionOutcome.refused(
                    TransactionRefusal(
                        code: TransactionRefusal.storeRestored,
                        message: "the store was restored from a backup"
                            + (isSent ? ", after the transaction was sent: it may have been committed" : ""),
                        remedy: "compare with the present state, and write it again if it is still wanted"))
            )
        }
        end(Dictionary(outcomes) { $1 }, &step)
    }

    /// Ends the transactions that were never sent and that change an object which the user lost with this step.
    private mutating func refuseLost(
        at revision: Revision, _ newBase: PendingView.Base, _ step: inout Step<some ReplicaStorage>
    ) throws {
        var outcomes: [TransactionID: TransactionOutcome] = [:]
        var view = PendingView(classes: step.header.classes)
        for transaction in pending {
            if transaction.state == .waiting, let lost = try firstLost(transaction, view, newBase, step.storage) {
                outcomes[transaction.id] = .refused(
                    TransactionRefusal(
                        code: TransactionRefusal.accessLost,
                        message: "`\(lost)` was deleted, or may no longer be read, since revision \(revision)",
                        remedy: "ask for access, and write it again"))
            } else {
                try view.apply(transaction, base: newBase)
            }
        }
        if !outcomes.isEmpty { end(outcomes, &step) }
    }

    /// Returns the first object that a transaction needs, that was confirmed before, and that the new view does not have.
    private func firstLost(
        _ transaction: PendingTransaction, _ view: PendingView, _ newBase: PendingView.Base, _ storage: some ReplicaStorage
    ) throws -> Name? {
        var created: Set<Name> = []
        for change in transaction.changes {
            let name = change.target
            if !change.needsTarget {
                created.insert(name)
            } else if header.classes.contains(name.className), !created.contains(name), try storage.object(name) != nil,
                try view.object(name, base: newBase) == nil
            {
                return name
            }
        }
        return nil
    }
}

extension ReplicaStep {
    var isFill: Bool { if case .changes = self { false } else { true } }
}

extension String {
    /// Whether two positions differ only in the revision and its hash.
    fileprivate func isPosition(like other: String) -> Bool {
        func rest(_ position: String) -> ArraySlice<Substring> {
            position.split(separator: ".", omittingEmptySubsequences: false).dropFirst(2)
        }
        return rest(self) == rest(other)
    }
}

extension Revision {
    /// Reads the revision of a complete position: the digits before the first point.
    init?(position: String) {
        guard let number = position.split(separator: ".", maxSplits: 1).first.flatMap({ UInt64($0) }) else { return nil }
        self.init(number)
    }
}
