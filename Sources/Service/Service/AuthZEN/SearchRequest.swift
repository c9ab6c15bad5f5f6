internal import Events
internal import Hashing
internal import Muniment

/// The type of entities that a search returns.
enum SearchedKind: String {
    case subject, resource, action
}

/// The contents of a search request.
struct SearchRequest {
    let kind: SearchedKind
    let parts: RequestParts
    let page: PagePart
    /// The bytes of the request.
    private let body: [UInt8]

    /// - Throws: ``AuthZENError`` for an invalid request. Types and ids that no store can contain are valid.
    init(_ body: [UInt8], _ kind: SearchedKind, _ authZEN: AuthZEN) throws(AuthZENError) {
        (self.kind, self.body) = (kind, body)
        var (parts, page) = (RequestParts(), PagePart())
        try authZEN.read(body) { reader, name throws(JSONError) in
            if name == .page {
                if try !reader.takeNull() { page = try PagePart(&reader) }
            } else if try !parts.take(name, &reader, subjectTypes: authZEN.subjectTypes) {
                try reader.skip()
            }
        }
        (self.parts, self.page) = (parts, page)
        if let fault = parts.fault(ofSearchFor: kind) ?? page.fault ?? missing { throw fault }
    }

    /// The missing required part. The id of the searched entity is ignored.
    private var missing: AuthZENError? {
        guard let subject = parts.subject else { return .missingPart("subject") }
        guard let resource = parts.resource else { return .missingPart("resource") }
        if kind != .action {
            guard let action = parts.action else { return .missingPart("action") }
            if action.name.isEmpty { return .missing("action.name") }
        }
        if subject.type.isEmpty { return .missing("subject.type") }
        if subject.id.isEmpty, kind != .subject { return .missing("subject.id") }
        if resource.type.isEmpty { return .missing("resource.type") }
        if resource.id.isEmpty, kind != .resource { return .missing("resource.id") }
        return nil
    }

    /// Returns a digest of the request: the first bytes of SHA-256 of its kind and all its members in the order of their names,
    /// except for the token and the limit of its page.
    func digest() throws(AuthZENError) -> [UInt8] {
        do {
            guard case .object(var members) = try JSONText.decode(body) else { return [] }
            if case .object(var page)? = members["page"] {
                (page["token"], page["limit"]) = (nil, nil)
                members["page"] = page.isEmpty ? nil : .object(page)
            }
            let text = Array(kind.rawValue.utf8) + (try JSONText.encode(.object(members)))
            return Array(Digest(of: text.span).bytes.prefix(8))
        } catch { throw AuthZENError(error) }
    }
}

/// The requested page of a search.
struct PagePart {
    private(set) var token: String?
    /// The largest number of results on the page.
    private(set) var limit: Int?
    private(set) var fault: AuthZENError?

    init() {}

    init(_ reader: inout JSONReader) throws(JSONError) {
        guard try reader.next() == .object else {
            fault = .wrongType("page", "an object")
            try reader.skip()
            return
        }
        var (token, limit) = (JSONValue.null, JSONValue.null)
        var fault: AuthZENError?
        try reader.takeMembers { reader, name throws(JSONError) in
            switch name {
            case .token: token = try reader.takeValue()
            case .limit: limit = try reader.takeValue()
            case .properties: try reader.skipObject("page.properties", &fault)
            default: try reader.skip()
            }
        }
        self.fault = fault
        readToken(token)
        readLimit(limit)
    }

    private mutating func readToken(_ value: JSONValue) {
        switch value {
        case .null: break
        // An empty token, as in the last page, starts again at the first page.
        case .string(let text): token = text.isEmpty ? nil : text
        default: fault = fault ?? .wrongType("page.token", "a string: the `next_token` of the previous page")
        }
    }

    private mutating func readLimit(_ value: JSONValue) {
        switch value {
        case .null: break
        case .integer(let number) where number >= 1: limit = Int(number)
        default: fault = fault ?? .wrongType("page.limit", "a whole number of at least 1")
        }
    }
}
