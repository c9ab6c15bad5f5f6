internal import Credentials
internal import Events
internal import HTTPServer
internal import Permissions

/// Of which stores every decision is kept.
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

/// Opens the decision logs of the stores that are to have one.
struct DecisionLogs: Sendable {
    let choice: DecisionLogChoice
    let dataDirectory: String
    let report: @Sendable (String) -> Void

    init(_ settings: ServiceSettings) {
        (choice, dataDirectory, report) = (settings.decisionLogs, settings.dataDirectory, settings.report)
    }

    /// The log of a store; nil where it is to have none.
    func open(_ store: StoreName) throws -> DecisionLog? {
        guard choice.includes(store.text) else { return nil }
        return try DecisionLog(DecisionFiles(of: store.text, in: dataDirectory), report: report)
    }
}

extension Call {
    /// Counts a decision, and puts it into the store's decision log, where it has one. Waits for nothing.
    ///
    /// - Parameters:
    ///   - isAllowed: yes or no.
    ///   - subject: who was asked about.
    ///   - action: the privilege, or the action that stands for it.
    ///   - resource: the object.
    ///   - revision: the one that it was decided on.
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
