/// All routes of the service. The table dispatches requests, and the API description is generated from it.
enum RouteTable {
    static let routes: [Route] =
        OperationsRoutes.all + DescriptionRoutes.all + NativeRoutes.all + LiveFeedRoutes.all + AuthZENRoutes.all + AccountRoutes.all
}
