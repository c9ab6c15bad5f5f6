import Events
import Foundation
import Muniment

/// The time zone of days in options, and of times in output for people.
struct Zone {
    /// Nil for UTC.
    private let zone: TimeZone?

    static let utc = Zone(zone: nil)

    /// The zone that the variable `TZ` names; UTC without it. The setting of the machine does not count, so that a report is the same
    /// on every machine.
    static var ofEnvironment: Zone {
        get throws {
            let text = ProcessInfo.processInfo.environment["TZ"] ?? ""
            let name = text.hasPrefix(":") ? String(text.dropFirst()) : text
            guard !name.isEmpty, name != "UTC" else { return .utc }
            // The sign of an offset has opposite meanings in POSIX and in Foundation.
            guard let zone = TimeZone(identifier: name), name.hasPrefix("Etc/") || !name.contains(where: \.isNumber) else {
                throw UsageError("`\(text)` in TZ is not a known time zone; set one like Europe/Berlin, Etc/GMT-2 or UTC")
            }
            return Zone(zone: zone)
        }
    }

    /// Returns a time as text: RFC 3339 with the offset of the zone.
    func text(_ instant: Instant) -> String {
        guard let zone, instant != .forever else { return "\(instant)" }
        let offset = Zone.offset(of: zone, at: instant)
        let minutes = abs(offset) / 60
        let digits = String(format: "%02lld:%02lld", minutes / 60, minutes % 60)
        return "\(instant.advanced(bySeconds: offset))".dropLast() + (offset < 0 ? "-" : "+") + digits
    }

    /// Returns a sentence with the end of an access in this zone.
    ///
    /// - Parameter end: the end as the sentence has it.
    func sentence(_ sentence: String, until end: JSONValue?) -> String {
        guard zone != nil, case .string(let text)? = end, let instant = try? Instant(text),
            let place = sentence.range(of: " until \(text)", options: .backwards)
        else { return sentence }
        return sentence.replacingCharacters(in: place, with: " until \(self.text(instant))")
    }

    /// Returns the instants of a day such as `2026-01-31`; nil for any other text.
    func day(_ text: String) -> ClosedRange<Instant>? {
        guard text.utf8.count == 10, let start = try? Instant(text + "T00:00:00Z") else { return nil }
        let (first, next) = (beginning(start), beginning(start.advanced(bySeconds: 86_400)))
        // A day that a zone has skipped is the instant of the change.
        return first...max(first, next.advanced(byMicroseconds: -1))
    }

    /// Returns the first instant of a day in this zone.
    ///
    /// - Parameter midnight: the first instant of the day in UTC.
    private func beginning(_ midnight: Instant) -> Instant {
        guard let zone else { return midnight }
        let offsets = [-1, 1].map { Zone.offset(of: zone, at: midnight.advanced(bySeconds: $0 * 86_400)) }
        let found = offsets.map { ($0, midnight.advanced(bySeconds: -$0)) }.filter { Zone.offset(of: zone, at: $1) == $0 }
        // If clocks skip midnight, the day begins at the change.
        return found.map(\.1).min() ?? midnight.advanced(bySeconds: -offsets[0])
    }

    private static func offset(of zone: TimeZone, at instant: Instant) -> Int64 {
        Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(instant.microseconds) / 1_000_000)))
    }
}

extension Option {
    static let utc = Option("utc", "print times, and read days, in UTC (default: in the zone of the variable TZ)")
}

extension Invocation {
    /// The zone of the call.
    var zone: Zone { get throws { options.isSet(.utc) ? .utc : try .ofEnvironment } }

    /// Returns the time in an option, where a day means its start; nil if the option is missing.
    func time(_ option: Option) throws -> Instant? { try options.value(of: option) { try Values.time($0, in: zone) } }

    /// Returns the time in an option, where a day means its end; nil if the option is missing.
    func lastTime(_ option: Option) throws -> Instant? {
        try options.value(of: option) { try zone.day($0)?.upperBound ?? Values.time($0, in: zone) }
    }

    /// Returns the moment in an option, where a day means its start; nil if the option is missing.
    func moment(_ option: Option) throws -> Moment? { try options.value(of: option) { try Values.moment($0, in: zone) } }

    /// Returns the moment in an option, where a day means its end; nil if the option is missing.
    func lastMoment(_ option: Option) throws -> Moment? {
        try options.value(of: option) { text in try zone.day(text).map { .time($0.upperBound) } ?? Values.moment(text, in: zone) }
    }
}
