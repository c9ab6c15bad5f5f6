internal import Events

/// The position after a page of a history, and the revision of all its pages.
struct PageCursor: Hashable, Sendable, CustomStringConvertible {
    /// The last revision of the history, the same for all pages.
    let through: Revision
    /// The last revision on the previous page.
    let after: Revision

    init(through: Revision, after: Revision) {
        self.through = through
        self.after = after
    }

    var description: String { "\(after)-\(through)" }

    init(_ text: String) throws(Problem) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false).map { UInt64($0) }
        guard parts.count == 2, let after = parts[0], let through = parts[1], after <= through, through < Revision.open.rawValue
        else {
            throw Problem(.malformed, "invalid `cursor`: pass the `next` value of the previous page unchanged")
        }
        self.init(through: Revision(through), after: Revision(after))
    }
}

extension Arguments {
    mutating func optionalPageCursor() throws(Problem) -> PageCursor? {
        guard let text = try optionalText("cursor") else { return nil }
        return try PageCursor(text)
    }
}
