/// The native API of Muniment, under `/v1`.
enum NativeRoutes {
    static let all: [Route] =
        StoreRoutes.all
        + [CheckRoute.route, PrivilegesRoute.route, WhoRoute.route, WhatRoute.route, ExplainRoute.route, QueryRoute.route]
        + ObjectRoutes.all + [EntriesRoute.route, MembersRoute.route, AdministratorsRoute.route]
        + [TransactionRoute.route, LockRoute.route, WhatIfRoute.route] + [
            HistoryRoute.route, NoticesRoute.route, DiffRoute.route, ExportRoute.route, AuditRoute.route,
        ]
        + AuditQuestionRoutes.all
}
