internal import Dispatch
internal import Muniment
internal import Synchronization

/// Finds what the service cannot do. Writes a line to the log when such an obstacle begins, and one when it ends.
final class Readiness: Sendable {
    private let data: DataDirectory
    private let accounts: AccountService?
    private let settings: ServiceSettings
    private let faults: FaultLog
    private let report: @Sendable (String) -> Void
    private let faultOfTokens: @Sendable () -> (any Error)?
    private let known = Mutex<[Obstacle]>([])
    private let queue = DispatchQueue(label: "muniment.readiness")
    private let isStopped = Atomic(false)
    private static let interval = DispatchTimeInterval.seconds(5)

    /// Begins to look for obstacles at regular times.
    ///
    /// - Parameters:
    ///   - data: the stores.
    ///   - accounts: nil without accounts.
    ///   - settings: the settings of the service.
    ///   - faults: counts the obstacles.
    ///   - report: receives each begin of an obstacle, also if the same text was reported shortly before.
    ///   - faultOfTokens: why callers with tokens cannot be authenticated; nil if they can.
    init(
        _ data: DataDirectory, _ accounts: AccountService?, _ settings: ServiceSettings, _ faults: FaultLog,
        _ report: @escaping @Sendable (String) -> Void, faultOfTokens: @escaping @Sendable () -> (any Error)?
    ) {
        (self.data, self.accounts, self.settings, self.faultOfTokens) = (data, accounts, settings, faultOfTokens)
        (self.faults, self.report) = (faults, report)
        checkLater()
    }

    private func checkLater() {
        queue.asyncAfter(deadline: .now() + Self.interval) { [weak self] in
            guard let self, !isStopped.load(ordering: .relaxed) else { return }
            data.openRepaired()
            check()
            checkLater()
        }
    }

    /// Ends looking at regular times, after a running look: it would take stores that are being closed for obstacles.
    func stop() {
        isStopped.store(true, ordering: .relaxed)
        queue.sync {}
    }

    /// Looks for obstacles now, and logs those that have begun or ended.
    ///
    /// - Returns: the most important obstacle; nil if the service is ready.
    @discardableResult
    func check() -> Obstacle? {
        known.withLock { known in
            let (found, before) = (obstacles(), known)
            known = found
            for obstacle in found where !before.contains(where: obstacle.isReported) {
                faults.count.add()
                report(obstacle.text)
            }
            for obstacle in before where !found.contains(where: obstacle.preventsTheSame) {
                settings.note(.info, "\(obstacle.subject) \(obstacle.kind.end)")
            }
            return found.first
        }
    }

    private func obstacles() -> [Obstacle] {
        var found = data.unserved.map { Obstacle(.unserved, $0.name, $0.reason) }
        for hosted in data.open {
            let (store, name) = (hosted.store, hosted.name)
            let clock = Result { try store.clockProblem }
            if let reason = store.obstacleToWriting {
                found.append(Obstacle(.takesNoChanges, name, reason))
            } else if case .success(let problem?) = clock {
                found.append(Obstacle(.takesNoChanges, name, "\(problem)"))
            } else if case .failure(let error) = clock {
                found.append(Obstacle(.takesNoChanges, name, "\(error)"))
            }
            if !hosted.isCurrent(within: settings.lagLimit) {
                found.append(Obstacle(.hasNoNews, name, hosted.store.sharedLogStatus?.failure ?? "it did not answer in time"))
            }
            if let lack = store.lackOfDiskSpace { found.append(Obstacle(.lacksSpace, name, "\(lack)")) }
        }
        if let reason = accounts?.obstacleToChanges { found.append(Obstacle(.accounts, nil, reason)) }
        if let fault = faultOfTokens() { found.append(Obstacle(.tokens, nil, "\(fault)")) }
        return found.sorted { $0.kind.rawValue < $1.kind.rawValue }
    }
}

/// Something that the service cannot do.
struct Obstacle {
    /// The most important one first.
    enum Kind: Int {
        case unserved, takesNoChanges, hasNoNews, accounts, lacksSpace, tokens
    }

    let kind: Kind
    /// Nil if the obstacle concerns no single store.
    let store: StoreName?
    let reason: String

    init(_ kind: Kind, _ store: StoreName?, _ reason: String) { (self.kind, self.store, self.reason) = (kind, store, reason) }

    /// Whether another obstacle prevents the same, for whatever reason.
    func preventsTheSame(_ other: Obstacle) -> Bool { kind == other.kind && store == other.store }

    /// Whether the log needs no line about this obstacle after a line about another one. A store that is not served has a line for each
    /// reason. The reasons of other obstacles contain figures that change.
    fileprivate func isReported(by other: Obstacle) -> Bool {
        preventsTheSame(other) && (kind != .unserved || reason == other.reason)
    }

    /// The line for the log.
    var text: String { "\(subject) \(kind.begin): \(reason)" }

    fileprivate var subject: String { store.map { "the store `\($0)`" } ?? "the service" }
}

extension Obstacle.Kind {
    /// The answer to everyone, without the name of a store and without the reason.
    var answer: String {
        switch self {
        case .unserved: "a store is not served; the service's log has the reason"
        case .takesNoChanges: "a store takes no writes; the service's log has the reason"
        case .hasNoNews: "this node has no news from the shared log; the service's log has the reason"
        case .accounts: "accounts cannot be changed; the service's log has the reason"
        case .lacksSpace: "changes are refused: the disk has too little free space"
        case .tokens: "the token file cannot be read; the service's log has the reason"
        }
    }

    fileprivate var begin: String {
        switch self {
        case .unserved: "is not served"
        case .takesNoChanges, .lacksSpace: "takes no changes"
        case .hasNoNews: "has no news from the shared log"
        case .accounts: "cannot change accounts"
        case .tokens: "accepts no token"
        }
    }

    fileprivate var end: String {
        switch self {
        case .unserved: "is served again"
        case .takesNoChanges, .lacksSpace: "takes changes again"
        case .hasNoNews: "has news from the shared log again"
        case .accounts: "can change accounts again"
        case .tokens: "accepts tokens again"
        }
    }
}
