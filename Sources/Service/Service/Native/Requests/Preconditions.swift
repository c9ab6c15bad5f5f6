internal import Events
internal import HTTPServer

/// The state that a request requires, from `If-Match` and `If-None-Match` (RFC 9110).
enum Precondition: Hashable, Sendable {
    /// `If-None-Match: *`: the object does not exist.
    case absent
    /// `If-Match: *`: the object exists.
    case present
    /// `If-Match: "42"`: the object has not changed after this revision.
    case unchanged(since: Revision)
}

extension RequestContext {
    /// Returns the precondition of a request that changes an object.
    ///
    /// - Throws: ``Problem``: `precondition-required` without one, so that clients do not accidentally overwrite changes they have
    ///   not seen; `precondition-failed` for a tag that no object can have here.
    func precondition() throws(Problem) -> Precondition {
        switch (request.header("If-Match"), request.header("If-None-Match")) {
        case (nil, nil):
            throw Problem(
                .preconditionRequired,
                "the precondition is missing: send `If-Match` with the ETag of your copy or `*` for any existing object, "
                    + "or `If-None-Match: *` for a new object")
        case (nil, "*"?): return .absent
        case ("*"?, nil): return .present
        case (let tag?, nil): return .unchanged(since: try EntityTag.revision(tag))
        case (nil, _?): throw Problem(.malformed, "`If-None-Match` of a change must be `*`: send that, or `If-Match`")
        case (_?, _?): throw Problem(.malformed, "`If-Match` and `If-None-Match` exclude each other: send one of them")
        }
    }

    /// The revision in `If-Match` of a transaction; nil without the header.
    var expectedRevision: Revision? {
        get throws(Problem) {
            guard let tag = request.header("If-Match") else { return nil }
            guard tag != "*" else {
                throw Problem(
                    .malformed, "`If-Match` of a transaction must be a revision in quotes: send an ETag that you read, or omit it")
            }
            return try EntityTag.revision(tag)
        }
    }

    /// Returns whether the client already has the current value: `If-None-Match` contains the tag.
    func hasAlready(_ tag: String) -> Bool {
        guard let header = request.header("If-None-Match") else { return false }
        return header.split(separator: ",").contains { candidate in
            let candidate = candidate.trimmingBlanks
            return candidate == "*" || candidate == tag || candidate == "W/" + tag
        }
    }

    /// The response to a client that has the current value.
    static func notModified(_ tag: String, at revision: Revision) -> HTTPResponse {
        HTTPResponse(status: 304, headers: [HTTPHeader("ETag", tag), header(revision), HTTPHeader("Cache-Control", "no-cache")])
    }
}

/// The tag of an object or an access list: the revision of its last change, in quotes.
enum EntityTag {
    static func text(_ revision: Revision) -> String { "\"\(revision)\"" }

    static func revision(_ text: String) throws(Problem) -> Revision {
        guard !text.contains(",") else { throw Problem(.malformed, "`If-Match` has several tags: send one") }
        guard text.count > 2, text.hasPrefix("\""), text.hasSuffix("\""), !text.dropFirst().dropLast().contains("\"") else {
            guard text.hasPrefix("W/\"") else {
                throw Problem(
                    .malformed, "`If-Match` is not an ETag: send the ETag of a response unchanged, such as \"42\" with its quotes")
            }
            throw Problem(.preconditionFailed, "a weak ETag never matches: send the ETag of a response unchanged")
        }
        let digits = text.dropFirst().dropLast()
        guard digits.allSatisfy({ $0.isASCII && $0.isNumber }), let number = UInt64(digits), number < Revision.open.rawValue else {
            throw Problem(.preconditionFailed, "no object has this ETag: read it again")
        }
        return Revision(number)
    }
}

extension Substring {
    /// The text without blanks around it.
    var trimmingBlanks: Substring {
        var text = drop { $0 == " " || $0 == "\t" }
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        return text
    }
}
