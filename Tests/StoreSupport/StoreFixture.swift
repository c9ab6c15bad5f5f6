package import Events
import Foundation
package import Muniment
package import Permissions
package import TestSupport

/// A store on disk for one test, in a separate folder, with a clock that the test controls.
package final class StoreFixture {
    package let path: String
    package let clock: ManualClock
    package private(set) var store: Store
    private let expiryRecording: ExpiryRecording

    fileprivate init(at path: String, _ preset: Preset, _ clock: ManualClock, _ expiryRecording: ExpiryRecording) throws {
        self.path = path
        self.clock = clock
        self.expiryRecording = expiryRecording
        store = try Store.create(
            at: path, preset: preset, options: StoreOptions(clock: { clock.now }, expiryRecording: expiryRecording))
    }

    private var options: StoreOptions { StoreOptions(clock: { [clock] in clock.now }, expiryRecording: expiryRecording) }

    /// Wraps a store that the test created, with the machine's clock.
    package init(of store: Store, at path: String) {
        (self.store, self.path, clock, expiryRecording) = (store, path, ManualClock(), .byItself)
    }

    /// Closes the store and removes the folder that contains it.
    package func closeAndRemove(_ folder: String) {
        try? store.close()
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Closes the store, runs the body, and opens the store again.
    package func whileClosed<R>(_ body: () throws -> R) throws -> R {
        try store.close()
        let result = Result { try body() }
        store = try Store.open(at: path, .writing, options: options)
        return try result.get()
    }

    package func reopen() throws { try whileClosed {} }

    /// Reopens the store without its index, so that the index is rebuilt from the log.
    package func reopenWithoutIndex() throws { try whileClosed { try FileManager.default.removeItem(atPath: path + "/index") } }

    fileprivate func close() throws { try store.close() }

    // MARK: Shortcuts for tests

    package var head: Revision { get throws { try store.head.revision } }

    @discardableResult
    package func commit(_ changes: Change..., as caller: Name = "user:root", origin: Origin = Origin()) throws -> Receipt {
        try store.commit(Transaction(caller, changes, origin: origin))
    }

    /// Returns why the store refuses these changes, or nil if it accepts them.
    package func refusal(_ changes: Change..., as caller: Name = "user:root", origin: Origin = Origin()) throws -> Refusal? {
        try refusal(of: changes, as: caller, origin: origin)
    }

    package func refusal(of changes: [Change], as caller: Name = "user:root", origin: Origin = Origin()) throws -> Refusal? {
        do {
            _ = try store.commit(Transaction(caller, changes, origin: origin))
            return nil
        } catch let refusal as Refusal {
            return refusal
        }
    }

    package func may(_ subject: Name, _ privilege: String, _ object: Name, at moment: Moment = .now) throws -> Bool {
        try store.read(at: moment) { try $0.check(subject, [privilege], on: object).isAllowed }
    }

    package func privileges(_ subject: Name, _ object: Name, at moment: Moment = .now) throws -> [String] {
        try store.read(at: moment) { try $0.privileges(of: subject, on: object) }
    }

    package func entries(_ object: Name, at moment: Moment = .now) throws -> [EntryDescription] {
        try store.read(at: moment) { try $0.entries(on: object) }
    }

    /// Returns the recorded refusals and checks their hashes.
    package func refusals(from first: RefusalNumber = .first) throws -> [RecordedRefusal] {
        var refusals: [RecordedRefusal] = []
        try store.refusals(from: first) { refusal, _ in refusals.append(refusal) }
        return refusals
    }

    package func commits(from first: Revision = .genesis) throws -> [Commit] {
        var commits: [Commit] = []
        try store.log(from: first, to: head) { commits.append($0.commit) }
        return commits
    }
}

/// Passes a new store to the body, then closes and removes it. Expiries are recorded with commits unless a test says otherwise,
/// so that a test knows every revision.
package func withStore(
    _ preset: Preset = .locked, clock: ManualClock = ManualClock(), expiryRecording: ExpiryRecording = .withCommits,
    _ body: (StoreFixture) throws -> Void
) throws {
    try withTemporaryFolder { folder in
        let fixture = try StoreFixture(at: folder + "/store", preset, clock, expiryRecording)
        let result = Result { try body(fixture) }
        try fixture.close()
        try result.get()
    }
}

/// Does the same for asynchronous tests.
package func withStore(
    _ preset: Preset = .locked, clock: ManualClock = ManualClock(), expiryRecording: ExpiryRecording = .withCommits,
    _ body: (StoreFixture) async throws -> Void
) async throws {
    try await withTemporaryFolder { folder in
        let fixture = try StoreFixture(at: folder + "/store", preset, clock, expiryRecording)
        do { try await body(fixture) } catch {
            try fixture.close()
            throw error
        }
        try fixture.close()
    }
}
