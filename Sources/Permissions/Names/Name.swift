internal import Events

/// The name of a principal or an object: `user:ann`, `role:editors`, `everyone`, `doc:1`, `class:doc`, `store`.
///
/// A name is a text until a store looks it up, so making one never fails; ``problem`` says what is wrong with its form.
public struct Name: Hashable, Sendable, Comparable, CustomStringConvertible {
    public let text: String

    public init(_ text: String) { self.text = text }

    public static let store = Name("store")
    public static let everyone = Name("everyone")
    public static let anonymous = Name("anonymous")
    /// The role of this name, with or without its `role:`.
    public static func role(_ name: String) -> Name { name.utf8.starts(with: "role:".utf8) ? Name(name) : Name("role:" + name) }
    /// The object that stands for a class, whose entries are the class level.
    public static func `class`(_ name: String) -> Name { Name("class:" + name) }
    /// The object that stands for a permission, with or without its `permission:`.
    public static func permission(_ name: String) -> Name {
        name.utf8.starts(with: "permission:".utf8) ? Name(name) : Name("permission:" + name)
    }

    public var description: String { text }

    /// Names are equal byte for byte: an `é` in one piece and one in two are different names, as they are in the log.
    public static func == (left: Name, right: Name) -> Bool { ExactText(left.text) == ExactText(right.text) }

    public func hash(into hasher: inout Hasher) { ExactText(text).hash(into: &hasher) }

    /// The order of the UTF-8 bytes.
    public static func < (left: Name, right: Name) -> Bool { left.text.utf8.lexicographicallyPrecedes(right.text.utf8) }

    /// What stands before the first colon; the whole of a name without one.
    public var className: String {
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return text }
        return String(text[..<colon])
    }

    /// What stands behind the first colon; nil for a name without one.
    public var id: String? {
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        return String(text[text.utf8.index(after: colon)...])
    }
}

extension Name: ExpressibleByStringLiteral {
    public init(stringLiteral value: String) { self.init(value) }
}

/// What a name stands for, as far as its text says.
public enum NameKind: Hashable, Sendable {
    case store
    case everyone
    case anonymous
    /// A user or a thing: whoever can be authenticated.
    case caller
    case role
    case permission
    case `class`
    /// An object of a class that is not built in.
    case object
}

extension Name {
    /// What one look at the bytes tells.
    private struct Shape {
        /// The bytes before the first colon; nil without one.
        var classBytes: Int?
        var byteCount = 0
        var hasControlCharacter = false
    }

    private var shape: Shape {
        var shape = Shape()
        var previous: UInt8 = 0
        let bytes = text.utf8Span.span
        for index in bytes.indices {
            let byte = bytes[index]
            if byte == UInt8(ascii: ":"), shape.classBytes == nil { shape.classBytes = index }
            // U+0000–U+001F and U+007F are one byte, U+0080–U+009F are C2 and another.
            if byte < 0x20 || byte == 0x7F || (previous == 0xC2 && byte < 0xA0) { shape.hasControlCharacter = true }
            previous = byte
        }
        shape.byteCount = bytes.count
        return shape
    }

    /// What this name stands for; nil where it has no class and is none of `store`, `everyone` and `anonymous`.
    public var kind: NameKind? { kind(shape) }

    private func kind(_ shape: Shape) -> NameKind? {
        guard let classBytes = shape.classBytes else {
            return switch text {
            case "store": .store
            case "everyone": .everyone
            case "anonymous": .anonymous
            default: nil
            }
        }
        switch classBytes {
        case 4:
            if begins(with: "user:") { return .caller }
            if begins(with: "role:") { return .role }
        case 5:
            if begins(with: "thing:") { return .caller }
            if begins(with: "class:") { return .class }
            if begins(with: "store:") { return nil }
        case 10:
            if begins(with: "permission:") { return .permission }
        default: break
        }
        return .object
    }

    /// Whether the bytes of a text come first. `hasPrefix` would not see a colon with a combining mark behind it.
    private func begins(with prefix: String) -> Bool {
        let (bytes, first) = (text.utf8Span.span, prefix.utf8Span.span)
        guard bytes.count >= first.count else { return false }
        for index in first.indices where bytes[index] != first[index] { return false }
        return true
    }

    /// Whether it is somebody's who can have access: a user's, a thing's, a role's, `everyone` or `anonymous`.
    public var isSubject: Bool {
        switch kind {
        case .caller, .role, .everyone, .anonymous: true
        default: false
        }
    }

    /// Whether a store would take this name.
    public var isWellFormed: Bool { if case nil = problem { true } else { false } }

    /// What is wrong with the form of this name, in words; nil for a well-formed one.
    public var problem: Refusal? {
        let shape = shape
        guard kind(shape) != nil else {
            return Refusal(
                .malformed, "`\(excerpt)` is no name: a name is `class:id`, or one of `store`, `everyone` and `anonymous`")
        }
        if let classBytes = shape.classBytes {
            let idBytes = shape.byteCount - classBytes - 1
            if classBytes == 0 { return Refusal(.malformed, "`\(excerpt)` has no class before its colon") }
            if classBytes > Limits.classNameBytes {
                return Refusal(.tooLarge, "the class of `\(excerpt)` has more than \(Limits.classNameBytes) bytes")
            }
            if idBytes == 0 { return Refusal(.malformed, "`\(excerpt)` has no id behind its colon") }
            if idBytes > Limits.idBytes {
                return Refusal(
                    .tooLarge, "the id in `\(excerpt)` has \(idBytes) bytes; at most \(Limits.idBytes) are allowed")
            }
        }
        if shape.hasControlCharacter { return Refusal(.malformed, "`\(excerpt)` has a control character in it") }
        return nil
    }

    /// Enough of the name to recognise it in a message, without its control characters. Other unseen characters are written out.
    package var excerpt: String {
        let printable = String(
            String.UnicodeScalarView(text.unicodeScalars.prefix(80).filter { $0.properties.generalCategory != .control }))
        return (printable.utf8.count < text.utf8.count ? printable + "…" : printable).showingUnseen()
    }
}
