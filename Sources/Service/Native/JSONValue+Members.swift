internal import Events
internal import Muniment

/// Members of a body.
extension JSONValue {
    /// A member that must be there, and be a text.
    func text(_ name: String) throws(Problem) -> String {
        guard case .object(let members) = self else { throw Problem(.malformed, "the body is no JSON object: send one") }
        switch members[name] {
        case .string(let text): return text
        case nil: throw Problem(.malformed, "`\(name)` is missing: add it")
        default: throw Problem(.malformed, "`\(name)` is no text: write one")
        }
    }

    /// A member that may be there, and then is a text.
    func optionalText(_ name: String) throws(Problem) -> String? {
        guard self[name] != nil else { return nil }
        return try text(name)
    }
}

extension Moment {
    /// A revision, a time, or now where there is none.
    init(_ value: JSONValue?) throws(Problem) {
        switch value {
        case nil: self = .now
        case .integer(let number) where number >= 0: self = .revision(Revision(UInt64(number)))
        case .string(let text): try self.init(text)
        default: throw Problem(.malformed, "`at` is no moment: write a revision number or a time like 2026-01-01T10:00:00Z")
        }
    }

    init(_ text: String) throws(Problem) {
        if let number = UInt64(text) {
            self = .revision(Revision(number))
        } else if let instant = try? Instant(text) {
            self = .time(instant)
        } else {
            throw Problem(.malformed, "`\(text)` is no moment: write a revision number or a time like 2026-01-01T10:00:00Z")
        }
    }
}
