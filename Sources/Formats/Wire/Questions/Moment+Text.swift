package import Events
package import Muniment

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
