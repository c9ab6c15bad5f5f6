/// The API of Muniment's own, under `/v1`.
enum NativeRoutes {
    static let all: [Route] = [CheckRoute.route, TransactionRoute.route]
}
