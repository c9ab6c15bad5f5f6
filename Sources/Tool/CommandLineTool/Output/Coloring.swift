import Foundation
import Glibc

/// Colours of text on a terminal: places in the log, gains and losses, verdicts.
enum Coloring {
    static let isTerminal = isatty(STDOUT_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"

    /// Whether text is coloured: on a terminal, unless the variable `NO_COLOR` is set (no-color.org).
    static let isOn = isTerminal && (ProcessInfo.processInfo.environment["NO_COLOR"] ?? "").isEmpty

    private enum Style: String {
        case bold = "1"
        case red = "31"
        case green = "32"
        case yellow = "33"
    }

    /// Returns a heading in bold, if colours are on.
    static func heading(_ text: String) -> String { isOn ? styled(text[...], .bold) : text }

    /// Returns a line with colours, if they are on.
    static func line(_ text: String) -> String {
        guard isOn else { return text }
        let first = text.prefix { $0 != " " && $0 != ":" }
        let rest = text[first.endIndex...]
        let start = style(of: first, before: rest).map { styled(first, $0) } ?? String(first)
        guard let lost = rest.range(of: "  - ") else { return start + gain(rest) }
        return start + gain(rest[..<lost.lowerBound]) + "  " + styled(rest[lost.lowerBound...].dropFirst(2), .red)
    }

    private static func style(of word: Substring, before rest: Substring) -> Style? {
        switch word {
        case "yes": .green
        case "no", "refused": .red
        case "in" where rest.hasPrefix("   "): .green
        case "out" where rest.hasPrefix("  "): .red
        default:
            switch word.first {
            case "r" where word.count > 1 && word.dropFirst().allSatisfy(\.isNumber): .yellow
            case "#": .red
            default: nil
            }
        }
    }

    private static func gain(_ text: Substring) -> String {
        guard let gained = text.range(of: "  + ") else { return String(text) }
        return text[..<gained.lowerBound] + "  " + styled(text[gained.lowerBound...].dropFirst(2), .green)
    }

    private static func styled(_ text: Substring, _ style: Style) -> String { "\u{1B}[\(style.rawValue)m\(text)\u{1B}[m" }
}
