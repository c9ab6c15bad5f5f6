import Dispatch
import Events
import Files
import Glibc
import Muniment
import Permissions

/// Operations of a process that observes a store, or that runs next to an observer.
struct ObservationHelperCommands {
    let path: String

    /// Writes the numbers from 1 to `last` to an object, each in a separate commit, and then deletes the object.
    func count(on object: Name, to last: Int64) throws {
        let store = try Store.open(at: path, .writing, options: FaultStore.options)
        for number in 1...last {
            try store.commit(Transaction("user:root", [.writeObject(object, .value(.integer(number)))]))
        }
        try store.commit(Transaction("user:root", [.deleteObject(object)]))
        try store.close()
    }

    /// Grants `user:ann` read on `doc:1` for some time by the machine's clock. Reports the revision and the end time, and keeps the
    /// store open until the process is killed.
    func grant(for microseconds: Int64) throws {
        let store = try Store.open(at: path, .writing)
        let until = systemClock().advanced(byMicroseconds: microseconds)
        let receipt = try store.commit(Transaction("user:root", [.grant("user:ann", on: "doc:1", ["read"], until: until)]))
        FaultHelper.say("granted \(receipt.head) \(until.microseconds)")
        pause()
        try store.close()
    }

    /// Observes an object, creates other objects until the index cannot grow, and reports how the observation ended.
    ///
    /// - Parameter limit: the maximum size of each file in bytes.
    func observeUntilFull(limit: Int) throws {
        let store = try Store.open(
            at: path, .writing, options: StoreOptions(clock: systemClock, expiryRecording: .withCommits, mapBytes: 1 << 26))
        let changes = try store.observe("doc:1", as: "user:root")
        let ended = DispatchSemaphore(value: 0)
        Task {
            do throws(ObservationError) {
                for try await change in changes { FaultHelper.say("change \(change.revision)") }
                FaultHelper.say("end none")
            } catch {
                FaultHelper.say("end \(error)")
            }
            ended.signal()
        }
        FileSizeLimit.set(limit)
        do {
            for number in 0..<20_000 { try store.commit(Transaction("user:root", [.createObject(Name("doc:a\(number)"))])) }
        } catch { FaultHelper.say("failed \(error)") }
        ended.wait()
        do { try store.close() } catch { FaultHelper.say("closing \(error)") }
    }
}
