internal import Credentials
internal import Events
internal import HTTPServer
internal import Permissions

/// The stores that have a decision log.
public enum DecisionLogChoice: Hashable, Sendable {
    case none
    case all
    case stores([String])

    func includes(_ store: String) -> Bool {
        switch self {
        case .none: false
        case .all: true
        case .stores(let names): names.contains(store)
        }
    }
}

/// Opens the decision logs of the configured stores.
struct DecisionLogs: Sendable {
    let choice: DecisionLogChoice
    let dataDirectory: String
    let report: @Sendable (String) -> Void

    init(_ settings: ServiceSettings) {
        (choice, dataDirectory, report) = (settings.decisionLogs, settings.dataDirectory, settings.report)
    }

    /// Returns the log of a store; nil if it is not configured to have one.
    func open(_ store: StoreName) throws -> DecisionLog? {
        guard choice.includes(store.text) else { return nil }
        return try DecisionLog(DecisionFiles(of: store.text, in: dataDirectory), report: report)
    }
}

extension Call {
    /// Counts a decision, and adds it to the store's decision log, if it has one. Does not block.
    ///
    /// - Parameters:
    ///   - isAllowed: whether the check was allowed.
    ///   - subject: the subject of the check.
    ///   - action: the privilege, or the name of its action.
    ///   - resource: the object.
    ///   - revision: the revision of the decision.
    func decided(_ isAllowed: Bool, _ subject: Name, _ action: String, _ resource: Name, revision: Revision) {
        guard let hosted else { return }
        hosted.decisions.add(isAllowed)
        guard let log = hosted.decisionLog else { return }
        log.record(
            Decision(
                time: service.settings.clock(), caller: caller?.id, subject: subject.text, action: action, resource: resource.text,
                isAllowed: isAllowed, revision: revision, requestID: requestID))
    }
}
