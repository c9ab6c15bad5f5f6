/// Numbers (RFC 8259, section 6).
extension JSONReader {
    /// Reads the number that begins at the position.
    ///
    /// - A whole number that fits 64 bits is exact in every notation: `100`, `100.0`, `1e2`.
    /// - A whole number in plain digits that does not fit 64 bits is refused, since the nearest `Double` would be another number.
    /// - A whole number beyond 64 bits with an exponent or a point is refused if it has more digits than a `Double` can
    ///   distinguish.
    /// - Any other number becomes the nearest `Double`. It is refused if it is out of range.
    mutating func number() throws(JSONError) -> JSONValue {
        let start = position
        if current == UInt8(ascii: "-") { position += 1 }
        let isNegative = position > start
        var magnitude = Magnitude()
        if current == UInt8(ascii: "0") {
            position += 1
            guard digit == nil else {
                throw JSONError(.malformed, at: start, "a number begins with a 0 that says nothing", "leave it out")
            }
        } else {
            try digits { magnitude.append($0) }
        }
        if current != UInt8(ascii: "."), current | 0x20 != UInt8(ascii: "e") {
            guard let whole = magnitude.whole(isNegative) else { throw unkept(start, "does not fit 64 bits") }
            return .integer(whole)
        }
        if current == UInt8(ascii: ".") {
            position += 1
            try digits { _ in }
        }
        let digits = start..<position
        let exponent = try exponent()
        return try decimal(start, Decimal(bytes[digits], exponent: exponent), isNegative)
    }

    /// Returns the number between `start` and the position, written with a fraction or an exponent.
    private func decimal(_ start: Int, _ decimal: Decimal, _ isNegative: Bool) throws(JSONError) -> JSONValue {
        if decimal.digits.isEmpty { return .integer(0) }
        if decimal.exponent >= 0 {
            if let whole = decimal.magnitude?.whole(isNegative) { return .integer(whole) }
            guard decimal.digits.count <= JSONReader.doubleDigits else {
                throw unkept(start, "has more digits than a number beyond 64 bits can keep")
            }
        }
        let number = Double(String(decoding: bytes[start..<position], as: UTF8.self)) ?? .nan
        guard number.isFinite, number != 0 else {
            throw beyondRange(start)
        }
        return .number(number)
    }

    /// 17 digits are enough to distinguish any two numbers of double precision.
    private static let doubleDigits = 17

    /// Reads the exponent after a number; returns 0 without one. Limits extreme values.
    mutating func exponent() throws(JSONError) -> Int {
        guard current | 0x20 == UInt8(ascii: "e") else { return 0 }
        position += 1
        let isNegative = current == UInt8(ascii: "-")
        if isNegative || current == UInt8(ascii: "+") { position += 1 }
        var exponent = 0
        try digits { exponent = min(exponent * 10 + Int($0), 1 << 40) }
        return isNegative ? -exponent : exponent
    }

    /// Reads digits, at least one.
    mutating func digits(_ take: (UInt8) -> Void) throws(JSONError) {
        guard let first = digit else { throw unexpected("a digit") }
        take(first)
        position += 1
        while let next = digit {
            take(next)
            position += 1
        }
    }

    private var digit: UInt8? {
        let digit = current &- UInt8(ascii: "0")
        return digit < 10 ? digit : nil
    }

    /// Returns the error for a number whose nearest `Double` is infinite or 0.
    func beyondRange(_ start: Int) -> JSONError { unkept(start, "is beyond the range of a number of double precision") }

    /// Returns the error for a well-formed number that cannot be stored exactly.
    private func unkept(_ start: Int, _ why: String) -> JSONError {
        let text = String(decoding: bytes[start..<min(position, start + 100)], as: UTF8.self)
        return JSONError(.number, at: start, "the number `\(JSONError.excerpt(text))` \(why)", "write it in quotes")
    }
}

/// A number of 64 bits without its sign, built from its digits.
private struct Magnitude {
    private var value: UInt64 = 0
    private var isExact = true

    mutating func append(_ digit: UInt8) {
        let (product, overflows) = value.multipliedReportingOverflow(by: 10)
        let (sum, carries) = product.addingReportingOverflow(UInt64(digit))
        (value, isExact) = (sum, isExact && !overflows && !carries)
    }

    /// Returns the number with its sign; nil if it does not fit.
    func whole(_ isNegative: Bool) -> Int64? {
        guard isExact else { return nil }
        if isNegative, value == Int64.min.magnitude { return .min }
        return Int64(exactly: value).map { isNegative ? -$0 : $0 }
    }
}

/// A number without its sign: digits that neither begin nor end with 0, times a power of ten.
private struct Decimal {
    let digits: ArraySlice<UInt8>
    let exponent: Int

    /// - Parameter text: digits with at most one point among them, and optionally a sign before them.
    init(_ text: ArraySlice<UInt8>, exponent: Int) {
        let all = text.filter { $0 >= UInt8(ascii: "0") }.map { $0 - UInt8(ascii: "0") }
        let fraction = text.firstIndex(of: UInt8(ascii: ".")).map { text.endIndex - $0 - 1 } ?? 0
        let last = (all.lastIndex { $0 != 0 } ?? -1) + 1
        digits = all[..<last].drop { $0 == 0 }
        self.exponent = exponent - fraction + (all.count - last)
    }

    /// The number if it is whole; nil if its digits do not fit 64 bits.
    var magnitude: Magnitude? {
        guard digits.count + exponent <= 19 else { return nil }
        var magnitude = Magnitude()
        for digit in digits { magnitude.append(digit) }
        for _ in 0..<exponent { magnitude.append(0) }
        return magnitude
    }
}
