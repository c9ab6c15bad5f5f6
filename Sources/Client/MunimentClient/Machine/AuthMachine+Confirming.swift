internal import Primitives

/// Checks that a sign-in stays recent for long enough to prepare the change that needs it.
extension AuthMachine {
    /// How long the sign-in must stay recent. If half of the service's limit is less, that is used.
    private static let deletionSeconds: Int64 = 60

    /// - Returns: nil if the user must reauthenticate first.
    mutating func confirmed(
        _ id: JobID, _ running: RunningJob, _ answer: AuthAnswer, _ isNews: Bool, _ step: inout Step
    ) -> Result<AuthValue, AuthError>? {
        // The session changed or ended since the request was sent.
        guard isNews, case .live(let live) = session else { return .failure(.sessionEnded) }
        guard let left = answer.object?.integer("secondsLeft"), let maxAge = answer.object?.integer("maxAge") else {
            return .failure(.unavailable("unexpected response from the service"))
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
