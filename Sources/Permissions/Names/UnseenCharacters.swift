/// Characters that are invisible, or that move or hide the characters around them. No new name may contain one: different names
/// must not look the same.
extension Unicode.Scalar {
    /// Whether it is a default-ignorable character of Unicode (bidirectional controls, zero-width spaces and joiners, variation
    /// selectors, tags and fillers), a line or paragraph separator, an annotation mark, or a control character.
    ///
    /// Joiners between letters count too, although Persian and Indic texts use them: a name is an identifier, not text for
    /// display.
    public var isUnseen: Bool {
        switch value {
        case 0x20..<0x7F: false
        case ..<0xA0, 0x2028, 0x2029, 0xFFF9...0xFFFB: true
        default: properties.isDefaultIgnorableCodePoint
        }
    }

    /// The character as it is written in source code, such as `\u{202e}`.
    public var escaped: String { "\\u{\(String(value, radix: 16))}" }
}

extension String {
    /// Returns the text with every invisible character written as `\u{…}`.
    ///
    /// - Parameter keepsLineEnds: whether `\n` stays unchanged.
    public func showingUnseen(keepsLineEnds: Bool = false) -> String {
        let isHidden = { (scalar: Unicode.Scalar) in scalar.isUnseen && !(keepsLineEnds && scalar == "\n") }
        guard unicodeScalars.contains(where: isHidden) else { return self }
        return unicodeScalars.map { isHidden($0) ? $0.escaped : String($0) }.joined()
    }
}

extension Name {
    /// The reason this well-formed name cannot be introduced as a new one; nil if it can. Names that already exist stay valid.
    package var problemAsNew: Refusal? { Name.problem(asNew: text) }

    /// Returns the same for a text that is part of a name, or will be.
    package static func problem(asNew text: String) -> Refusal? {
        guard let unseen = text.unicodeScalars.first(where: \.isUnseen) else { return nil }
        return Refusal(
            .malformed,
            "`\(Name(text).excerpt)` has the character \(unseen.escaped), which nobody can see: leave it out of a new name")
    }
}
