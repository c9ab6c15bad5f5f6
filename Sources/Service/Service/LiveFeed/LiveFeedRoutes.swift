internal import Events
internal import HTTPServer

/// The feeds of a store, under `/v1`. The feed of notices has the path of the pages of notices; the `Accept` header selects the feed.
enum LiveFeedRoutes {
    static let all: [Route] = [commits]

    /// Description of the feed of notices, for the route that it shares.
    static let noticesText = """
        With `Accept: text/event-stream` the response is a live feed: CloudEvents 1.0 in server-sent events, from the head, or \
        after `after` or the header `Last-Event-ID`.
        """

    private static let commits = Route(
        "GET", "/v1/stores/{store}/commits", "commits", need: .administering,
        RouteDescription("a live feed of commits, for administrators", group: "Live feed")
            .saying(
                "Server-sent events with CloudEvents 1.0 as data. The feed starts at the head, or after `after` or `Last-Event-ID`."
            )
            .taking(
                .query("after", "the start of the feed: the `id` of the last event, a revision, or `now`"),
                .header("Last-Event-ID", "the `id` of the last event, which browsers send automatically; it overrides `after`")
            )
            .answeringEvents("events, until the client disconnects")
            .refusing(.notAcceptable),
        .queued { call in
            guard call.wantsFeed else {
                throw Problem(.notAcceptable, "commits are available only as a feed: send `Accept: text/event-stream`")
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
