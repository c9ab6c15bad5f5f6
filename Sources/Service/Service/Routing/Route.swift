internal import Events
internal import HTTPServer
internal import Identity

/// An operation of the service: its path, the right that a caller needs, its description and its handler.
///
/// It is a class, so that no request copies it.
final class Route: Sendable {
    let method: String
    let path: PathPattern
    /// The name of the operation in the description of the API and in metrics, such as `check`.
    let name: String
    let need: RequiredRight
    /// The limit of the body in bytes; 0 if the route has no body.
    let bodyLimitBytes: Int
    let description: RouteDescription
    let handler: Handler
    /// The index of the path parameter that names the store; -1 for the default store, nil if the route needs no store.
    let storePlace: Int?
    /// Whether a ticket in the address can replace the header `Authorization`.
    let acceptsTicket: Bool
    /// Whether the arguments are members of the body, and not parameters of the address.
    let hasArgumentsInBody: Bool

    /// The function that handles a request, and where it runs.
    enum Handler: Sendable {
        /// Runs on a thread of the server. It must not wait: for handlers that take microseconds.
        case immediate(@Sendable (RequestContext) throws -> HTTPResponse)
        /// Runs on a thread of the server if the body has at most this many bytes, else on a queue. For handlers whose time grows with the
        /// body.
        case immediateUpTo(bodyBytes: Int, @Sendable (RequestContext) throws -> HTTPResponse)
        /// Runs on a queue: for handlers that may take longer.
        case queued(@Sendable (RequestContext) throws -> HTTPResponse)
        /// Runs on one of the queues for accounts, so that it delays no other request. If the service has no accounts, returns 404.
        case ofAccounts(AccountCost, AccountHandler)
        /// Runs in a task and can wait for other tasks without blocking a thread.
        case asynchronous(@Sendable (RequestContext) async throws -> HTTPResponse)
    }

    typealias AccountHandler = @Sendable (RequestContext, Accounts, Arguments) throws -> HTTPResponse

    /// Whether the route exists only if the service has accounts.
    var isOfAccounts: Bool { if case .ofAccounts = handler { true } else { false } }

    /// Whether the response can be dropped for lack of memory without losing information that the client needs. Changes to stores run in
    /// tasks, and other changes have short responses.
    var changesNothing: Bool {
        switch handler {
        case .immediate, .immediateUpTo, .queued: true
        case .ofAccounts, .asynchronous: false
        }
    }

    /// Whether the handler has a deadline.
    var hasDeadline: Bool {
        switch handler {
        case .queued, .immediateUpTo: true
        case .immediate, .ofAccounts, .asynchronous: false
        }
    }

    init(
        _ method: String, _ path: PathPattern, _ name: String, need: RequiredRight, bodyLimitBytes: Int = 0,
        _ description: RouteDescription, _ operation: Operation
    ) {
        self.method = method
        self.path = path
        self.name = name
        self.need = need
        self.bodyLimitBytes = bodyLimitBytes
        handler = operation.handler
        hasArgumentsInBody = bodyLimitBytes > 0 && description.body == nil
        var description = description
        if hasArgumentsInBody { description.body = operation.schema } else { description.parameters += operation.parameters }
        self.description = description
        acceptsTicket = description.parameters.contains { $0.place == .query && $0.name == "ticket" }
        storePlace = path.parameters.firstIndex(of: "store") ?? (path.text.hasPrefix("/access/") ? -1 : nil)
    }
}

extension Route {
    /// Creates a route of accounts, for a signed-in user by default.
    convenience init<each Value: Sendable>(
        account method: String, _ path: PathPattern, _ name: String, need: RequiredRight = .session,
        _ description: RouteDescription, _ cost: AccountCost, _ arguments: repeat Argument<each Value>,
        handle: @escaping @Sendable (RequestContext, Accounts, repeat each Value) throws -> HTTPResponse
    ) {
        var description = description
        description.group = "Accounts"
        for place in description.answers.indices { description.answers[place].headers = [] }
        let list = ArgumentList(repeat each arguments)
        let hasBody = method != "GET" && !list.parameters.isEmpty
        // Enough for a password, a code and an address several times.
        self.init(
            method, path, name, need: need, bodyLimitBytes: hasBody ? 32 << 10 : 0, description,
            Operation(
                list,
                .ofAccounts(cost) { call, accounts, arguments in
                    let values = try list.read(arguments, call)
                    return try handle(call, accounts, repeat each values)
                }))
    }
}

/// The right that a caller's token must have for a route.
enum RequiredRight: Hashable, Sendable {
    /// No right: the request needs no token.
    case nothing
    /// Access to the route's store. The route itself checks the operation.
    case store
    /// Queries about all principals.
    case asking
    /// Figures about the service: metrics, and why it is not ready.
    case observing
    /// Administration of the store.
    case administering
    /// Administration of all stores.
    case administeringAll
    /// A session of a user who signed in to an account.
    case session
}

/// The slowest step of an operation on accounts. It selects the queue.
enum AccountCost: Hashable, Sendable {
    /// At most a write to the disk.
    case fast
    /// A password is hashed.
    case hashing
    /// The argument `provider` authenticates the user: a password is hashed, or another service is called.
    case provider
}

/// The API description of a route.
struct RouteDescription: Sendable {
    /// The purpose, as a phrase.
    let summary: String
    /// More about it, in sentences.
    var text = ""
    /// The group of the route.
    var group = "Service"
    var parameters: [ParameterDescription] = []
    /// The JSON Schema of the body; nil without a body.
    var body: JSONValue?
    /// The statuses of the responses and their meaning, except for problems.
    var answers: [ResponseDescription] = []
    /// The media types of the body.
    var bodyTypes = ["application/json"]
    /// Problems besides those that every route of its kind can have.
    var problems: [Problem.Kind] = []

    init(_ summary: String, group: String = "Service") {
        self.summary = summary
        self.group = group
    }
}

/// A parameter of a route, in its address or in its head.
struct ParameterDescription: Sendable {
    enum Place: String, Sendable { case path, query, header }
    let name: String
    let place: Place
    let text: String
    var schema: JSONValue = .object(["type": .string("string")])
    var isRequired = false
}

/// One possible response of a route.
struct ResponseDescription: Sendable {
    let status: Int
    let text: String
    var mediaType = "application/json"
    /// The JSON Schema of the body; nil without a body.
    var schema: JSONValue?
    /// Its headers, by their names in ``OpenAPI``.
    var headers: [String] = []
}
