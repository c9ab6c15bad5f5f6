public import Observation
public import Primitives

/// The privileges of a user on an object for a view, which shows or hides its controls by them. The service decides about each request
/// again.
@MainActor @Observable public final class LivePrivileges {
    /// The privileges; empty before they were read, and if the user has none.
    public private(set) var privileges: Set<String> = []
    public private(set) var state = LiveState.loading
    @ObservationIgnored private var revision = Revision.genesis
    @ObservationIgnored private let subject: Name
    @ObservationIgnored private let object: Name
    @ObservationIgnored private let store: StoreClient
    @ObservationIgnored private let seconds: Int

    /// - Parameters:
    ///   - subject: the user, such as ``AuthUser/principal``.
    ///   - object: the object.
    ///   - store: the store, with the token of the user.
    ///   - seconds: the seconds between two questions while ``run()`` runs.
    public init(of subject: Name, on object: Name, in store: StoreClient, everySeconds seconds: Int = 10) {
        (self.subject, self.object, self.store, self.seconds) = (subject, object, store, seconds)
    }

    /// Whether the user has a privilege.
    public func contains(_ privilege: String) -> Bool { privileges.contains(privilege) }

    /// Keeps the model current until the task is cancelled.
    public func run() async {
        let object = object
        let none: Feed<ObjectChange>? = nil
        await store.keepCurrent(everySeconds: seconds, following: none, concerns: { $0.object == object }, refresh: refresh)
    }

    /// Asks for the privileges now.
    public func refresh() async {
        do throws(ServiceError) {
            let answer = try await store.privileges(of: subject, on: object)
            guard answer.revision >= revision else { return }
            revision = answer.revision
            if privileges != Set(answer.privileges) { privileges = Set(answer.privileges) }
            state = .current
        } catch {
            state = LiveState(error)
            if case .refused = state { privileges = [] }
        }
    }
}
