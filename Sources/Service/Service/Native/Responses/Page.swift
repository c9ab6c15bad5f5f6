internal import Events
internal import HTTPServer
internal import Hashing
internal import Muniment
internal import Wire

/// The sizes of a page: the largest, and the size without a `limit`.
struct PageSize: Sendable {
    let limit: Int
    let standard: Int

    /// Lists of names and of entries.
    static let names = PageSize(limit: 10_000, standard: 1_000)
    /// The results of a query.
    static let objects = PageSize(limit: 10_000, standard: 100)
    /// Lists of records.
    static let records = PageSize(limit: 1_000, standard: 100)
}

/// The requested page of a list: `limit`, `cursor`, and the moment of the query. The response has `next`, the cursor of the next page,
/// unless it is the last page.
struct PageRequest: Sendable {
    let limit: Int
    /// The `next` of the previous page; nil for the first page.
    let cursor: String?
    /// The position in the cursor; nil for a cursor of another service, caller or route.
    let sealed: String?
    /// The requested moment. With a cursor, the cursor contains the moment of the first page instead.
    let point: ReadConsistency

    /// Returns the position in the cursor; nil for the first page.
    ///
    /// - Parameter read: returns the position of a cursor of this list; nil for other text, or throws.
    func position<Position>(_ read: (String) throws -> Position?) throws(Problem) -> Position? {
        guard cursor != nil else { return nil }
        guard let sealed, let position = try? read(sealed) else {
            throw Problem(
                .malformed, "invalid `cursor`: pass the `next` value of the previous page unchanged, as the same caller",
                members: ["argument": .string("cursor")])
        }
        return position
    }
}

extension Argument<PageRequest> {
    /// `limit` and `cursor`, after the moment of the list and `atLeast`.
    ///
    /// - Parameters:
    ///   - size: the sizes of a page.
    ///   - moment: the argument with the moment, which excludes a cursor; nil for a list without one, and without `atLeast`.
    ///   - cursor: the schema of the cursor.
    static func page(_ size: PageSize, at moment: Argument<Moment?>? = .at(), cursor: JSONValue = Schema.nonEmptyText) -> Argument {
        let limit = Argument<Int>.count("limit", "the largest number of results", upTo: size.limit, default: size.standard)
        let parameters = limit.parameters + [.query("cursor", "the `next` of the previous page", cursor)]
        let point = moment.map { ArgumentList($0, .atLeast) }
        return Argument(parameters: (point?.parameters ?? []) + parameters) { arguments, call in
            let (limit, cursor) = (try limit.read(&arguments, call), try arguments.optionalText("cursor"))
            let (named, atLeast) = try point?.values(&arguments, call) ?? (nil, nil)
            if let name = point?.parameters[0].name, named != nil, cursor != nil {
                throw arguments.wrong(
                    name, "cannot be used with `cursor`", "omit it, the cursor contains the revision of the first page")
            }
            return PageRequest(
                limit: limit, cursor: cursor, sealed: cursor.flatMap(call.cursorSeal.position),
                point: ReadConsistency(moment: named ?? .now, atLeast: atLeast))
        }
    }
}

extension JSONObject {
    /// The member of a response that is present if more items follow.
    static let next: JSONObject = ["next": Schema.text]
}

// MARK: Lists at a moment

/// A list in pages. All pages belong to the same query at the same moment.
struct PagedList {
    /// The moment of the query. With a cursor, the moment of the first page.
    let point: ReadConsistency
    /// The number of items on the previous pages.
    fileprivate let offset: Int
    fileprivate let limit: Int
    fileprivate let digest: [UInt8]
    fileprivate let seal: CursorSeal

    /// The number of items from the start of the list that the page needs. Further items need not be found.
    var sufficientCount: Int {
        let (end, isTooLarge) = offset.addingReportingOverflow(limit)
        return isTooLarge || end == .max ? .max : end + 1
    }

    /// Returns the page of a list.
    ///
    /// - Parameters:
    ///   - all: the whole list, or at least ``sufficientCount`` items, in the same order for each page.
    ///   - snapshot: the source of the list.
    func page<Item: Sendable>(of all: [Item], _ snapshot: Snapshot) -> ListPage<Item> {
        page(of: all, at: snapshot.revision, snapshot.instant, snapshot.members)
    }

    /// Returns the page of a list.
    ///
    /// - Parameters:
    ///   - all: the whole list, in the same order for each page.
    ///   - revision: the revision of the list.
    ///   - instant: the time that decides which access in the list has expired.
    ///   - when: the members of the response that name the moment.
    func page<Item: Sendable>(of all: [Item], at revision: Revision, _ instant: Instant, _ when: JSONObject) -> ListPage<Item> {
        let items = Array(all.dropFirst(offset).prefix(limit))
        let end = offset + items.count
        let next = PageToken(revision: revision, instant: instant, limit: limit, offset: end, digest: digest)
        let cursor: JSONObject = end < all.count ? ["next": .string(seal.cursor(next.text))] : [:]
        return ListPage(items: items, revision: revision, members: when.with(cursor))
    }
}

/// One page of a list.
struct ListPage<Item: Sendable>: Sendable {
    let items: [Item]
    let revision: Revision
    /// The moment of the response, and `next` if more items follow.
    let members: JSONObject
}

extension RequestContext {
    /// Returns the list to page through. JSON Lines have no page limit: they contain all items after the cursor.
    ///
    /// - Parameter question: all arguments of the query except its moment.
    /// - Throws: a `Problem` if the cursor is from another query.
    func list(_ request: PageRequest, of question: JSONObject) throws -> PagedList {
        let text = try JSONText.encode(
            .object(["route": .string(route.name), "store": .string(parameter("store")), "question": .object(question)]))
        let digest = Array(Digest(of: text.span).bytes.prefix(8))
        let limit = lineType == nil ? request.limit : .max
        guard let token = try request.position({ PageToken($0) }) else {
            return PagedList(point: request.point, offset: 0, limit: limit, digest: digest, seal: cursorSeal)
        }
        guard token.digest == digest else {
            throw Problem(
                .malformed, "`cursor` is from another query: repeat the query of the first page unchanged, or omit `cursor`",
                members: ["argument": .string("cursor")])
        }
        let point = ReadConsistency(moment: .revisionAt(token.revision, token.instant), atLeast: request.point.atLeast)
        return PagedList(point: point, offset: token.offset, limit: limit, digest: digest, seal: cursorSeal)
    }

    /// Responds with a page of a list of names: in one object, or with a line for each name if the client accepts JSON Lines.
    ///
    /// - Parameters:
    ///   - request: the page.
    ///   - question: all arguments of the query except its moment, which the object repeats.
    ///   - key: the name of the list in the object.
    ///   - lineKey: the name of an item in its line.
    ///   - names: returns the list.
    func answer(
        _ request: PageRequest, to question: JSONObject, as key: String, lineKey: String,
        _ names: (Snapshot) throws -> [String]
    ) throws -> HTTPResponse {
        try answer(request, to: question, as: key, lineKey: lineKey) { (try names($0), [:]) }
    }

    /// Does the same with more members, which the object of each page has.
    func answer(
        _ request: PageRequest, to question: JSONObject, as key: String, lineKey: String,
        _ found: (Snapshot) throws -> (names: [String], members: JSONObject)
    ) throws -> HTTPResponse {
        let list = try list(request, of: question)
        let (page, members) = try read(at: list.point) { snapshot in
            let (names, members) = try found(snapshot)
            return (list.page(of: names, snapshot), members)
        }
        return try answer(page, to: question.with(members), as: key, lineKey: lineKey) { .string($0) }
    }

    /// Responds with a page: in one object, or with a line for each item if the client accepts JSON Lines.
    ///
    /// - Parameters:
    ///   - page: the page.
    ///   - question: the arguments of the query, which the object repeats.
    ///   - key: the name of the list in the object.
    ///   - lineKey: the name of an item in its line; nil if the item is the line.
    ///   - json: converts an item.
    func answer<Item>(
        _ page: ListPage<Item>, to question: JSONObject, as key: String, lineKey: String? = nil,
        headers: [HTTPHeader] = [], _ json: @escaping @Sendable (Item) -> JSONValue
    ) throws(Problem) -> HTTPResponse {
        guard let lineType else {
            return answer(
                question.with([key: .array(page.items.map(json))]).with(page.members), at: page.revision, headers: headers)
        }
        return try lines(lineType, at: page.revision) { writer in
            for item in page.items { try writer.write(lineKey.map { .object([$0: json(item)]) } ?? json(item)) }
        }
    }
}

// MARK: Histories

/// The position after a page of a history, and the revision of all its pages.
struct HistoryCursor: Hashable, Sendable, CustomStringConvertible {
    /// The last revision of the history, the same for all pages.
    let through: Revision
    /// The last revision on the previous page.
    let after: Revision

    var description: String { "\(after)-\(through)" }
}

extension HistoryCursor {
    /// Returns nil for text that is not a ``description``.
    init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false).map { UInt64($0) }
        guard parts.count == 2, let after = parts[0], let through = parts[1], after <= through, through < Revision.open.rawValue
        else { return nil }
        self.init(through: Revision(through), after: Revision(after))
    }
}

extension RequestContext {
    /// Returns the position in the cursor of a history, and the last revision of all its pages.
    func history(_ request: PageRequest) throws -> (after: Revision?, through: Revision) {
        let cursor = try request.position { HistoryCursor($0) }
        let point = cursor.map { ReadConsistency(moment: .revision($0.through), atLeast: request.point.atLeast) } ?? request.point
        return (cursor?.after, try read(at: point) { $0.revision })
    }
}
