import Events
import Muniment
import Permissions

/// What would allow what is denied, as calls of this tool for people, and as changes for programs.
extension Proposals {
    func lines(isPast: Bool) -> [String] {
        if let obstacle { return ["no grant would allow it: \(obstacle.words)"] }
        guard !proposals.isEmpty else { return [] }
        let would = isPast ? "would have allowed it then" : "would allow it"
        let first = proposals.count == 1 ? "this \(would):" : "any one of these \(would):"
        let calls = proposals.map { "  " + $0.changes.map(\.call).joined(separator: " && ") }
        return [first] + calls + (isComplete ? [] : ["  and there may be more"])
    }

    var members: JSONObject {
        [
            "proposals": .array(proposals.map { .array($0.changes.map(\.json)) }), "proposalsComplete": .bool(isComplete),
            "obstacle": .optional(obstacle?.words),
        ]
    }
}

extension Proposals.Obstacle {
    fileprivate var words: String {
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
    /// The call of this tool that makes this change, for the sorts of changes that are proposed.
    fileprivate var call: String {
        let words: [String] =
            switch self {
            case .register(let principal): ["register", principal.text]
            case .addMember(let member, let role, _): ["role", "add", member.text, "to", role.text]
            case .grant(let subject, let object, let privileges, _, _):
                ["grant", subject.text, privileges.joined(separator: ","), "on", object.text]
            case .changeClass(let name, let settings):
                ["class", "change", name, "--privileges", (settings.privileges ?? []).joined(separator: ",")]
            default: [operation]
            }
        return (["muniment"] + words.map(\.quoted)).joined(separator: " ")
    }

    fileprivate var json: JSONValue {
        var writer = JSONWriter()
        write(into: &writer)
        return (try? JSONText.decode(Array(writer.text.utf8))) ?? .null
    }
}

extension String {
    /// As one word of a shell.
    fileprivate var quoted: String {
        let isPlain =
            !isEmpty
            && unicodeScalars.allSatisfy {
                $0.properties.isAlphabetic || $0.isASCII && "0123456789-_.:/,@+=%".unicodeScalars.contains($0)
            }
        return isPlain ? self : "'" + split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}
