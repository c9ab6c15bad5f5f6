package import Events
package import Muniment
internal import Permissions

/// Changes that would allow the denied access, as JSON.
extension Proposals {
    package var members: JSONObject {
        [
            "proposals": .array(proposals.map { .array($0.changes.map(\.json)) }), "proposalsComplete": .bool(isComplete),
            "obstacle": .optional(obstacle?.words),
        ]
    }
}

extension Proposals.Obstacle {
    package var words: String {
        switch self {
        case .unknownObject: "the object does not exist; create it first"
        case .unknownSubject:
            "this name cannot have access: use a user, a thing, an existing role, everyone or anonymous"
        case .impossiblePrivilege(let name): "a class cannot have the privilege \(name)"
        case .nothingAsked: "the question has no privilege"
        }
    }
}

extension Change {
    /// The change in the syntax of `SCENARIOS.md`.
    fileprivate var json: JSONValue {
        var writer = JSONWriter()
        write(into: &writer)
        return (try? JSONText.decode(Array(writer.text.utf8))) ?? .null
    }
}
