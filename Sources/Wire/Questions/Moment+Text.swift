package import Events
package import Muniment

/// Moments and revisions as people write them.
extension Moment {
    /// A whole number, with or without an `r` before it, is a revision; anything else is a time, or a day, which means its beginning.
    /// Nil for what is none of these.
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
    /// Nil for what is no whole number below ``open``, with or without an `r` before it, as answers for people write it.
    package init?(text: String) {
        let digits = text.hasPrefix("r") ? text.dropFirst() : text[...]
        let isNumber = !digits.isEmpty && digits.utf8.allSatisfy { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
        guard isNumber, let number = UInt64(digits), number < Revision.open.rawValue else { return nil }
        self.init(number)
    }
}

extension Instant {
    /// A day alone means its beginning. Nil for what is neither a time nor a day.
    package init?(text: String) {
        guard let instant = (try? Instant(text)) ?? (try? Instant(text + "T00:00:00Z")) else { return nil }
        self = instant
    }
}
