package import Events
package import Muniment
package import Permissions

/// Times and revisions in text form.
extension Moment {
    /// Parses a whole number, with or without an `r` before it, as a revision, and any other text as a time or a day, which means
    /// its start. Returns nil for invalid text.
    package init?(text: String) {
        if let revision = Revision(text: text) {
            self = .revision(revision)
        } else if let instant = Instant(text: text) {
            self = .time(instant)
        } else {
            return nil
        }
    }
}

extension Revision {
    /// Parses a whole number below ``open``, with or without an `r` before it, as in text output. Returns nil for any other text.
    package init?(text: String) {
        let digits = text.hasPrefix("r") ? text.dropFirst() : text[...]
        let isNumber = !digits.isEmpty && digits.utf8.allSatisfy { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
        guard isNumber, let number = UInt64(digits), number < Revision.open.rawValue else { return nil }
        self.init(number)
    }
}

extension Instant {
    /// Parses a time, or a day, which means its start. Returns nil for any other text.
    package init?(text: String) {
        guard let instant = (try? Instant(text)) ?? (try? Instant(text + "T00:00:00Z")) else { return nil }
        self = instant
    }
}

extension Condition {
    /// Parses a condition in the syntax of callers: `{"title":"Plan"}`, `{"pages":{"<":10}}`.
    ///
    /// An unknown word with a dollar is an error. It is not read as the name of a missing property.
    ///
    /// - Throws: `Refusal` (`malformed`).
    package init(filter json: JSONValue) throws(Refusal) {
        try Condition.checkWords(json)
        do { self = try Condition(json: json) } catch {
            throw Refusal(
                .malformed, #"the filter is invalid (\#(error.message)); write one such as {"title":"Plan"} or {"pages":{"<":10}}"#)
        }
    }

    private static func checkWords(_ json: JSONValue) throws(Refusal) {
        guard case .object(let members) = json else { return }
        for (name, value) in members where name.hasPrefix("$") {
            guard ["$any", "$all"].contains(name), case .array(let parts) = value else {
                throw Refusal(.malformed, "`\(name)` is not a filter operator; write `$any` or `$all` with a list of filters")
            }
            for part in parts { try checkWords(part) }
        }
    }
}
