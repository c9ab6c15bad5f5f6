package import Events
package import Muniment

extension StoreStatistics {
    package var json: JSONObject {
        let tables = tables.map { table in
            JSONValue.object(["name": .string(table.name), "rows": .count(table.rows), "bytes": .count(table.bytes)])
        }
        return [
            "preset": .string(preset.name), "openToEveryone": .bool(isOpenToEveryone), "revision": .revision(head.revision),
            "time": .time(head.time), "hash": .string(head.hash), "events": .count(events), "principals": .count(principals),
            "roles": .count(roles),
            "classes": .count(classes), "objects": .count(objects), "refusals": .count(refusals), "logBytes": .count(logBytes),
            "indexBytes": .count(indexBytes), "tables": .array(tables),
        ]
    }
}

extension Preset {
    /// The preset in the syntax of history headers.
    package var name: String { self == .open ? "open" : "locked" }
}

extension VerificationReport {
    package var json: JSONObject {
        [
            "sound": .bool(isSound), "commits": .count(commits), "events": .count(events), "refusals": .count(refusals),
            "refusalHash": .optional(refusalHash), "problems": .texts(problems), "notes": .texts(notes),
            "revision": head.map { .revision($0.revision) } ?? .null, "hash": .optional(head?.hash),
        ]
    }
}
