package import Events
internal import Permissions

/// Describes a refused command as text for people and as JSON members for programs.
package struct RefusalDescription {
    private let refusal: RecordedRefusal
    private let hash: String

    package init(_ refusal: RecordedRefusal, hash: String) {
        self.refusal = refusal
        self.hash = hash
    }

    /// Returns the time, the caller and the code; then the attempted change and the reason for the refusal.
    ///
    /// - Parameter time: returns the text of a time.
    package func lines(time: (Instant) -> String) -> [String] {
        var first = "#\(refusal.number)  \(time(refusal.time))  \(refusal.caller)  \(refusal.code)"
        first += refusal.origin.note
        return [first] + (tried.map { ["    " + $0] } ?? []) + ["    " + refusal.message]
    }

    /// The attempted change as text; nil if there was none.
    package var tried: String? {
        guard let tried = refusal.tried else { return nil }
        let text = tried.json + (tried.whole.map { "… (\($0.byteCount) bytes)" } ?? "")
        switch (refusal.change, refusal.changeCount) {
        case (_, 1): return text
        case (let change?, let count): return "change \(change) of \(count): \(text)"
        case (nil, let count): return "\(count) changes, the first: \(text)"
        }
    }

    package var members: JSONObject {
        get throws {
            var members: JSONObject = [
                "number": .count(refusal.number.rawValue), "time": .time(refusal.time), "head": .revision(refusal.head),
                "caller": .string(refusal.caller), "code": .string(refusal.code), "message": .string(refusal.message),
                "change": refusal.change.map { .count($0) } ?? .null, "changes": .count(refusal.changeCount),
                "hash": .string(hash),
            ]
            if let tried = refusal.tried, let whole = tried.whole {
                members["triedBeginning"] = .string(tried.json)
                members["triedBytes"] = .count(whole.byteCount)
                members["triedSHA256"] = .string(whole.digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())
            } else {
                members["tried"] = try refusal.tried.map { try JSONText.decode(Array($0.json.utf8)) } ?? .null
            }
            return members.with(refusal.origin.members)
        }
    }
}
