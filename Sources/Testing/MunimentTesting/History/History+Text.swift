internal import Events
internal import Muniment
internal import Permissions

/// Writes histories as the lines of a `scenario/1` file.
extension History {
    /// The whole history as a file for `muniment scenario`, with a line end after each line.
    ///
    /// The clock of a scenario starts at ``newYear``. If a history starts earlier, all its times are shifted to start there.
    public var scenarioText: String { scenarioLines(note: nil).map { $0 + "\n" }.joined() }

    /// Returns the lines of the history.
    ///
    /// - Parameters:
    ///   - note: free text for the header.
    ///   - outcomes: the outcomes of transactions without an expected outcome, by their index among the entries.
    func scenarioLines(note: String?, outcomes: [Int: Outcome] = [:]) -> [String] {
        if start < History.newYear { return movedToNewYear.scenarioLines(note: note, outcomes: outcomes) }
        var lines = [header(note)]
        var isKnown: Set<Name> = [administrator]
        for (index, entry) in entries.enumerated() {
            switch entry.event {
            case .mark(let name): lines.append(Self.line([("mark", .string(name))]))
            case .clock(let instant): lines.append(Self.line([("clock", .string(instant.description))]))
            case .transaction(let transaction, let expected):
                let own = transaction.withOwnRights(of: administrator, known: &isKnown)
                lines.append(Self.line(of: own, expecting: expected ?? outcomes[index]))
            }
        }
        return lines
    }

    /// The history with all times shifted, so that it does not start before the clock of a scenario.
    private var movedToNewYear: History {
        let distance = History.newYear.microseconds - start.microseconds
        var history = self
        history.start = History.newYear
        for index in history.entries.indices {
            if case .clock(let instant) = history.entries[index].event {
                history.entries[index].event = .clock(instant.advanced(byMicroseconds: distance))
            }
            history.entries[index].changeTransaction { transaction in
                transaction.time = transaction.time?.advanced(byMicroseconds: distance)
                transaction.changes = transaction.changes.map { $0.ending(later: distance) }
            }
        }
        return history
    }

    private func header(_ note: String?) -> String {
        var members: [(String, JSONValue)] = [
            ("format", .string("scenario/1")), ("store", .string(preset == .open ? "open" : "locked")),
            ("administrator", .string(administrator.text)),
        ]
        if let title { members.append(("title", .string(title))) }
        if let note { members.append(("note", .string(note))) }
        return Self.line(members)
    }

    /// Returns a transaction in the syntax of a scenario.
    static func line(of transaction: Transaction, expecting outcome: Outcome? = .accepted) -> String {
        var writer = JSONWriter()
        var members: [(String, (inout JSONWriter) -> Void)] = [
            ("as", { $0.write(.string(transaction.caller.text)) })
        ]
        if let id = transaction.origin.requestID { members.append(("id", { $0.write(.string(id)) })) }
        if let time = transaction.time { members.append(("time", { $0.write(.string(time.description)) })) }
        members.append(("do", { $0.writeList(transaction.changes) { $1.write(into: &$0) } }))
        switch outcome {
        case .accepted?: break
        case .refused(let code)?:
            members.append(("expect", { $0.write(.object(["refused": .string(code.rawValue)])) }))
        case nil: members.append(("expect", { $0.write(.string("*")) }))
        }
        writer.writeMembers(members) { $1(&$0) }
        return writer.text
    }

    static func line(_ members: [(String, JSONValue)]) -> String {
        var writer = JSONWriter()
        writer.writeMembers(members) { $0.write($1) }
        return writer.text
    }
}

extension Transaction {
    /// Returns the transaction for a scenario, which has no importer's authority. The administrator makes the change instead, who
    /// is also permitted to do everything. Owners are then stated explicitly, and principals that were created by a mention are
    /// registered.
    fileprivate func withOwnRights(of administrator: Name, known: inout Set<Name>) -> Transaction {
        guard authority == .importer else {
            known.insert(caller)
            return self
        }
        var own = self
        (own.caller, own.authority, own.changes) = (administrator, .caller, [])
        func registerUnknown(_ names: [Name]) {
            for name in names where name.kind == .caller && known.insert(name).inserted { own.changes.append(.register(name)) }
        }
        registerUnknown([caller])
        for change in changes {
            if case .register(let name) = change {
                guard known.insert(name).inserted else { continue }
            } else {
                registerUnknown(change.mentionedPrincipals)
            }
            if case .createObject(let object, let parent, let value, nil) = change {
                own.changes.append(.createObject(object, parent: parent, value: value, owner: caller))
            } else {
                own.changes.append(change)
            }
        }
        return own
    }
}

extension Change {
    /// Returns the change with its end shifted to a later time.
    fileprivate func ending(later microseconds: Int64) -> Change {
        guard case .grant(let subject, let object, let privileges, let until?, let strict, let expected) = self else { return self }
        let later = until.advanced(byMicroseconds: microseconds)
        return .grant(subject, on: object, privileges, until: later, strict: strict, expectedRevision: expected)
    }
}
