/// Whether a view shows the present.
public enum LiveState: Hashable, Sendable {
    /// Nothing was read yet.
    case loading
    case current
    /// The service cannot be asked now: the model has the last state that it read.
    case stale(ServiceError)
    /// The service refused to answer: the model is empty. The object may not exist, or the user may not read it.
    case refused(ServiceError)

    /// Whether an error leaves the last state in place: it says nothing about what the user may read.
    init(_ error: ServiceError) {
        switch error {
        case .problem(let problem) where problem.isTemporary(.question): self = .stale(error)
        case .problem, .signIn(.notSignedIn), .signIn(.sessionEnded): self = .refused(error)
        case .signIn, .unreachable, .outcomeUnknown, .unexpectedResponse, .cancelled: self = .stale(error)
        }
    }
}

extension StoreClient {
    /// Refreshes a model until the task is cancelled: at the start, when the feed of notices is open, at each notice that concerns it, and
    /// every few seconds, because notices tell only of changes of access.
    @MainActor func keepCurrent(
        everySeconds seconds: Int, concerns: @escaping @Sendable (AccessNotice) -> Bool, refresh: () async -> Void
    ) async {
        let (triggers, trigger) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        trigger.yield()
        let pause = connection.pause
        let timer = Task {
            while !Task.isCancelled {
                await pause(Int64(max(seconds, 1)) * 1_000)
                trigger.yield()
            }
        }
        var feed = noticeFeed(for: actor)
        feed.onOpen = { trigger.yield() }
        let notices = Task { [feed] in
            // A caller without notices has the timer.
            for try await event in feed where concerns(event.value) { trigger.yield() }
        }
        await withTaskCancellationHandler {
            for await _ in triggers { await refresh() }
        } onCancel: {
            trigger.finish()
        }
        timer.cancel()
        notices.cancel()
    }
}
