internal import Events

/// Whether a sign-in is recent for long enough that something can be done before the change that needs it.
extension AuthMachine {
    /// So long the sign-in has to stay recent, or half as long as the service lets any, where that is less.
    private static let deletionSeconds: Int64 = 60

    /// - Returns: nil where the person is asked first.
    mutating func confirmed(
        _ id: JobID, _ running: RunningJob, _ answer: AuthAnswer, _ isNews: Bool, _ step: inout Step
    ) -> Result<AuthValue, AuthError>? {
        // Somebody else is signed in by now, or nobody, and it was not asked about them.
        guard isNews, case .live(let live) = session else { return .failure(.sessionEnded) }
        guard let left = answer.object?.integer("secondsLeft"), let maxAge = answer.object?.integer("maxAge") else {
            return .failure(.unavailable("the service answers what is none of its answers"))
        }
        maxAgeSeconds = Int(clamping: maxAge)
        if left >= min(AuthMachine.deletionSeconds, maxAge / 2) { return .success(.nothing) }
        guard let change = running.job.change, running.challenges < AuthMachine.challengeLimit else {
            return .failure(.recentSignInRequired(maxAgeSeconds: maxAgeSeconds))
        }
        challenge(id, change, live.user, &step)
        return nil
    }
}
