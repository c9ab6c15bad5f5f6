/// Why a text is no JSON that can be kept, or a value cannot be written as JSON.
public struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What kind of fault it is.
    public enum Kind: Hashable, Sendable {
        /// The text is no JSON (RFC 8259).
        case malformed
        /// A name stands twice in an object: one of the two would be lost.
        case repeatedName
        /// A number would become another one, or has no form in JSON.
        case number
        /// Arrays and objects nest more than ``Limits/jsonDepth`` levels deep.
        case tooDeep
        /// The text has more bytes than it may have.
        case tooLong
    }

    public let kind: Kind
    /// Where the fault is in the text, in bytes from 0; nil where a value is at fault, or the text as a whole.
    public let offset: Int?
    /// What is wrong.
    public let problem: String
    /// What to do about it.
    public let remedy: String

    package init(_ kind: Kind, at offset: Int? = nil, _ problem: String, _ remedy: String) {
        self.kind = kind
        self.offset = offset
        self.problem = problem
        self.remedy = remedy
    }

    /// What is wrong, and where.
    package var place: String { (offset.map { "at byte \($0) " } ?? "") + problem }

    public var description: String { place + "; " + remedy }
}

extension JSONError {
    /// The beginning of a text, to be quoted.
    static func excerpt(_ text: String) -> String {
        let beginning = text.prefix(utf8Bytes: 80)
        return beginning.utf8.count < text.utf8.count ? beginning + "…" : beginning
    }
}
