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
            let transaction = Transaction(caller, changes, origin: Origin(comment: comment))
            return try withStore(.writing) { store in try store.commit(transaction) }
        } catch let error as StoreError {
            guard case .heldByAnotherWriter = error, let store = StoreOfService(at: try directory) else { throw error }
            return try store.commit(changes, as: caller, comment: comment)
        }
    }

    /// Commits changes as one transaction, and prints its revision.
    ///
    /// - Parameter remains: returns the access that the changes did not take away, as members of the object and as lines; nil for
    ///   changes that take none away.
    func make(_ changes: [Change], remains: ((Snapshot) throws -> (JSONObject, [String]))? = nil) throws -> ExitCode {
        let caller = try caller
        let receipt = try commit(changes, as: caller)
        let line =
            receipt.revision.map { "revision \($0)" } ?? "nothing changed: the store has this state already, or for a longer time"
        var (members, lines): (JSONObject, [String]) = ([:], [])
        if let remains {
            // The changes are durable, even if the store cannot be read now.
            do { (members, lines) = try withStore(.reading) { try $0.read(remains) } } catch {
                note("the remaining access is unknown: \(error)")
            }
        }
        return try answer(.object(receipt.json.with(members)), lines: [line] + lines)
    }
}

/// Explains empty results.
extension Invocation {
    /// Prints the unknown names of a question to standard error. The result is correct, but a misspelled name would give the same
    /// result.
    func noteUnknown(_ snapshot: Snapshot, objects: [Name]) throws {
        for object in objects where try !snapshot.exists(object) {
            note("`\(object)` does not exist at revision \(snapshot.revision)")
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
            try noteUnknown(snapshot, objects: [asked.object, asked.role].compactMap { $0 })
            if let className = asked.className { try snapshot.requireClass(className) }
            return (try names(snapshot, privileges), snapshot.members)
        }
        return try answer(.object(asked.answer(names, as: key, when)), lines: names, table: Table(column, names))
    }
}
