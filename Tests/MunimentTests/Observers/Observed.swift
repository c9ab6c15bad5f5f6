import Events
import Muniment
import Permissions
import StoreSupport
import TestSupport

/// All deliveries of an observation, and how it ended.
struct Observed: Equatable {
    var changes: [ObservedChange] = []
    var end: ObservationError?

    /// The deliveries of each revision.
    var steps: [(revision: Revision, kinds: [ObservedChange.Kind])] {
        changes.reduce(into: []) { steps, change in
            if steps.last?.revision != change.revision { steps.append((change.revision, [])) }
            steps[steps.count - 1].kinds.append(change.kind)
        }
    }
}

extension ObservedChangeSequence {
    /// Collects all deliveries until the observation ends.
    func all() async -> Observed {
        var observed = Observed()
        do throws(ObservationError) {
            for try await change in self { observed.changes.append(change) }
        } catch {
            observed.end = error
        }
        return observed
    }
}

extension StoreFixture {
    /// Returns all deliveries of an observation until the object is deleted. This function deletes the object at the end.
    func observed(
        _ object: Name, at path: JSONPath = [], as caller: Name = "user:ann", since revision: Revision? = nil,
        while body: () throws -> Void = {}
    ) async throws -> Observed {
        let changes = try store.observe(object, at: path, as: caller, since: revision)
        try body()
        if try store.read({ try $0.exists(object) }) { try commit(.deleteObject(object)) }
        return await changes.all()
    }
}

extension Store {
    /// Returns when the given number of observers wait.
    func untilWaiting(_ count: Int) async throws {
        try await until("\(count) observers wait") { waitingObservers == count }
    }
}
