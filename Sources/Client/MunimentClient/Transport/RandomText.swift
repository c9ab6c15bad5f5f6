/// Returns an unguessable text of 128 bits, from the system's random number generator.
func randomText() -> String {
    var generator = SystemRandomNumberGenerator()
    return (0..<2).map { _ in
        let digits = String(UInt64.random(in: .min ... .max, using: &generator), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
}
