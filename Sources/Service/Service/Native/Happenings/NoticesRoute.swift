/// Returns the access that a subject gained and lost.
enum NoticesRoute {
    static let route = Route(
        "GET", "/v1/stores/{store}/notices", "notices", need: .store,
        RouteDescription("the objects shared with and unshared from a subscriber, oldest first", group: "History")
            .saying(
                "A page has whole revisions. A cursor continues at the revision of the first page. " + LiveFeedRoutes.noticesText
            )
            .taking(NoticesPage.parameters)
            .answering("a page, and the cursor of the next one", NoticesPage.schema, lines: Schema.named("Notice"))
            .refusing(.notYetVisible),
        .queued { call in try call.wantsFeed ? NoticeStream.open(call) : NoticesPage.answer(call) })
}
