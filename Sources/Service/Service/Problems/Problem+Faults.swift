internal import Events
internal import Files
internal import HTTPServer
internal import Histories
internal import Identity
internal import Muniment
internal import Permissions
internal import Wire

extension Problem {
    /// Creates the problem for an error of a lower layer. Errors that the caller did not cause are reported in the log and not to
    /// the caller.
    init(_ error: any Error) {
        switch error {
        case let problem as Problem: self = problem
        case is Cancellation.Stopped: self = .deadlineExceeded
        case let refusal as Refusal: self.init(refusal)
        case let problem as AuthZENProblem: self.init(problem.status == 403 ? .forbidden : .malformed, problem.message)
        case let problem as AccountProblem: self.init(problem)
        case let error as JSONError where error.kind == .tooLong: self.init(.tooLarge, "the body is too large: \(error)")
        case let error as JSONError: self.init(.malformed, "the body is not JSON: \(error)")
        case let error as SpanRunsBackwards: self.init(.malformed, "\(error)")
        case let error as MalformedTime: self.init(.malformed, "\(error)")
        case let error as StoreError: self.init(error)
        case let error as FileError where error.isLackOfResources: self = .lacksResources
        case AccountBookError.lacksResources: self = .lacksResources
        default: self.init(.failed, "internal error: the operator finds it in the service's log under the request's id")
        }
    }

    private init(_ error: StoreError) {
        switch error {
        case .noSuchRevision, .timeGoesBackwards: self.init(.malformed, "\(error)")
        case .clockIsAhead, .clockIsBehind:
            self.init(
                .unavailable,
                "the clock of the service's machine is wrong, so the store commits nothing. Try again after it is corrected.")
        case .lacksResources: self = .lacksResources
        case .rolledBack, .headIsDamaged:
            self.init(
                .unavailable,
                "the log of this store lost commits, so the store is not served. The operator restores it from a backup or runs "
                    + "`muniment accept-rollback`.")
        case .missing:
            self.init(
                .unavailable,
                "the folder of this store is missing, so the store is not served. The operator puts it back, restores it from a backup or "
                    + "runs `muniment accept-rollback`.")
        case .closed: self.init(.unavailable, "the service is stopping: try again later")
        default:
            self.init(.unavailable, "the store cannot do this now; the service's log has the reason under the request's id")
        }
    }
}
