/// Everything that the service answers. Requests are dispatched by it, and the description of the API is written from it.
enum RouteTable {
    static let routes: [Route] =
        OperationsRoutes.all + DescriptionRoutes.all + NativeRoutes.all + LiveFeedRoutes.all + AuthZENRoutes.all + AccountRoutes.all
}
