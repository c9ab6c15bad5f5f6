internal import Credentials
internal import Events
internal import HTTPServer
internal import Muniment
internal import Permissions
internal import Wire

/// Routes to list stores, to create one, and to read its status.
enum StoreRoutes {
    static let all = [list, create, statistics, verify]

    static let list = Route(
        "GET", "/v1/stores", "listStores", need: .store,
        RouteDescription("the stores that the caller's token can access", group: "Stores")
            .withNote("For a token that acts as a principal in all stores, the list has the stores where the principal is known.")
            .withResponse("the names, sorted", Schema.object(["stores": Schema.list(Schema.text)]), headers: []),
        .queued { call in
            try Arguments(address: try call.query).finish()
            let names = try call.service.data.names().filter { try call.mayKnow(of: $0) }
            return call.answer(["stores": .texts(names.map(\.text))])
        })

    static let create = Route(
        "POST", "/v1/stores", "createStore", need: .administeringAll, bodyLimitBytes: 4_096,
        RouteDescription("creates a store", group: "Stores")
            .withResponse(
                "the store was created",
                Schema.object([
                    "store": Schema.text, "preset": Schema.named("Preset"), "administrator": Schema.name,
                    "revision": Schema.revision,
                ]), status: 201, headers: ["Muniment-Revision", "Location"]
            )
            .withProblems(.conflict),
        .queued(
            newName, .choice("preset", [("open", Preset.open), ("locked", .locked)], default: .locked),
            .optionalName("administrator")
        ) { call, name, preset, administrator in
            let administrator = administrator ?? "user:root"
            do { _ = try call.service.data.create(name, preset: preset, administrator: administrator) } catch StoreError
                .alreadyExists
            {
                throw Problem(.conflict, "the store `\(name)` exists already: choose another name")
            }
            return call.answer(
                [
                    "store": .string(name.text), "preset": .string(preset.name), "administrator": .name(administrator),
                    "revision": .revision(.genesis),
                ], at: .genesis, status: 201, headers: [HTTPHeader("Location", "/v1/stores/\(name)")])
        })

    private static let newName = Argument<StoreName>(
        "store", "", .object(["type": .string("string"), "pattern": .string("^[a-z0-9][a-z0-9_-]{0,62}$")]), isRequired: true
    ) { arguments in
        guard let name = StoreName(try arguments.text("store")) else {
            throw arguments.wrong(
                "store", "is not a store name",
                "write up to 63 lowercase letters, digits, `-` and `_`, with a letter or digit first")
        }
        return name
    }

    static let statistics = Route(
        "GET", "/v1/stores/{store}", "statistics", need: .store,
        RouteDescription("the contents and the size of a store", group: "Stores")
            .withResponse("the numbers", Schema.named("Statistics")),
        .queued(.atLeast) { call, atLeast in
            try call.requirePermissionToQueryAllSubjects()
            try call.requireVisible(atLeast)
            let statistics = try call.store.statistics()
            var members = statistics.json.with(["store": .string(call.parameter("store"))])
            for (kind, member) in [(LastRun.Kind.backup, "lastBackup"), (.verification, "lastVerification")] {
                if let time = call.lastRun(kind) { members[member] = .time(time) }
            }
            return call.answer(members, at: statistics.head.revision)
        })

    static let verify = Route(
        "GET", "/v1/stores/{store}/verify", "verify", need: .store,
        RouteDescription("checks the log: its hash chain, every event, every refusal", group: "Stores")
            .withNote("With JSON Lines the response shows the progress, and ends with the report.")
            .withResponse(
                "the report", Schema.named("Verification"),
                lines: Schema.anyOf(Schema.named("VerificationProgress"), Schema.named("Verification"))
            ),
        .queued(.atLeast) { call, atLeast in
            try call.requirePermissionToQueryAllSubjects()
            try call.requireVisible(atLeast)
            let store = try call.store
            guard let lineType = call.lineType else {
                let report = try store.verifyLog { _ in }
                call.recordVerification(report)
                return call.answer(report.json, at: report.head?.revision ?? .genesis)
            }
            return try call.lines(lineType, at: try store.head.revision) { writer in
                let stream = writer.stream
                let report = try store.verifyLog { progress in
                    let line: JSONObject = [
                        "stage": .string(progress.stage), "done": .count(progress.done), "total": .count(progress.total),
                    ]
                    // A client that has not read the last report gets the next one; if the client has disconnected, the work stops.
                    if !stream.offer(try JSONText.encode(.object(line)) + [UInt8(ascii: "\n")]), stream.isClosed {
                        throw HTTPStreamClosedError()
                    }
                }
                call.recordVerification(report)
                try writer.write(report.json)
            }
        })
}

extension RequestContext {
    fileprivate func lastRun(_ kind: LastRun.Kind) -> Instant? {
        StoreName(parameter("store")).flatMap { LastRun(dataDirectory: service.data.path).time(kind, of: $0) }
    }

    /// Records the time of a successful verification. Without that, only the time is missing.
    fileprivate func recordVerification(_ report: VerificationReport) {
        guard report.isSound, let head = report.head, let store = StoreName(parameter("store")) else { return }
        try? LastRun(dataDirectory: service.data.path).record(.verification, of: store, "r\(head.revision) \(head.hash)")
    }
}
