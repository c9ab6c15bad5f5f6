/// When the store writes expired access to the log. Access expires at its time, whatever the log says (CONFORMANCE E13).
public enum ExpiryRecording: Hashable, Sendable {
    /// While the store is open for writing, it records an expiry within a second. When it opens for writing, it records the
    /// expiries that are due.
    case byItself
    /// Records an expiry with the next commit, before it, or with ``Store/advance(to:)``. For callers that set commit times, such
    /// as replays: the store adds no commits between the caller's commits.
    case withCommits
}
