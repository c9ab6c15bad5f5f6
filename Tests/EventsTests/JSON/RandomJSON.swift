import Events
import TestSupport

/// Generates random values that cover all of JSON.
struct RandomJSON {
    var random: SplitMix64
    /// The characters of names and texts.
    let scalars: [UnicodeScalar]

    static let ascii = (0..<0x80).map { UnicodeScalar(UInt8($0)) }
    /// Code points of every UTF-8 length, including some that look alike.
    static let any = ascii + "é\u{301}e\u{C5}\u{212B}\u{2028}ﬀ\u{FFFD}\u{FFFF}😀\u{1D11E}\u{10FFFF}".unicodeScalars

    init(seed: UInt64, of scalars: [UnicodeScalar]) {
        random = SplitMix64(seed: seed)
        self.scalars = scalars
    }

    mutating func text() -> String {
        var text = String.UnicodeScalarView()
        for _ in 0..<random.number(0...random.one(of: [3, 3, 40])) { text.append(random.one(of: scalars)) }
        return String(text)
    }

    mutating func whole() -> Int64 {
        let bits = Int64(bitPattern: random.next())
        return random.chance(percent: 5) ? random.one(of: [.min, .max, 0, -1]) : bits >> Int64(random.number(0...63))
    }

    mutating func fraction() -> Double {
        while true {
            let number = Double(bitPattern: random.next())
            let near = Double(random.number(-100_000...100_000)) / random.one(of: [1, 2, 10, 1000, 7])
            let chosen = random.chance(percent: 50) ? number : near
            if chosen.isFinite { return chosen }
        }
    }

    mutating func value(depth: Int = 4) -> JSONValue {
        switch random.number(0...(depth == 0 ? 5 : 9)) {
        case 0: return .null
        case 1: return .bool(random.chance(percent: 50))
        case 2: return .integer(whole())
        case 3: return .number(fraction())
        case 4, 5: return .string(text())
        case 6, 7: return .array((0..<random.number(0...4)).map { _ in value(depth: depth - 1) })
        default: return .object(JSONObject((0..<random.number(0...5)).map { _ in (text(), value(depth: depth - 1)) }))
        }
    }

    /// Returns the text of a value with whitespace, escapes and a member order that the writer never produces.
    mutating func text(of value: JSONValue) -> String {
        let text: String =
            switch value {
            case .null: "null"
            case .bool(let flag): flag ? "true" : "false"
            case .integer(let number):
                random.chance(percent: 20) ? "\(number)" + random.one(of: [".0", "e0", ".00E+0"]) : "\(number)"
            case .number(let number): Int64(exactly: number).map { "\($0)" } ?? "\(number)"
            case .string(let text): quoted(text)
            case .array(let elements): "[" + elements.map { self.text(of: $0) }.joined(separator: ",") + blank() + "]"
            case .object(let members):
                "{"
                    + members.shuffled(using: &random).map { quoted($0) + blank() + ":" + self.text(of: $1) }.joined(
                        separator: blank() + ",")
                    + blank() + "}"
            }
        return blank() + text + blank()
    }

    private mutating func blank() -> String { random.one(of: ["", "", "", " ", "\n", "\t\r "]) }

    private mutating func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            if scalar.value < 0x20 || scalar == "\"" || scalar == "\\" || random.chance(percent: 20) {
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16, uppercase: random.chance(percent: 50))
                    quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            } else {
                quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
