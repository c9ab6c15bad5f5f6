/// Whether a view shows the present.
public enum LiveState: Hashable, Sendable {
    /// Nothing was read yet.
    case loading
    case current
    /// The service cannot be asked now: the model has the last state that it read.
    case stale(ServiceError)
    /// The service refused to answer: the model is empty. The object may not exist, or the user may not read it.
    case refused(ServiceError)

    /// Whether an error leaves the last state in place: it does not show a loss of access.
    init(_ error: ServiceError) {
        switch error {
        case .problem(let problem) where problem.isTemporary(.question): self = .stale(error)
        case .problem, .signIn(.notSignedIn), .signIn(.sessionEnded): self = .refused(error)
        case .signIn, .unreachable, .outcomeUnknown, .unexpectedResponse, .cancelled: self = .stale(error)
        }
    }
}

extension StoreClient {
    /// Refreshes a model until the task is cancelled: at the start, when a feed is open, and at each change and each notice that concerns
    /// it.
    ///
    /// The feed of changes is opened again after a notice, and every few seconds while the user may not read it. An earlier service
    /// without this feed is asked every few seconds.
    ///
    /// - Parameters:
    ///   - seconds: the seconds between two attempts to open the feed of changes.
    ///   - changes: the feed of changes; nil for a model that has only notices and is refreshed every few seconds.
    ///   - concerns: returns whether a notice concerns the model.
    ///   - refresh: refreshes the model.
    @MainActor func keepCurrent<Change>(
        everySeconds seconds: Int, following changes: Feed<Change>?, concerns: @escaping @Sendable (AccessNotice) -> Bool,
        refresh: () async -> Void
    ) async {
        let (triggers, trigger) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let (attempts, attempt) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        attempt.yield()
        let pause = connection.pause
        let timer = Task {
            while !Task.isCancelled {
                await pause(Int64(max(seconds, 1)) * 1_000)
                attempt.yield()
            }
        }
        var changes = changes
        changes?.onOpen = { trigger.yield() }
        // The refresh finds out whether the service is reached.
        changes?.onLost = { trigger.yield() }
        let following = Task { [changes] in
            for await _ in attempts {
                trigger.yield()
                guard let changes else { continue }
                do {
                    for try await _ in changes { trigger.yield() }
                } catch {
                    // The refresh finds the reason: the user may not read the object, or the service does not have this feed.
                }
                trigger.yield()
            }
        }
        var feed = noticeFeed(for: actor)
        feed.onOpen = { trigger.yield() }
        let notices = Task { [feed] in
            // A caller without notices has the other feed and the timer.
            for try await event in feed where concerns(event.value) {
                trigger.yield()
                attempt.yield()
            }
        }
        await withTaskCancellationHandler {
            for await _ in triggers { await refresh() }
        } onCancel: {
            trigger.finish()
        }
        timer.cancel()
        following.cancel()
        notices.cancel()
    }
}
