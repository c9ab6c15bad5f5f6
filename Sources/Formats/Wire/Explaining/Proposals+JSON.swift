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
        case .unknownObject: "there is no such object; it has to be created first"
        case .unknownSubject:
            "there is nobody of this name: users, things, roles, everyone and anonymous have access, and a role must be there"
        case .impossiblePrivilege(let name): "no class can have a privilege called \(name)"
        case .nothingAsked: "no privilege was asked about"
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
