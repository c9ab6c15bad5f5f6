/// Returns the access that a subject gained and lost.
enum NoticesRoute {
    static let route = Route(
        "GET", "/v1/stores/{store}/notices", "notices", need: .store,
        RouteDescription("what was shared with somebody and taken away again, oldest first", group: "History")
            .saying("A page has whole revisions. A cursor goes on at the revision of the first page. " + LiveFeedRoutes.noticesText)
            .taking(NoticesPage.parameters)
            .answering("a page, and where the next one begins", NoticesPage.schema, lines: Schema.named("Notice"))
            .refusing(.notYetVisible),
        .queued { call in try call.wantsFeed ? NoticeStream.open(call) : NoticesPage.answer(call) })
}
