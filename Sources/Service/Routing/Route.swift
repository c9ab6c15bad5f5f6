internal import HTTPServer
internal import Identity

/// One operation of the service: its path, its required access, its description, and its handler.
///
/// A class, so that passing it with each request copies nothing.
final class Route: Sendable {
    let method: String
    let path: PathPattern
    /// Its name in the description of the API and in metrics, such as `check`.
    let name: String
    let need: CallerNeed
    /// The largest body in bytes; 0 without a body.
    let bodyLimitBytes: Int
    let description: RouteDescription
    let handler: Handler
    /// The index of the path's parameter that names the store; -1 for the default store, nil for a route without a store.
    let storePlace: Int?

    /// The handler of a route, and where it runs.
    enum Handler: Sendable {
        /// On a server thread, which must not block: for work that takes microseconds.
        case immediate(@Sendable (Call) throws -> HTTPResponse)
        /// On a server thread if the body has at most this many bytes, else on a queue: for work in proportion to the body.
        case immediateUpTo(bodyBytes: Int, @Sendable (Call) throws -> HTTPResponse)
        /// On a queue, without a time restriction.
        case queued(@Sendable (Call) throws -> HTTPResponse)
        /// On a queue for account work, which delays nothing else; without accounts, the response is 404.
        case ofAccounts(AccountsPace, @Sendable (Call, Accounts) throws -> HTTPResponse)
        /// In a task, which can wait without blocking a thread.
        case asynchronous(@Sendable (Call) async throws -> HTTPResponse)
    }

    /// Whether the route requires a service with accounts.
    var isOfAccounts: Bool { if case .ofAccounts = handler { true } else { false } }

    /// Whether the response may be dropped for lack of memory without losing data that the client needs. Changes to stores run as
    /// tasks, and all other changes have short responses.
    var changesNothing: Bool {
        switch handler {
        case .immediate, .immediateUpTo, .queued: true
        case .ofAccounts, .asynchronous: false
        }
    }

    /// Whether its work has a deadline.
    var hasDeadline: Bool {
        switch handler {
        case .queued, .immediateUpTo: true
        case .immediate, .ofAccounts, .asynchronous: false
        }
    }

    init(
        _ method: String, _ path: PathPattern, _ name: String, need: CallerNeed, bodyLimitBytes: Int = 0,
        _ description: RouteDescription, _ handler: Handler
    ) {
        self.method = method
        self.path = path
        self.name = name
        self.need = need
        self.bodyLimitBytes = bodyLimitBytes
        self.description = description
        self.handler = handler
        storePlace = path.parameters.firstIndex(of: "store") ?? (path.text.hasPrefix("/access/") ? -1 : nil)
    }
}

/// The access that a route requires of the caller.
enum CallerNeed: Hashable, Sendable {
    /// None: the route is public.
    case nothing
    /// Access to the store of the route. The route itself checks the rest.
    case store
    /// The permission to query all subjects.
    case asking
    /// Administration of the store.
    case administering
    /// Administration of all stores.
    case administeringAll
    /// A session of an account.
    case session
}

/// The work of an account operation, which determines its queue.
enum AccountsPace: Hashable, Sendable {
    /// At most a write to the disk.
    case brisk
    /// A password is hashed.
    case hashing
    /// Verifies a user with the `provider` in the body: hashes a password, or asks another service.
    case proving
}
