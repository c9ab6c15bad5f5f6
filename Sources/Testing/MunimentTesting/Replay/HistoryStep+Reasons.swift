internal import Events
internal import Muniment
internal import Permissions

extension HistoryStep {
    /// Returns the reason of an answer: the level that decided, and if it allows, the commits that granted the access.
    func reason(_ answer: CheckResult, _ subject: Name, _ privilege: String, _ object: Name) throws -> String {
        guard answer.isAllowed else { return answer.explanation }
        let witness = try snapshot.witness(of: try snapshot.explain(subject, [privilege], on: object))
        let paths = DecidingLevel.allCases.compactMap { witness.paths(at: $0).first }
        let facts = [witness.appointment].compactMap { $0 } + paths.flatMap(\.facts)
        var makers: [Revision: String] = [:]
        for citation in facts.filter(\.isGift).map(\.citation) where citation.revision > .genesis {
            makers[citation.revision] = witness.name(citation.actor)
        }
        guard !makers.isEmpty else { return answer.explanation }
        let list = makers.sorted { $0.key < $1.key }.map { "revision \($0.key) (\($0.value))" }.joined(separator: ", ")
        return answer.explanation + "; caused by \(list)"
    }
}

extension WitnessedFact {
    /// Whether the change grants something, unlike a change of an object's parent or of class options.
    fileprivate var isGift: Bool {
        switch fact {
        case .member, .entry, .permission, .attachment, .link, .administrator: true
        case .object, .child, .options: false
        }
    }
}
