import Events
import Muniment
import Permissions
import Wire

/// Changes that would allow the denied access, as calls of this tool.
extension ProposalList {
    func lines(isPast: Bool) -> [String] {
        if let obstacle { return ["no grant would allow it: \(obstacle.words)"] }
        guard !proposals.isEmpty else { return [] }
        let would = isPast ? "would have allowed it then" : "would allow it"
        let first = proposals.count == 1 ? "this \(would):" : "any one of these \(would):"
        let calls = proposals.map { "  " + $0.changes.map(\.call).joined(separator: " && ") }
        return [first] + calls + (isComplete ? [] : ["  and more may exist"])
    }
}

extension Change {
    /// The call of this tool that makes this change, for the kinds of changes that are proposed.
    fileprivate var call: String {
        let words: [String] =
            switch self {
            case .register(let principal): ["register", principal.text]
            case .addMember(let member, let role, _): ["role", "add", member.text, "to", role.text]
            case .grant(let subject, let object, let privileges, _, _, _):
                ["grant", subject.text, privileges.joined(separator: ","), "on", object.text]
            case .changeClass(let name, let settings):
                ["class", "change", name, "--add-privileges", (settings.privileges ?? []).joined(separator: ",")]
            default: [operation]
            }
        return (["muniment"] + words.map(\.shellWord)).joined(separator: " ")
    }
}
