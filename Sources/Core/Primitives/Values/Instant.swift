/// A point in time in UTC, in whole microseconds since 1970-01-01T00:00:00Z.
@frozen public struct Instant: Hashable, Comparable, Sendable {
    public let microseconds: Int64
    @inlinable public init(microseconds: Int64) { self.microseconds = microseconds }

    /// Later than every other instant: the end of permanent access.
    public static let forever = Instant(microseconds: .max)
    /// Earlier than every other instant.
    public static let distantPast = Instant(microseconds: .min)

    @inlinable public static func < (left: Instant, right: Instant) -> Bool { left.microseconds < right.microseconds }

    /// Returns this instant plus a number of microseconds; `forever` on overflow.
    public func advanced(byMicroseconds distance: Int64) -> Instant {
        let (sum, overflow) = microseconds.addingReportingOverflow(distance)
        return overflow ? .forever : Instant(microseconds: sum)
    }

    /// Returns this instant plus a number of seconds; `forever` on overflow.
    public func advanced(bySeconds seconds: Int64) -> Instant {
        let (microseconds, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
        return overflow ? .forever : advanced(byMicroseconds: microseconds)
    }
}

extension Instant: CustomStringConvertible {
    /// RFC 3339 in UTC: `2026-01-01T10:00:00Z`, with a fraction of up to six digits only if it is not zero.
    public var description: String { self == .forever ? "forever" : text(hasAllDigits: false) }

    /// RFC 3339 in UTC with six digits of the fraction, `2026-01-01T10:00:00.250000Z`: all have the same length.
    public var fixedLengthText: String { text(hasAllDigits: true) }

    private func text(hasAllDigits: Bool) -> String {
        let (days, time) = microseconds.quotientAndRemainder(floor: 86_400_000_000)
        let date = CivilDate(daysSince1970: days)
        let seconds = time / 1_000_000
        let fraction = time % 1_000_000
        // Bytes, because lists and logs contain many times.
        var text: [UInt8] = []
        text.reserveCapacity("2026-01-01T10:00:00.123456Z".utf8.count)
        text.append(date.year, digits: 4, then: "-")
        text.append(date.month, digits: 2, then: "-")
        text.append(date.day, digits: 2, then: "T")
        text.append(seconds / 3600, digits: 2, then: ":")
        text.append(seconds / 60 % 60, digits: 2, then: ":")
        text.append(seconds % 60, digits: 2, then: ".")
        text.append(fraction, digits: 6, then: "Z")
        if !hasAllDigits {
            text.removeLast()
            while text.last == UInt8(ascii: "0") { text.removeLast() }
            if fraction == 0 { text.removeLast() }
            text.append(UInt8(ascii: "Z"))
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Reads RFC 3339 (`2026-01-01T10:00:00Z`, `…10:00:00.25+02:00`); digits after the sixth of a fraction are dropped.
    ///
    /// - Throws: for any other text, a date that does not exist, and years outside 0001–9999. It throws instead of returning nil
    ///   because a nil end means permanent: a typing error must not grant permanent access.
    public init(_ text: String) throws(TimeFormatError) {
        guard let instant = Instant(reading: text) else { throw TimeFormatError(text: text) }
        self = instant
    }

    private init?(reading text: String) {
        var scanner = TimeScanner(text)
        guard let year = scanner.digits(4), scanner.take("-"), let month = scanner.digits(2), scanner.take("-"),
            let day = scanner.digits(2), scanner.take("T") || scanner.take("t") || scanner.take(" "),
            let hour = scanner.digits(2), scanner.take(":"), let minute = scanner.digits(2), scanner.take(":"),
            let second = scanner.digits(2)
        else { return nil }
        guard let fraction = scanner.fraction(), let offsetMinutes = scanner.offset(), scanner.isAtEnd else { return nil }
        guard let date = CivilDate(year: year, month: month, day: day), hour < 24, minute < 60, second < 60 else { return nil }
        let seconds = date.daysSince1970 * 86_400 + hour * 3600 + minute * 60 + second - offsetMinutes * 60
        self.init(microseconds: seconds * 1_000_000 + fraction)
        // An offset can move the time outside the years that have a text.
        guard hasText else { return nil }
    }

    /// Whether the instant is in the years 0001–9999, so that its description can be read again.
    package var hasText: Bool { self >= Instant.earliestText && self <= Instant.latestText }

    /// 0001-01-01T00:00:00Z
    package static let earliestText = Instant(microseconds: -62_135_596_800_000_000)
    /// 9999-12-31T23:59:59.999999Z
    private static let latestText = Instant(microseconds: 253_402_300_799_999_999)
}

extension [UInt8] {
    /// Appends a number with at least so many digits, and an ASCII character.
    fileprivate mutating func append(_ number: Int64, digits: Int, then separator: Unicode.Scalar) {
        if number < 0 { append(UInt8(ascii: "-")) }
        let number = number.magnitude
        var divisor: UInt64 = 1
        for _ in 1..<digits { divisor *= 10 }
        while number / divisor >= 10 { divisor *= 10 }
        while divisor > 0 {
            append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / divisor % 10))
            divisor /= 10
        }
        append(UInt8(ascii: separator))
    }
}

/// Reads the parts of an RFC 3339 time from the start of a text.
private struct TimeScanner {
    private var rest: Substring.UTF8View

    init(_ text: String) { rest = text[...].utf8 }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard let first = rest.first, UInt32(first) == character.value else { return false }
        rest.removeFirst()
        return true
    }

    mutating func digits(_ count: Int) -> Int64? {
        guard rest.count >= count else { return nil }
        var number: Int64 = 0
        for _ in 0..<count {
            let byte = rest.removeFirst()
            guard byte >= 48, byte <= 57 else { return nil }
            number = number * 10 + Int64(byte - 48)
        }
        return number
    }

    /// Reads the microseconds after the point; returns 0 without a point, nil if no digit follows it.
    mutating func fraction() -> Int64? {
        guard take(".") else { return 0 }
        var number: Int64 = 0
        var count = 0
        while let byte = rest.first, byte >= 48, byte <= 57 {
            if count < 6 { number = number * 10 + Int64(byte - 48) }
            count += 1
            rest.removeFirst()
        }
        guard count > 0, count <= 9 else { return nil }
        for _ in 0..<max(0, 6 - count) { number *= 10 }
        return number
    }

    /// Reads the offset in minutes east of UTC.
    mutating func offset() -> Int64? {
        if take("Z") || take("z") { return 0 }
        let sign: Int64
        if take("+") { sign = 1 } else if take("-") { sign = -1 } else { return nil }
        guard let hours = digits(2), take(":"), let minutes = digits(2), hours < 24, minutes < 60 else { return nil }
        return sign * (hours * 60 + minutes)
    }
}

/// A date of the proleptic Gregorian calendar. The conversions count in 400-year eras that begin on 1 March, so that the leap day
/// is the last day of its year.
private struct CivilDate {
    let year: Int64
    let month: Int64
    let day: Int64

    init?(year: Int64, month: Int64, day: Int64) {
        guard year >= 1, (1...12).contains(month), day >= 1 else { return nil }
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let lengths: [Int64] = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard day <= lengths[Int(month - 1)] else { return nil }
        (self.year, self.month, self.day) = (year, month, day)
    }

    init(daysSince1970: Int64) {
        let (era, dayOfEra) = (daysSince1970 + 719_468).quotientAndRemainder(floor: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    var daysSince1970: Int64 {
        let shiftedYear = month <= 2 ? year - 1 : year
        let (era, yearOfEra) = shiftedYear.quotientAndRemainder(floor: 400)
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}

extension Int64 {
    /// Divides, rounding towards minus infinity, so that the remainder is never negative.
    fileprivate func quotientAndRemainder(floor divisor: Int64) -> (Int64, Int64) {
        var (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        if remainder < 0 {
            quotient -= 1
            remainder += divisor
        }
        return (quotient, remainder)
    }
}

/// A text that is not a valid time.
public struct TimeFormatError: Error, Hashable, Sendable, CustomStringConvertible {
    public let text: String

    public var description: String {
        "`\(text.prefix(80))` is not a time: write an existing day like 2026-01-31T10:00:00Z"
    }
}
