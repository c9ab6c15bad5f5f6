/// Characters that are invisible, or that move or hide the characters around them. No new name may contain one: different names
/// must not look the same.
extension Unicode.Scalar {
    /// Whether the character may be invisible to a reader: a default-ignorable character of Unicode (bidirectional controls, zero-width
    /// spaces and joiners, variation selectors, tags and fillers), a line or paragraph separator, a control or format character, the blank
    /// pattern of Braille, the object replacement character, and a character without a shape in Unicode (unassigned, private use,
    /// noncharacter).
    ///
    /// Also true for joiners between letters, and for the signs that some scripts write around numbers, since a name is an identifier and
    /// not a text to display. Which characters are unassigned depends on the Unicode version of the system.
    public var isInvisible: Bool {
        switch value {
        case 0x20..<0x7F: return false
        case ..<0xA0, 0x2028, 0x2029, 0x2800, 0xFFFC: return true
        default:
            if properties.isDefaultIgnorableCodePoint { return true }
            return switch properties.generalCategory {
            case .format, .unassigned, .privateUse, .surrogate: true
            default: false
            }
        }
    }

    /// Whether the character looks like a space: white space, the blank pattern of Braille, or a filler of Hangul.
    package var isBlank: Bool {
        switch value {
        case 0x20: true
        case 0x115F, 0x1160, 0x2800, 0x3164, 0xFFA0: true
        default: properties.isWhitespace
        }
    }

    /// Whether the character is drawn onto the character before it.
    fileprivate var isCombining: Bool {
        value >= 0x300 && [.nonspacingMark, .enclosingMark].contains(properties.generalCategory)
    }

    /// The character as it is written in source code, such as `\u{202e}`.
    public var escaped: String { "\\u{\(String(value, radix: 16))}" }
}

extension String {
    /// Returns the text with every invisible character written as `\u{…}`.
    ///
    /// - Parameter keepsLineEnds: whether `\n` stays unchanged.
    public func escapingInvisible(keepsLineEnds: Bool = false) -> String {
        // Most texts are printable ASCII.
        if utf8.allSatisfy({ 0x20 <= $0 && $0 < 0x7F }) { return self }
        return escaping { $0.isInvisible && !(keepsLineEnds && $0 == "\n") }
    }

    /// The text with every invisible character and every blank, including spaces, written as `\u{…}`: for names that differ only in these.
    public var showingBlanks: String { escaping { $0.isInvisible || $0.isBlank } }

    private func escaping(_ isHidden: (Unicode.Scalar) -> Bool) -> String {
        guard unicodeScalars.contains(where: isHidden) else { return self }
        return unicodeScalars.map { isHidden($0) ? $0.escaped : String($0) }.joined()
    }
}

extension Name {
    /// The most marks that one character of a new name can have. Scripts in use have four at most.
    private static let combiningLimit = 8

    /// The reason why a well-formed name cannot be used for a new object or principal; nil if it can. Existing names stay valid.
    package var faultAsNew: NameFault? { Name.fault(asNew: text) }

    /// Returns the same for a text that is part of a name, or will be.
    package static func fault(asNew text: String) -> NameFault? {
        if text.utf8.allSatisfy({ 0x20 < $0 && $0 < 0x7F }) { return nil }
        let (name, scalars) = (Name(text), text.unicodeScalars)
        if let unseen = scalars.first(where: \.isInvisible) {
            return .malformed(
                "`\(name.excerpt)` has the character \(unseen.escaped), which cannot be seen on every screen: leave it out of a new name"
            )
        }
        for part in [name.className, name.id ?? ""] {
            guard let first = part.unicodeScalars.first, let last = part.unicodeScalars.last else { continue }
            if let blank = [first, last].first(where: \.isBlank) {
                return .malformed(
                    "`\(name.excerpt)` has white space, \(blank.escaped), at the start or the end of its class or id: leave it out of a "
                        + "new name")
            }
        }
        var combining = 0
        for scalar in scalars {
            combining = scalar.isCombining ? combining + 1 : 0
            if combining > combiningLimit {
                return .malformed(
                    "`\(name.excerpt)` has more than \(combiningLimit) combining marks in a row: leave some out of a new name")
            }
        }
        return nil
    }
}
