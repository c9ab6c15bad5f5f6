import Events
import Muniment
import Permissions
import StoreSupport

/// The queries that the explanation tests send to a store.
extension StoreFixture {
    func witness(_ subject: Name, _ privileges: String..., on object: Name, at moment: Moment = .now) throws -> Witness {
        try store.read(at: moment) { snapshot in
            try snapshot.witness(of: snapshot.explain(subject, privileges, on: object))
        }
    }

    /// Returns the paths at a level, each as one line with its facts and their revisions.
    func why(
        _ subject: Name, _ privilege: String, on object: Name, _ level: DecidingLevel = .object, at moment: Moment = .now
    ) throws -> [String] {
        let witness = try witness(subject, privilege, on: object, at: moment)
        return witness.paths(at: level).map(witness.line)
    }
}

extension Witness {
    /// A path as one line: the matching subject of the caller, then each fact with its revision.
    func line(_ path: WitnessedPath) -> String {
        let beginning = path.beginning.map { [name($0)] } ?? []
        let facts = path.facts.map { "\(words($0.fact)) (r\($0.citation.revision) \(name($0.citation.actor)))" }
        return (beginning + facts).joined(separator: "; ")
    }

    private func words(_ fact: Fact) -> String {
        switch fact {
        case .object(let object, let classID): "\(name(object)): \(name(classID))"
        case .child(let child, let parent): "\(name(child)) in \(name(parent))"
        case .options(let classID, _): "\(name(classID))"
        case .member(let member, let role): "\(name(member)) of \(name(role))"
        case .entry(let subject, let object, let privileges, let until):
            "\(name(subject)) has \(list(privileges)) on \(name(object))" + (until == .forever ? "" : " until \(until)")
        case .permission(let permission, let subject, let privileges):
            "\(name(permission)) gives \(name(subject)) \(list(privileges))"
        case .attachment(let permission, let object): "\(name(permission)) on \(name(object))"
        case .link(let source, let target): "\(name(source)) links to \(name(target))"
        case .administrator(let principal): "\(name(principal)) administers"
        }
    }

    private func list(_ privileges: Privileges) -> String { privilegeNames.names(of: privileges).joined(separator: ", ") }
}
