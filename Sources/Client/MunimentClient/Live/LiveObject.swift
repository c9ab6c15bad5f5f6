public import Observation
public import Primitives

/// An object for a view: its value, as long as the user may read it. It follows the changes of the value.
///
/// ```swift
/// Text(plan.object?.value["title"]?.text ?? "").task { await plan.run() }
/// ```
@MainActor @Observable public final class LiveObject {
    /// The object; nil before it was read, and if the user may not read it or it does not exist.
    public private(set) var object: StoredObject?
    public private(set) var state = LiveState.loading
    public let name: Name
    @ObservationIgnored private let store: StoreClient
    @ObservationIgnored private let seconds: Int

    /// - Parameters:
    ///   - name: the name of the object.
    ///   - store: the store, with the token of the user.
    ///   - seconds: the seconds between two reads while ``run()`` runs and the service does not send the changes: while the user may not
    ///     read the object, and with an earlier service.
    public init(_ name: Name, in store: StoreClient, everySeconds seconds: Int = 10) {
        (self.name, self.store, self.seconds) = (name, store, seconds)
    }

    /// Keeps the model current until the task is cancelled.
    public func run() async {
        let name = name
        await store.keepCurrent(
            everySeconds: seconds, following: store.changeFeed(of: name), concerns: { $0.object == name }, refresh: refresh)
    }

    /// Reads the object now.
    public func refresh() async {
        do throws(ServiceError) {
            let read = try await store.object(name)
            // An answer to an earlier question may arrive later.
            guard read.revision >= object?.revision ?? .genesis else { return }
            if object != read { object = read }
            state = .current
        } catch {
            state = LiveState(error)
            if case .refused = state { object = nil }
        }
    }

    /// Changes members of the value, unless the object has changed since the model read it, and then reads the object.
    ///
    /// - Parameter members: the changed members; null removes a member.
    /// - Throws: ``ServiceError``, with ``ProblemKind/preconditionFailed`` if the object has changed.
    public func patch(_ members: JSONObject) async throws(ServiceError) {
        do throws(ServiceError) { try await store.patch(name, members, expecting: object?.changed) } catch {
            await refresh()
            throw error
        }
        await refresh()
    }
}
