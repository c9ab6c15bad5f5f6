internal import HTTPServer
internal import Identity

/// One thing that the service does: where it is asked for, who may ask, how it is described, and what it does.
///
/// A class, so that handing it on with each request copies nothing.
final class Route: Sendable {
    let method: String
    let path: PathPattern
    /// Its name in the description of the API and in metrics, such as `check`.
    let name: String
    let need: CallerNeed
    /// Bytes of a body at most; 0 where there is none.
    let bodyLimitBytes: Int
    let description: RouteDescription
    let handler: Handler
    /// Which parameter of the path names the store; -1 for the default store, nil where the route is about no store.
    let storePlace: Int?

    /// What runs where.
    enum Handler: Sendable {
        /// On a thread of the server, which must not wait: for what takes microseconds.
        case immediate(@Sendable (Call) throws -> HTTPResponse)
        /// On a thread of the server where the body has at most so many bytes, else on a queue: for what takes as long as the
        /// body is.
        case immediateUpTo(bodyBytes: Int, @Sendable (Call) throws -> HTTPResponse)
        /// On a queue, where it may take its time.
        case queued(@Sendable (Call) throws -> HTTPResponse)
        /// On a queue of those for accounts, which hold up nothing else; where the service has none, it answers 404.
        case ofAccounts(AccountsPace, @Sendable (Call, Accounts) throws -> HTTPResponse)
        /// In a task, waiting for others without holding up a thread.
        case asynchronous(@Sendable (Call) async throws -> HTTPResponse)
    }

    /// Whether it is there only where the service has accounts.
    var isOfAccounts: Bool { if case .ofAccounts = handler { true } else { false } }

    /// Whether nothing that a client must know is lost if its answer is dropped for lack of memory. Changes to stores are tasks, and
    /// what else changes something has a short answer.
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

/// What a caller's token must reach for a route.
enum CallerNeed: Hashable, Sendable {
    /// Nothing: anybody may ask, without a token too.
    case nothing
    /// The store that the route is about; what of it, the route itself decides.
    case store
    /// Questions about anybody.
    case asking
    /// Administration of the store.
    case administering
    /// Administration of all stores.
    case administeringAll
    /// A session: somebody who signed in to an account.
    case session
}

/// How long something about accounts takes, and what it may wait for.
enum AccountsPace: Hashable, Sendable {
    /// A write to the disk at most.
    case brisk
    /// A password is hashed.
    case hashing
    /// Somebody is to be proved by the `provider` that the body names: a password is hashed, or another service is asked.
    case proving
}
