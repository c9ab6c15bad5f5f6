import Events
import Foundation
import Glibc
import Muniment
import Permissions
import Wire

/// Opens the store of a command.
extension Invocation {
    /// The options of a store, with progress on the terminal. A command is short, so the log receives only its commits and the
    /// expiry events due before them.
    var storeOptions: StoreOptions {
        StoreOptions(
            expiryRecording: .withCommits,
            progress: { ProgressBar.standard.show($0.stage, done: $0.done, total: $0.total) })
    }

    /// The options of stores in a service. It runs permanently, so expiry events are written when they are due.
    var serviceStoreOptions: StoreOptions {
        get throws {
            var found = StoreOptions(progress: storeOptions.progress)
            if let limits = try options.value(of: .clockLimits, Values.clockLimits) { found.clockLimits = limits }
            return found
        }
    }

    /// Opens the store, runs `body`, and closes the store.
    func withStore<R>(_ access: StoreAccess, _ body: (Store) throws -> R) throws -> R {
        let store = try Store.open(at: try directory, access, options: storeOptions)
        ProgressBar.standard.clear()
        let result: R
        do {
            if access == .reading { try noteMoments(in: store) }
            result = try body(store)
        } catch {
            // The first error is the relevant one.
            try? store.close()
            throw error
        }
        // Commits are durable, even if the index or a seal could not be written.
        do { try store.close() } catch { note("the store could not be closed cleanly: \(error)") }
        return result
    }

    /// Queries the store at the time in `--at`.
    func ask<R>(_ question: (Snapshot) throws -> R) throws -> R {
        let moment = try moment
        return try withStore(.reading) { store in try store.read(at: moment, question) }
    }

    /// Queries the store about privileges, or about levels of its history, at the time in `--at`.
    ///
    /// - Throws: ``UsageError`` for a name that is neither.
    func ask<R>(about names: [String], _ question: (Snapshot, [String]) throws -> R) throws -> R {
        let moment = try moment
        return try withStore(.reading) { store in
            let privileges = try privileges(names, of: store)
            return try store.read(at: moment) { try question($0, privileges) }
        }
    }

    /// Returns privileges for names of privileges and levels.
    func privileges(_ names: [String], of store: Store) throws -> [String] {
        try Invocation.understood { try store.privileges(named: names) }
    }

    /// Commits changes as one transaction, through the service if a service holds the store.
    private func commit(_ changes: [Change], as caller: Name) throws -> Receipt {
        let comment = options[.because]
        do {
            return try withStore(.writing) { store in
                try store.commit(Transaction(caller, try store.replacingLevels(in: changes), origin: Origin(comment: comment)))
            }
        } catch let error as StoreError {
            guard case .heldByAnotherWriter = error, let store = StoreOfService(at: try directory) else { throw error }
            return try store.commit(changes, as: caller, comment: comment)
        }
    }

    /// Commits changes as one transaction, and prints its revision.
    ///
    /// - Parameter remains: returns the access that the changes did not take away, as members of the object and as lines; nil for
    ///   changes that take none away.
    func make(_ changes: [Change], remains: (([Change], Snapshot) throws -> (JSONObject, [String]))? = nil) throws -> ExitCode {
        let caller = try caller
        let receipt = try commit(changes, as: caller)
        // The remaining access is listed below.
        for found in receipt.notes where remains == nil || found.reason != .stillAllowed { note(found.message) }
        let line =
            receipt.revision.map { "revision \($0)" } ?? "nothing changed: the store has this state already, or for a longer time"
        var (members, lines): (JSONObject, [String]) = ([:], [])
        if let remains {
            // The changes are durable, even if the store cannot be read now.
            do {
                (members, lines) = try withStore(.reading) { store in
                    let changes = try store.replacingLevels(in: changes)
                    return try store.read { try remains(changes, $0) }
                }
            } catch { note("the remaining access is unknown: \(error)") }
        }
        return try answer(.object(receipt.json.with(members)), lines: [line] + lines)
    }
}

/// Explains empty results.
extension Invocation {
    /// Prints the names of a question that do not exist at the moment, and why. The result is correct, but a misspelled name would give
    /// the same result.
    ///
    /// - Returns: whether a name does not exist.
    @discardableResult
    func noteUnknown(_ snapshot: Snapshot, _ names: [Name]) throws -> Bool {
        let unknown = try names.filter { try $0 != .everyone && $0 != .anonymous && !snapshot.exists($0) }
        for name in unknown {
            guard let changes = try snapshot.changes(of: name), let first = changes.first else {
                note(
                    name.kind == .caller
                        ? "the store does not know `\(name)`: it has the access of `everyone` only"
                        : "the store has no record of `\(name)`: check the name")
                continue
            }
            let last = changes.last { $0 <= snapshot.revision }
            let reason = last.map { "it was deleted at revision \($0)" } ?? "it was created later, at revision \(first)"
            note("`\(name)` does not exist at revision \(snapshot.revision): \(reason)")
        }
        return !unknown.isEmpty
    }

    /// Prints the moments of a question about which the store cannot have records.
    private func noteMoments(in store: Store) throws {
        let begin = try store.time(of: .genesis)
        for option in [Option.at, .firstMoment] {
            // An option with the same name can have another meaning.
            guard let text = options[option], let found = try? moment(option) else { continue }
            guard case .time(let time) = found else {
                if let year = Int(text), (1990...2100).contains(year) {
                    note("`\(text)` is a revision: for the beginning of the year, write \(text)-01-01")
                }
                continue
            }
            if time < begin {
                note("`\(text)` is before the first commit of the store, \(try zone.text(begin)): nothing is known of that time")
            }
            if time > storeOptions.clock() {
                note("`\(text)` is in the future: of what happens until then, only the ends of access are known")
            }
        }
    }

    /// Prints a note to standard error, after the results so far.
    func note(_ text: String) {
        try? output.flush()
        ProgressBar.standard.clear()
        // A pager owns the terminal.
        guard !output.isPaged || isatty(STDERR_FILENO) == 0 else {
            try? output.line("note: " + text)
            return
        }
        writeError("note: " + text)
    }
}

/// Prints results.
extension Invocation {
    /// Answers a question with names: one per line, or all of them in a JSON object.
    ///
    /// - Parameters:
    ///   - key: the member name of the list in the object.
    ///   - column: the name of its column.
    func list(_ key: String, column: String, _ asked: QueryMembers, _ names: (Snapshot, [String]) throws -> [String]) throws
        -> ExitCode
    {
        let (names, when) = try ask(about: asked.privileges ?? []) { snapshot, privileges in
            try noteUnknown(snapshot, [asked.subject, asked.object, asked.role].compactMap { $0 })
            if let className = asked.className { try snapshot.requireClass(className) }
            return (try names(snapshot, privileges), snapshot.members)
        }
        return try answer(.object(asked.answer(names, as: key, when)), lines: names, table: Table(column, names))
    }
}
