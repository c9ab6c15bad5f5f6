internal import Events
internal import Muniment
internal import Permissions

extension HistoryStep {
    /// Why an answer is as it is: which level decided, and for one that allows the commits that made it so.
    func reason(_ answer: CheckAnswer, _ subject: Name, _ privilege: String, _ object: Name) throws -> String {
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
        return answer.explanation + "; made so by \(list)"
    }
}

extension WitnessedFact {
    /// Whether somebody gave something with it, as opposed to where an object stands and what its class is like.
    fileprivate var isGift: Bool {
        switch fact {
        case .member, .entry, .permission, .attachment, .link, .administrator: true
        case .object, .child, .options: false
        }
    }
}
