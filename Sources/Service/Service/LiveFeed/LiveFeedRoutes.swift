internal import Events
internal import HTTPServer

/// The feeds of a store, under `/v1`. That of notices is where a page of them is, for those who accept events.
enum LiveFeedRoutes {
    static let all: [Route] = [commits]

    /// What a feed of notices is, for the description of the route that it shares.
    static let noticesText = """
        With `Accept: text/event-stream` they come as they happen, as CloudEvents 1.0 in server-sent events, from the head on, or \
        behind `after` or the header `Last-Event-ID`.
        """

    private static let commits = Route(
        "GET", "/v1/stores/{store}/commits", "commits", need: .administering,
        RouteDescription("what is committed, as it happens, for administrators", group: "Live feed")
            .saying("Server-sent events, whose data are CloudEvents 1.0. The feed begins at the head, unless it is said where.")
            .taking(
                .query("after", "from where to go on: the `id` of the last event, a revision, or `now`"),
                .header("Last-Event-ID", "the `id` of the last event, which browsers send by themselves; it goes before `after`")
            )
            .answeringEvents("events, until the client leaves")
            .refusing(.notAcceptable),
        .queued { call in
            guard call.wantsFeed else {
                throw Problem(.notAcceptable, "commits come as a feed: ask with `Accept: text/event-stream`")
            }
            return try CommitStream.open(call)
        })
}

extension RouteDescription {
    fileprivate func answeringEvents(_ text: String) -> RouteDescription {
        var copy = self
        copy.answers.append(AnswerDescription(status: 200, text: text, mediaType: "text/event-stream", schema: Schema.text))
        return copy
    }
}
