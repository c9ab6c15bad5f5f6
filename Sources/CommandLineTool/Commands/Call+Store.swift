import Events
import Foundation
import Muniment
import Permissions
import Wire

/// How commands come to their store.
extension Call {
    /// How a store is opened: with progress on the terminal. A command is over in a moment, so the log gets its commits and the ends
    /// due before them, and nothing else.
    var storeOptions: StoreOptions {
        StoreOptions(
            recordsEnds: .withCommits,
            progress: { ProgressBar.standard.show($0.stage, done: $0.done, total: $0.total) })
    }

    /// How a service opens its stores: it stays, so ends reach the log when they come.
    var serviceStoreOptions: StoreOptions {
        get throws {
            var found = StoreOptions(progress: storeOptions.progress)
            if let text = options[.clockLimits] { found.clockLimits = try Values.clockLimits(text) }
            return found
        }
    }

    /// Opens the store, does something with it, and closes it.
    func withStore<R>(_ access: StoreAccess, _ body: (Store) throws -> R) throws -> R {
        let store = try Store.open(at: try directory, access, options: storeOptions)
        ProgressBar.standard.clear()
        let result: R
        do {
            result = try body(store)
        } catch {
            // What went wrong first is what counts.
            try? store.close()
            throw error
        }
        // What was committed is durable, whatever keeps the index or a seal from being written.
        do { try store.close() } catch { note("the store could not be closed cleanly: \(error)") }
        return result
    }

    /// Asks the store at the moment that `--at` names.
    func ask<R>(_ question: (Snapshot) throws -> R) throws -> R {
        let moment = try moment
        return try withStore(.reading) { store in try store.read(at: moment, question) }
    }

    /// Commits changes as one transaction, through the service if a service holds the store.
    private func commit(_ changes: [Change], as caller: Name) throws -> Receipt {
        do {
            return try withStore(.writing) { store in try store.commit(Transaction(caller, changes)) }
        } catch let error as StoreError {
            guard case .heldByAnotherWriter = error, let store = StoreOfService(at: try directory) else { throw error }
            return try store.commit(changes, as: caller)
        }
    }

    /// Commits changes as one transaction and prints its revision.
    func make(_ changes: Change...) throws -> ExitCode { try make(changes) }

    func make(_ changes: [Change]) throws -> ExitCode {
        let caller = try caller
        let receipt = try commit(changes, as: caller)
        if isJSON {
            try output.json(.object(receipt.json))
        } else {
            try output.line(
                receipt.revision.map { "revision \($0)" }
                    ?? "nothing changed: what was asked for is so already, or holds for longer")
        }
        return .success
    }
}

/// What an empty answer may come from.
extension Call {
    /// Says on standard error what a question named and the store does not have: the answer is right, and a typing mistake
    /// would have the same one.
    func noteUnknown(_ snapshot: Snapshot, objects: [Name] = [], privileges: [String] = [], class className: String? = nil) throws {
        for object in objects where try !snapshot.exists(object) {
            note("there is no `\(object)` at revision \(snapshot.revision)")
        }
        for privilege in privileges where snapshot.privileges(named: [privilege]) == nil {
            note("the store knows no privilege called `\(privilege)`")
        }
        if let className, try !snapshot.exists(.class(className)) { note("there is no class `\(className)`") }
    }

    func note(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data(("note: " + text + "\n").showingUnseen(keepsLineEnds: true).utf8))
    }
}

/// How commands answer.
extension Call {
    /// Prints one name a line, or all of them as one JSON object.
    ///
    /// - Parameters:
    ///   - key: what the list is called in the object.
    ///   - asked: what was asked.
    ///   - when: the moment that the answer is about.
    func answer(_ names: [String], as key: String, to asked: Asked, _ when: JSONObject) throws -> ExitCode {
        if isJSON {
            try output.json(.object(asked.answer(names, as: key, when)))
        } else {
            for name in names { try output.line(name) }
        }
        return .success
    }
}
