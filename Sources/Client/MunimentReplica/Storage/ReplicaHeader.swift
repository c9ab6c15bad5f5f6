internal import Primitives

/// The part of a replica that is always in memory.
struct ReplicaHeader: Hashable, Sendable {
    let user: Name
    /// Sorted, without duplicates.
    let classes: [String]
    /// The confirmed state's revision; nil before the first fill has ended.
    var confirmed: Confirmed?
    /// The fill that was interrupted and can be resumed; nil without one.
    var staging: Staging?
    var lastTransaction: UInt64 = 0

    struct Confirmed: Hashable, Sendable {
        /// The position for the service: the revision and the hash of its commit.
        var position: String
        var revision: Revision
        /// The time of the revision by the clock of the service.
        var time: Instant
        /// When the service last said that this is the current state, by the local clock.
        var heardAt: Instant
        var classes: [Name: PrivilegeEnds]
    }

    struct Staging: Hashable, Sendable {
        /// Where to resume.
        var position: String
        /// Whether the fill replaces a history that no longer exists.
        var isRestored: Bool
    }
}

extension ReplicaHeader: StoredJSON {
    /// The form of the header in the storage.
    var json: JSONValue {
        var members: JSONObject = [
            "user": .string(user.text), "classes": .array(classes.map(JSONValue.string)),
            "lastTransaction": .integer(Int64(clamping: lastTransaction)),
        ]
        if let confirmed {
            members["confirmed"] = .object([
                "position": .string(confirmed.position), "revision": .integer(Int64(clamping: confirmed.revision.rawValue)),
                "time": .integer(confirmed.time.microseconds), "heardAt": .integer(confirmed.heardAt.microseconds),
                "classes": .array(
                    confirmed.classes.sorted { $0.key < $1.key }.map { name, privileges in
                        .object(["class": .string(name.id ?? ""), "privileges": privileges.json])
                    }),
            ])
        }
        if let staging {
            members["staging"] = .object(["position": .string(staging.position), "isRestored": .bool(staging.isRestored)])
        }
        return .object(members)
    }

    init(json: JSONValue) throws(MemberProblem) {
        var reader = try ObjectReader<MemberProblem>(json)
        user = Name(try reader.text("user"))
        classes = try reader.texts("classes")
        lastTransaction = UInt64(try reader.optionalNumber("lastTransaction", 0...Int64.max) ?? 0)
        confirmed = try reader.optional("confirmed") { json throws(MemberProblem) in
            var reader = try ObjectReader<MemberProblem>(json)
            return Confirmed(
                position: try reader.text("position"),
                revision: Revision(UInt64(try reader.optionalNumber("revision", 0...Int64.max) ?? 0)),
                time: Instant(microseconds: try reader.optionalNumber("time", Int64.min...Int64.max) ?? 0),
                heardAt: Instant(microseconds: try reader.optionalNumber("heardAt", Int64.min...Int64.max) ?? 0),
                classes: try readClasses(&reader))
        }
        staging = try reader.optional("staging") { json throws(MemberProblem) in
            var reader = try ObjectReader<MemberProblem>(json)
            return Staging(position: try reader.text("position"), isRestored: try reader.flag("isRestored"))
        }
    }
}

/// Takes the list of classes with privileges from the end of a step, or from a stored header.
func readClasses(_ reader: inout ObjectReader<MemberProblem>) throws(MemberProblem) -> [Name: PrivilegeEnds] {
    let classes = try reader.list("classes") { json throws(MemberProblem) in
        var reader = try ObjectReader<MemberProblem>(json)
        let privileges = try reader.optional("privileges") { json throws(MemberProblem) in try PrivilegeEnds(json: json) }
        return (Name.class(try reader.text("class")), try reader.required("privileges", privileges))
    }
    return Dictionary(classes) { $1 }
}
