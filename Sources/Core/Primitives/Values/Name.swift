/// The name of a principal or an object: `user:ann`, `role:editors`, `everyone`, `doc:1`, `class:doc`, `store`.
///
/// Creating a name never fails, since a name is only a text until a store looks it up. ``problem`` describes an invalid form.
public struct Name: Hashable, Sendable, Comparable, CustomStringConvertible {
    public let text: String

    public init(_ text: String) { self.text = text }

    public static let store = Name("store")
    public static let everyone = Name("everyone")
    public static let anonymous = Name("anonymous")
    /// Returns the role of this name, with or without its `role:`.
    public static func role(_ name: String) -> Name { name.utf8.starts(with: "role:".utf8) ? Name(name) : Name("role:" + name) }
    /// Returns the object of a class. The entries on it are the class level.
    public static func `class`(_ name: String) -> Name { Name("class:" + name) }
    /// Returns the object of a permission, with or without its `permission:`.
    public static func permission(_ name: String) -> Name {
        name.utf8.starts(with: "permission:".utf8) ? Name(name) : Name("permission:" + name)
    }

    public var description: String { text }

    /// Compares byte for byte: an `é` in one code point and an `é` in two are different names, as in the log.
    public static func == (left: Name, right: Name) -> Bool { ExactText(left.text) == ExactText(right.text) }

    public func hash(into hasher: inout Hasher) { ExactText(text).hash(into: &hasher) }

    /// Orders names by their UTF-8 bytes.
    public static func < (left: Name, right: Name) -> Bool { ExactText(left.text) < ExactText(right.text) }

    /// The text before the first colon; the whole name without one.
    public var className: String {
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return text }
        return String(text[..<colon])
    }

    /// The text after the first colon; nil for a name without one.
    public var id: String? {
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        return String(text[text.utf8.index(after: colon)...])
    }
}

extension Name: ExpressibleByStringLiteral {
    public init(stringLiteral value: String) { self.init(value) }
}

/// The kind of entity that a name denotes, according to its text.
public enum NameKind: Hashable, Sendable {
    case store
    case everyone
    case anonymous
    /// A user or a thing: a principal that can be authenticated.
    case caller
    case role
    case permission
    case `class`
    /// An object of a class that is not built in.
    case object
}

extension Name {
    /// The result of one pass over the bytes.
    private struct Shape {
        /// The bytes before the first colon; nil without one.
        var classBytes: Int?
        var byteCount = 0
        var hasControlCharacter = false
        /// The first eight bytes as a number, the first one highest; zeros follow a shorter name.
        var beginning: UInt64 = 0
    }

    /// The names of built-in classes, as in ``Shape/beginning``.
    private enum BuiltInClass {
        static let user = number("user")
        static let role = number("role")
        static let thing = number("thing")
        static let `class` = number("class")
        static let store = number("store")

        private static func number(_ text: String) -> UInt64 { text.utf8.reduce(0) { $0 << 8 | UInt64($1) } }
    }

    private var shape: Shape {
        var shape = Shape()
        var previous: UInt8 = 0
        var colon = -1
        withBytes(text) { bytes in
            for index in bytes.indices {
                let byte = bytes[index]
                // U+0000–U+001F and U+007F have one byte, U+0080–U+009F have the byte C2 and another one.
                if byte &- 0x20 >= 0x5F, byte < 0x20 || byte == 0x7F || (previous == 0xC2 && byte < 0xA0) {
                    shape.hasControlCharacter = true
                }
                if byte == UInt8(ascii: ":"), colon < 0 { colon = index }
                previous = byte
            }
            shape.byteCount = bytes.count
            for index in 0..<8 { shape.beginning = shape.beginning << 8 | UInt64(index < bytes.count ? bytes[index] : 0) }
        }
        if colon >= 0 { shape.classBytes = colon }
        return shape
    }

    /// The kind of this name; nil if it has no class and is not `store`, `everyone` or `anonymous`.
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
            let name = shape.beginning >> 32
            if name == BuiltInClass.user { return .caller }
            if name == BuiltInClass.role { return .role }
        case 5:
            let name = shape.beginning >> 24
            if name == BuiltInClass.thing { return .caller }
            if name == BuiltInClass.class { return .class }
            if name == BuiltInClass.store { return nil }
        case 10: if text.utf8.starts(with: "permission:".utf8) { return .permission }
        default: break
        }
        return .object
    }

    /// Whether it names a subject that can have access: a user, a thing, a role, `everyone` or `anonymous`.
    public var isSubject: Bool {
        switch kind {
        case .caller, .role, .everyone, .anonymous: true
        default: false
        }
    }

    /// Whether a store accepts this name.
    public var isWellFormed: Bool { if case nil = fault { true } else { false } }

    /// The reason the form of this name is invalid; nil for a well-formed name.
    package var fault: NameFault? {
        let shape = shape
        guard kind(shape) != nil else {
            return .malformed("`\(excerpt)` is not a name: a name is `class:id`, or one of `store`, `everyone` and `anonymous`")
        }
        if let classBytes = shape.classBytes {
            let idBytes = shape.byteCount - classBytes - 1
            if classBytes == 0 { return .malformed("`\(excerpt)` has no class before its colon") }
            if classBytes > Limits.classNameBytes {
                return .tooLarge("the class of `\(excerpt)` has more than \(Limits.classNameBytes) bytes")
            }
            if idBytes == 0 { return .malformed("`\(excerpt)` has no id after its colon") }
            if idBytes > Limits.idBytes {
                return .tooLarge("the id in `\(excerpt)` has \(idBytes) bytes; at most \(Limits.idBytes) are allowed")
            }
        }
        if shape.hasControlCharacter { return .malformed("`\(excerpt)` has a control character in it") }
        return nil
    }

    /// The beginning of the name, without its control characters, for messages. Other invisible characters are escaped.
    package var excerpt: String {
        let printable = String(
            String.UnicodeScalarView(text.unicodeScalars.prefix(80).filter { $0.properties.generalCategory != .control }))
        return (printable.utf8.count < text.utf8.count ? printable + "…" : printable).escapingInvisible()
    }
}

/// The reason a name, or a new name, is refused, in words.
package enum NameFault: Hashable, Sendable {
    case malformed(String)
    case tooLarge(String)
}
