public import Primitives

/// An event of a feed.
public struct FeedEvent<Value: Hashable & Sendable>: Hashable, Sendable {
    /// The position after this event: pass it as `after` to continue after it, also after a restart of the application.
    public let id: String
    /// The type of the event, such as `muniment.notice.shared` or `muniment.commit`.
    public let type: String
    public let time: Instant
    public let value: Value
}

/// A live feed: past events after a position, and then every new one, each once.
///
/// A loop over the feed connects, and connects again after the last event if the connection is lost or the service is unable for now,
/// until the loop ends or its task is cancelled. A reader that is slower than the service misses nothing.
public struct Feed<Value: Hashable & Sendable>: AsyncSequence, Sendable {
    public typealias Element = FeedEvent<Value>
    public typealias Failure = ServiceError

    let connection: ServiceConnection
    let request: ServiceRequest
    let after: String?
    let read: @Sendable (JSONValue) throws -> Value
    /// Whether the service ends the feed with an event.
    var isEnd: @Sendable (Value) -> Bool = { _ in false }
    /// Called when a connection is open: everything after this moment arrives.
    var onOpen: @Sendable () -> Void = {}
    /// Called when the connection has ended, or could not be opened, before the feed connects again.
    var onLost: @Sendable () -> Void = {}

    public func makeAsyncIterator() -> Iterator { Iterator(feed: self, position: after) }

    /// Reads a feed. It throws a ``ServiceError`` that a new connection would not solve: the caller may not read the feed, or its
    /// session has ended.
    public struct Iterator: AsyncIteratorProtocol {
        let feed: Feed
        /// The position after the last event.
        var position: String?
        var stream: EventStream?
        var failures = 0
        private var hasEnded = false

        init(feed: Feed, position: String?) { (self.feed, self.position) = (feed, position) }

        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(ServiceError) -> FeedEvent<Value>? {
            while true {
                if hasEnded || Task.isCancelled { return nil }
                guard let stream = try await open() else { continue }
                let event: ServerSentEvent?
                do throws(TransportError) { event = try await stream.next() } catch { event = nil }
                position = stream.lastEventID
                if let event {
                    let event = try feed.event(event)
                    hasEnded = feed.isEnd(event.value)
                    return event
                }
                self.stream = nil
                feed.onLost()
                if !stream.isCut, !Task.isCancelled { await feed.connection.pause(stream.retryMilliseconds ?? 2_000) }
            }
        }

        /// Returns the open stream, or opens it. Returns nil if the service cannot be reached now, after a delay.
        private mutating func open(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(ServiceError) -> EventStream? {
            if let stream { return stream }
            let error: ServiceError
            do {
                stream = try await feed.connection.openEvents(feed.request, after: position)
                failures = 0
                feed.onOpen()
                return stream
            } catch let caught {
                error = caught
            }
            switch error {
            case .cancelled: break
            case .unreachable, .outcomeUnknown, .signIn(.unavailable), .signIn(.outcomeUnknown): failures += 1
            case .problem(let problem) where problem.isTemporary(.question): failures += 1
            default: throw error
            }
            feed.onLost()
            if !Task.isCancelled { await feed.connection.pause(feed.connection.retries.milliseconds(after: failures)) }
            return nil
        }
    }

    /// Reads a CloudEvent.
    private func event(_ event: ServerSentEvent) throws(ServiceError) -> FeedEvent<Value> {
        do {
            let members = try JSONText.decode(Array(event.data.utf8)).readMembers()
            return FeedEvent(
                id: event.id, type: try members.read("type"), time: try members.read("time"),
                value: try read(members["data"] ?? .null))
        } catch {
            throw .unexpectedResponse("the event `\(event.data.prefix(200))` cannot be read (\(error))")
        }
    }
}
