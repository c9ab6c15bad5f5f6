/// The parts of DER (X.690) that OpenSSL needs for public keys and signatures.
enum DER {
    static func sequence(_ parts: [UInt8]...) -> [UInt8] { wrapped(0x30, Array(parts.joined())) }

    /// Encodes a non-negative whole number from its bytes, the most significant first.
    static func integer(_ magnitude: [UInt8]) -> [UInt8] {
        var bytes = Array(magnitude.drop { $0 == 0 })
        if bytes.first.map({ $0 >= 0x80 }) ?? true { bytes.insert(0, at: 0) }
        return wrapped(0x02, bytes)
    }

    static func bitString(_ bytes: [UInt8]) -> [UInt8] { wrapped(0x03, [0] + bytes) }

    /// Encodes an object identifier from its encoded content.
    static func identifier(_ contents: [UInt8]) -> [UInt8] { wrapped(0x06, contents) }

    static let null: [UInt8] = [0x05, 0x00]

    private static func wrapped(_ tag: UInt8, _ contents: [UInt8]) -> [UInt8] {
        let count = contents.count
        let length: [UInt8] =
            switch count {
            case ..<0x80: [UInt8(count)]
            case ..<0x100: [0x81, UInt8(count)]
            default: [0x82, UInt8(count >> 8 & 0xFF), UInt8(count & 0xFF)]
            }
        return [tag] + length + contents
    }
}
