public import Primitives

/// A list of the service. A loop over it requests page after page, all about the same moment.
///
/// ```swift
/// for try await object in store.objects(of: ann, with: "read", class: "doc") { print(object) }
/// ```
public struct Listing<Element: Hashable & Sendable>: AsyncSequence, Sendable {
    public typealias Failure = ServiceError

    /// The pages of the list, each with its revision.
    public let pages: ListingPages<Element>

    /// Returns all elements of the list, in memory.
    public func collected() async throws(ServiceError) -> [Element] {
        var elements: [Element] = []
        for try await page in pages { elements += page.items }
        return elements
    }

    public func makeAsyncIterator() -> Iterator { Iterator(pages: pages.makeAsyncIterator()) }

    /// Reads a list.
    public struct Iterator: AsyncIteratorProtocol {
        var pages: ListingPages<Element>.Iterator
        var items: ArraySlice<Element> = []

        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async throws(ServiceError) -> Element? {
            while items.isEmpty {
                guard let page = try await pages.next(isolation: actor) else { return nil }
                items = page.items[...]
            }
            return items.removeFirst()
        }
    }
}

/// A page of a list.
public struct ListingPage<Element: Hashable & Sendable>: Hashable, Sendable {
    public let items: [Element]
    /// The revision that all pages are about; nil for lists about a span.
    public let revision: Revision?
    /// Why a query finds nothing, if its caller lacks access; nil for other lists.
    public let note: ListNote?
}

/// Why a caller finds no object of a class, and the grant that would help.
public struct ListNote: Hashable, Sendable, WireObject {
    /// `storeLevel` or `classLevel` if this level gives the caller no `read`; `noQuery` if it may only read the objects; `noAccess` if it
    /// may read none; or a reason of a later version of the service.
    public let reason: String
    public let message: String

    init(members: JSONObject) throws { (reason, message) = (try members.read("reason"), try members.read("message")) }
}

/// The pages of a list.
public struct ListingPages<Element: Hashable & Sendable>: AsyncSequence, Sendable {
    public typealias Failure = ServiceError

    let connection: ServiceConnection
    let call: Call
    /// The member of a page with its items; empty for the page itself.
    let member: String
    /// The arguments that only the first request has, because a cursor contains their moment.
    let firstOnly: Set<String>
    let read: @Sendable (JSONValue) throws -> [Element]

    public func makeAsyncIterator() -> Iterator { Iterator(list: self) }

    /// Reads pages.
    public struct Iterator: AsyncIteratorProtocol {
        let list: ListingPages
        var cursor: String?
        var isEnded = false

        init(list: ListingPages) { self.list = list }

        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(ServiceError) -> ListingPage<Element>? {
            guard !isEnded else { return nil }
            var call = list.call
            if let cursor {
                for name in list.firstOnly { call.arguments[name] = nil }
                call.arguments["cursor"] = .string(cursor)
            }
            let members: JSONObject = try await list.connection.perform(call)
            do {
                cursor = try members.read("next")
                isEnded = cursor == nil
                let items = list.member.isEmpty ? .object(members) : members[list.member] ?? .null
                return ListingPage(
                    items: try list.read(items), revision: try members.read("revision"), note: try members.read("note"))
            } catch {
                throw .unexpectedResponse("the response to \(call.path) cannot be read (\(error))")
            }
        }
    }
}

extension StoreClient {
    func list<Element: WireValue>(_ call: Call, _ member: String, firstOnly: Set<String> = ["at"]) -> Listing<Element> {
        Listing(
            pages: ListingPages(connection: connection, call: call, member: member, firstOnly: firstOnly) {
                try [Element](wire: $0)
            })
    }
}
