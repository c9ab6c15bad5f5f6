public import Observation
public import Primitives

/// The results of a query for a view. It follows the changes of the objects.
@MainActor @Observable public final class LiveQuery {
    /// The first objects of the query, in its order.
    public private(set) var objects: [Name] = []
    /// The reason for an empty list, if the caller lacks access.
    public private(set) var note: ListNote?
    public private(set) var state = LiveState.loading
    @ObservationIgnored private var revision = Revision.genesis
    @ObservationIgnored private let store: StoreClient
    @ObservationIgnored private let query: Listing<Name>
    @ObservationIgnored private let className: String
    @ObservationIgnored private let condition: JSONObject?
    @ObservationIgnored private let seconds: Int

    /// - Parameters:
    ///   - className: the class of the objects.
    ///   - condition: the condition; all objects by default.
    ///   - order: the properties to sort by; a dash means descending.
    ///   - limit: the maximum number of objects, up to 10,000.
    ///   - store: the store, with the token of the user.
    ///   - seconds: the seconds between two queries while ``run()`` runs and the service does not send the changes: while it refuses the
    ///     query, and with an earlier service.
    public init(
        _ className: String, where condition: JSONObject? = nil, order: [String] = [], limit: Int = 100, in store: StoreClient,
        everySeconds seconds: Int = 10
    ) {
        (self.store, self.className, self.condition, self.seconds) = (store, className, condition, seconds)
        query = store.query(className, where: condition, order: order, pageSize: limit)
    }

    /// Keeps the model current until the task is cancelled.
    public func run() async {
        let className = className
        await store.keepCurrent(
            everySeconds: seconds, following: store.queryChangeFeed(className, where: condition),
            concerns: { $0.object.className == className }, refresh: refresh)
    }

    /// Runs the query now.
    public func refresh() async {
        do throws(ServiceError) {
            var pages = query.pages.makeAsyncIterator()
            guard let page = try await pages.next(), page.revision ?? .genesis >= revision else { return }
            revision = page.revision ?? revision
            if objects != page.items { objects = page.items }
            if note != page.note { note = page.note }
            state = .current
        } catch {
            state = LiveState(error)
            if case .refused = state { (objects, note) = ([], nil) }
        }
    }
}
