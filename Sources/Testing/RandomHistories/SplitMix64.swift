/// A small random generator with the same numbers for the same seed on every machine (Steele, Lea and Flood 2014).
public struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64

    public init(seed: UInt64) { state = seed }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Returns a whole number in a range.
    public mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

    /// Returns true with this probability.
    public mutating func chance(percent: Int) -> Bool { number(0...99) < percent }

    /// Returns one of the choices, which must not be empty.
    public mutating func one<Element>(of choices: [Element]) -> Element { choices[number(0...choices.count - 1)] }

    /// Returns some of the choices, each at most once, in random order.
    public mutating func some<Element>(_ count: ClosedRange<Int>, of choices: [Element]) -> [Element] {
        Array(choices.shuffled(using: &self).prefix(number(count)))
    }
}
