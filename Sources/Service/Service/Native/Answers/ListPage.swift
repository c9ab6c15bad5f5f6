internal import Events
internal import HTTPServer
internal import Hashing
internal import Muniment
internal import Wire

/// The requested part of a sorted list: `limit`, `cursor`, and the moment of the query.
struct ListRequest {
    /// The largest limit.
    static let limit = 10_000
    /// The limit of a request without one.
    static let standardLimit = 1_000

    fileprivate let limit: Int
    fileprivate let token: PageToken?
    /// The moment of the query. With a cursor, the moment of the first page.
    let point: ReadPoint
}

/// A list in pages. All pages belong to the same query at the same moment.
struct PagedList {
    /// The moment of the query. With a cursor, the moment of the first page.
    let point: ReadPoint
    /// The number of items on the previous pages.
    private let offset: Int
    private let limit: Int
    private let digest: [UInt8]

    fileprivate init(_ request: ListRequest, limit: Int, digest: [UInt8]) {
        (point, offset) = (request.point, request.token?.offset ?? 0)
        (self.limit, self.digest) = (limit, digest)
    }

    /// Returns the page of a list.
    ///
    /// - Parameters:
    ///   - all: the whole list, in the same order for each page.
    ///   - snapshot: the source of the list.
    func page<Item: Sendable>(of all: [Item], _ snapshot: Snapshot) -> ListPage<Item> {
        page(of: all, at: snapshot.revision, snapshot.instant, snapshot.members)
    }

    /// Returns the page of a list.
    ///
    /// - Parameters:
    ///   - all: the whole list, in the same order for each page.
    ///   - revision: the revision of the list.
    ///   - instant: the time for judging expiries in the list.
    ///   - when: the members of the response that name the moment.
    func page<Item: Sendable>(of all: [Item], at revision: Revision, _ instant: Instant, _ when: JSONObject) -> ListPage<Item> {
        let items = Array(all.dropFirst(offset).prefix(limit))
        var members = when
        if offset + items.count < all.count {
            let token = PageToken(
                revision: revision, instant: instant, limit: limit, offset: offset + items.count, digest: digest)
            members["cursor"] = .string(token.text)
        }
        return ListPage(items: items, revision: revision, members: members)
    }
}

/// One page of a list.
struct ListPage<Item: Sendable>: Sendable {
    let items: [Item]
    let revision: Revision
    /// The moment of the response, and `cursor` if more items follow.
    let members: JSONObject
}

extension Arguments {
    /// Reads `limit`, `cursor`, `atLeast` and the moment of the query.
    ///
    /// - Parameter moment: the name of the argument with the moment. It is refused together with a cursor, which contains a moment.
    mutating func listRequest(momentIn moment: String = "at") throws(Problem) -> ListRequest {
        let limit = try count("limit", upTo: ListRequest.limit, default: ListRequest.standardLimit)
        let (named, atLeast) = (try optionalMoment(moment), try optionalRevision("atLeast"))
        guard let text = try optionalText("cursor") else {
            return ListRequest(limit: limit, token: nil, point: ReadPoint(moment: named ?? .now, atLeast: atLeast))
        }
        guard named == nil else {
            throw wrong(moment, "cannot be used with `cursor`", "omit it, the cursor contains the revision of the first page")
        }
        guard let token = PageToken(text) else {
            throw wrong("cursor", "is invalid", "pass the `cursor` of the previous page unchanged")
        }
        return ListRequest(
            limit: limit, token: token,
            point: ReadPoint(moment: .revisionAt(token.revision, token.instant), atLeast: atLeast))
    }
}

extension Call {
    /// Returns the list for the requested page. As JSON Lines, the page is the rest of the list.
    ///
    /// - Parameter question: all arguments of the query except its moment.
    /// - Throws: a `Problem` if the cursor is from another query.
    func list(_ request: ListRequest, of question: JSONObject) throws -> PagedList {
        let text = try JSONText.encode(
            .object(["route": .string(route.name), "store": .string(parameter("store")), "question": .object(question)]))
        let digest = Array(Digest(of: text.span).bytes.prefix(8))
        guard request.token.map({ $0.digest == digest }) ?? true else {
            throw Problem(
                .malformed, "`cursor` is from another question: repeat the question of the first page, or begin without a cursor",
                members: ["argument": .string("cursor")])
        }
        return PagedList(request, limit: lineType == nil ? request.limit : .max, digest: digest)
    }

    /// Responds with a page of names, or with a line for each.
    func answer(_ page: ListPage<String>, of asked: Asked, as key: String, lineKey: String) throws(Problem) -> HTTPResponse {
        try answer(page.items, as: key, lineKey: lineKey, at: page.revision) { asked.answer(page.items, as: $0, page.members) }
    }
}

extension JSONObject {
    /// The members of a query in a body that select a page of its list.
    static let listPage: JSONObject = [
        "limit": Schema.count(upTo: ListRequest.limit, default: ListRequest.standardLimit), "cursor": Schema.text,
    ]
    /// The member of a response that tells that more items follow.
    static let listCursor: JSONObject = ["cursor": Schema.text]
}

extension ParameterDescription {
    /// The limit on a page of a list.
    static let listLimit = limit(ListRequest.limit, default: ListRequest.standardLimit)
}
