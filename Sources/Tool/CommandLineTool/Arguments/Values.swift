import Events
import Files
import Foundation
import Muniment
import Permissions
import Wire

/// Converts words to values. An invalid word causes a ``UsageError`` that quotes it.
enum Values {
    static func name(_ text: String) throws -> Name {
        let name = Name(text)
        if let problem = name.problem { throw UsageError(problem.message) }
        return name
    }

    static func className(_ text: String) throws -> String {
        let className = text.hasPrefix("class:") ? String(text.dropFirst("class:".count)) : text
        guard !className.utf8.contains(UInt8(ascii: ":")) else {
            throw UsageError("`\(text)` is not a class; write a name without a colon")
        }
        return try name("class:" + className).id ?? className
    }

    /// Returns names separated by commas; an empty text is an empty list.
    static func list(_ text: String) -> [String] {
        text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }

    static func privileges(_ text: String) throws -> [String] {
        let names = list(text)
        guard !names.isEmpty else { throw UsageError("`\(text)` contains no privilege; write one, or several like read,update") }
        return names
    }

    /// Parses a whole number as a revision, and any other text as a time or a day, which means its start.
    static func moment(_ text: String, in zone: Zone) throws -> Moment {
        guard let moment = zone.day(text).map({ .time($0.lowerBound) }) ?? Moment(text: text) else {
            throw UsageError(
                "`\(text)` is not a point in time; write a revision number, a time like 2026-01-31T10:00:00Z or a day like 2026-01-31"
            )
        }
        return moment
    }

    static func revision(_ text: String) throws -> Revision {
        guard let revision = Revision(text: text) else { throw UsageError("`\(text)` is not a revision; write a whole number") }
        return revision
    }

    static func refusal(_ text: String) throws -> RefusalNumber {
        // The tool prints a refusal as `#3`, so it accepts that form too.
        let digits = text.hasPrefix("#") ? text.dropFirst() : text[...]
        guard isNumber(digits), let number = UInt64(digits) else {
            throw UsageError("`\(text)` is not a refusal number; write a whole number")
        }
        return RefusalNumber(number)
    }

    static func count(_ text: String) throws -> Int {
        guard isNumber(text[...]), let number = Int(text), number > 0 else {
            throw UsageError("`\(text)` is not a count; write a whole number of at least 1")
        }
        return number
    }

    /// Parses the limits on clock changes in minutes in either direction; returns nil for `none`.
    static func clockLimits(_ text: String) throws -> ClockLimits? {
        guard text != "none" else { return nil }
        guard isNumber(text[...]), let minutes = Int64(text), (1...525_600).contains(minutes) else {
            throw UsageError("`\(text)` is not a limit on the clock; write minutes, from 1 to 525600, or none")
        }
        return ClockLimits(behindSeconds: minutes * 60, jumpSeconds: minutes * 60)
    }

    /// Parses a time or a day, which means its start.
    static func time(_ text: String, in zone: Zone) throws -> Instant {
        guard let instant = zone.day(text)?.lowerBound ?? Instant(text: text) else {
            throw UsageError("`\(text)` is not a time; write one like 2026-01-31T10:00:00Z or a day like 2026-01-31")
        }
        return instant
    }

    static func json(_ text: String) throws -> JSONValue {
        do {
            return try JSONText.decode(Array(text.utf8))
        } catch {
            let remedy = error.kind == .malformed ? "quote a string twice, as in '\"text\"'" : error.remedy
            throw UsageError("`\(text)` is not JSON that can be stored: \(error.place); \(remedy)")
        }
    }

    private static func isNumber(_ text: Substring) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
    }
}

/// Throws ``UsageError`` if a folder does not exist.
func requireFolder(_ path: String) throws {
    guard isFolder(path) else { throw UsageError("the folder `\(path)` does not exist; create it, or check the path") }
}
