import Events
import Testing

@Suite("Instants and RFC 3339")
struct InstantTests {
    static let readable: [(text: String, microseconds: Int64, written: String)] = [
        ("1970-01-01T00:00:00Z", 0, "1970-01-01T00:00:00Z"),
        ("2026-01-01T10:00:00Z", 1_767_261_600_000_000, "2026-01-01T10:00:00Z"),
        ("2026-01-01t10:00:00z", 1_767_261_600_000_000, "2026-01-01T10:00:00Z"),
        ("2026-01-01 10:00:00Z", 1_767_261_600_000_000, "2026-01-01T10:00:00Z"),
        ("1969-12-31T23:59:59Z", -1_000_000, "1969-12-31T23:59:59Z"),
        ("1969-12-31T23:59:59.999999Z", -1, "1969-12-31T23:59:59.999999Z"),
        ("0001-01-01T00:00:00Z", -62_135_596_800_000_000, "0001-01-01T00:00:00Z"),
        ("9999-12-31T23:59:59.999999Z", 253_402_300_799_999_999, "9999-12-31T23:59:59.999999Z"),
        // Leap years: every fourth year, except every hundredth, but including every four hundredth.
        ("2024-02-29T00:00:00Z", 1_709_164_800_000_000, "2024-02-29T00:00:00Z"),
        ("2000-02-29T12:00:00Z", 951_825_600_000_000, "2000-02-29T12:00:00Z"),
        ("1900-02-28T23:59:59Z", -2_203_891_201_000_000, "1900-02-28T23:59:59Z"),
        ("1900-03-01T00:00:00Z", -2_203_891_200_000_000, "1900-03-01T00:00:00Z"),
        ("2024-12-31T23:59:59Z", 1_735_689_599_000_000, "2024-12-31T23:59:59Z"),
        ("1600-02-29T00:00:00Z", -11_670_998_400_000_000, "1600-02-29T00:00:00Z"),
        // Fractions: up to six digits count, the seventh to ninth are dropped.
        ("1970-01-01T00:00:00.5Z", 500_000, "1970-01-01T00:00:00.5Z"),
        ("1970-01-01T00:00:00.000001Z", 1, "1970-01-01T00:00:00.000001Z"),
        ("1970-01-01T00:00:00.100000Z", 100_000, "1970-01-01T00:00:00.1Z"),
        ("1970-01-01T00:00:00.000000Z", 0, "1970-01-01T00:00:00Z"),
        ("1970-01-01T00:00:00.123456789Z", 123_456, "1970-01-01T00:00:00.123456Z"),
        // Offsets: the text has local time, and the result is UTC.
        ("1970-01-01T01:00:00+01:00", 0, "1970-01-01T00:00:00Z"),
        ("1969-12-31T18:30:00-05:30", 0, "1970-01-01T00:00:00Z"),
        ("1970-01-01T00:00:00+00:00", 0, "1970-01-01T00:00:00Z"),
        ("1970-01-01T00:00:00-00:00", 0, "1970-01-01T00:00:00Z"),
        ("2026-03-01T00:30:00.25+02:00", 1_772_317_800_250_000, "2026-02-28T22:30:00.25Z"),
        ("2025-12-31T23:59:59-23:59", 1_767_311_939_000_000, "2026-01-01T23:58:59Z"),
    ]

    @Test("An RFC 3339 time is parsed, and formatted again in UTC", arguments: readable)
    func readsAndWrites(text: String, microseconds: Int64, written: String) throws {
        #expect(try Instant(text) == Instant(microseconds: microseconds))
        #expect(Instant(microseconds: microseconds).description == written)
        #expect(try Instant(Instant(microseconds: microseconds).fixedLengthText).microseconds == microseconds)
    }

    static let unreadable = [
        "", "Z", "forever", "2026", "2026-01-01", "2026-01-01T10:00Z", "2026-01-01T10:00:00", "2026-01-01T10:00:00 Z",
        " 2026-01-01T10:00:00Z", "2026-01-01T10:00:00Z ", "2026-01-01T10:00:00ZZ", "2026-1-01T10:00:00Z", "26-01-01T10:00:00Z",
        // Dates and times that do not exist.
        "2026-00-01T00:00:00Z", "2026-13-01T00:00:00Z", "2026-01-00T00:00:00Z", "2026-01-32T00:00:00Z", "2026-04-31T00:00:00Z",
        "2025-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2100-02-29T00:00:00Z", "2024-02-30T00:00:00Z",
        "2026-01-01T24:00:00Z", "2026-01-01T10:60:00Z", "2026-01-01T23:59:60Z",
        // Years outside 0001 to 9999.
        "0000-01-01T00:00:00Z", "-001-01-01T00:00:00Z", "-0001-01-01T00:00:00Z", "+2026-01-01T00:00:00Z", "12026-01-01T00:00:00Z",
        // Invalid fractions and offsets.
        "2026-01-01T10:00:00.Z", "2026-01-01T10:00:00,5Z", "2026-01-01T10:00:00.1234567890Z", "2026-01-01T10:00:00.5",
        "2026-01-01T10:00:00+01", "2026-01-01T10:00:00+0100", "2026-01-01T10:00:00+24:00", "2026-01-01T10:00:00+01:60",
        "2026-01-01T10:00:00+1:00", "2026-01-01T10:00:00\u{2212}01:00",
        // Digits outside ASCII.
        "２０２６-01-01T00:00:00Z", "2026-01-01T10:00:0٠Z",
    ]

    @Test("A text that is not an RFC 3339 time is rejected", arguments: unreadable)
    func refuses(text: String) {
        #expect(throws: TimeFormatError.self) { try Instant(text) }
    }

    @Test("Each day of eight centuries formats to a later text than the day before, and parses to the same instant")
    func everyDay() throws {
        let first = try Instant("1590-01-01T06:07:08Z")
        var last = ""
        for day in 0..<Int64(800 * 365) {
            let instant = first.advanced(byMicroseconds: day * 86_400_000_000)
            let text = instant.description
            #expect(try Instant(text) == instant && text > last)
            last = text
        }
    }

    @Test("The extreme instants are ordered and have a text")
    func extremes() {
        #expect(Instant.distantPast < Instant(microseconds: 0))
        #expect(Instant(microseconds: 0) < Instant.forever)
        #expect(Instant.forever.description == "forever")
        #expect(!Instant.distantPast.description.isEmpty)
    }

    @Test("Adding to `forever`, or beyond the largest instant, gives `forever`")
    func advancing() {
        #expect(Instant.forever.advanced(byMicroseconds: 1) == .forever)
        #expect(Instant(microseconds: .max - 1).advanced(byMicroseconds: 5) == .forever)
        #expect(Instant(microseconds: 5).advanced(byMicroseconds: -7) == Instant(microseconds: -2))
    }
}
