/// The reason a text cannot be stored as JSON, or a value cannot be written as JSON.
public struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of fault.
    public enum Kind: Hashable, Sendable {
        /// The text is not valid JSON (RFC 8259).
        case malformed
        /// A name occurs twice in an object: one of the two members would be lost.
        case repeatedName
        /// A number cannot be stored exactly, or JSON cannot represent it.
        case number
        /// Arrays and objects nest more than ``Limits/jsonDepth`` levels deep.
        case tooDeep
        /// The text has more bytes or more values than its limits.
        case tooLong
    }

    public let kind: Kind
    /// The offset of the fault in the text, in bytes from 0; nil if a value, or the text as a whole, is at fault.
    public let offset: Int?
    /// A description of the fault.
    public let problem: String
    /// How the caller can correct it.
    public let remedy: String

    package init(_ kind: Kind, at offset: Int? = nil, _ problem: String, _ remedy: String) {
        self.kind = kind
        self.offset = offset
        self.problem = problem
        self.remedy = remedy
    }

    /// The description of the fault with its offset.
    package var place: String { (offset.map { "at byte \($0) " } ?? "") + problem }

    public var description: String { place + "; " + remedy }
}

extension JSONError {
    /// Returns the error for the second member of a name.
    static func repeated(_ name: String, at offset: Int) -> JSONError {
        JSONError(.repeatedName, at: offset, "the name `\(excerpt(name))` appears twice in one object", "keep one of the two")
    }

    /// Returns the beginning of a text, at most 80 bytes, for quoting.
    static func excerpt(_ text: String) -> String {
        let beginning = text.prefix(utf8Bytes: 80)
        return beginning.utf8.count < text.utf8.count ? beginning + "…" : beginning
    }
}
