/// When ends of access reach the log. Access itself ends at its moment, whatever the log says (CONFORMANCE E13).
public enum EndRecording: Hashable, Sendable {
    /// The store records an end by itself, within a second after its clock has come to it, for as long as it is open for writing;
    /// and what fell due while it was not open, as soon as it is.
    case byItself
    /// An end is recorded with the next commit, in front of it, or by ``Store/advance(to:)``. For those who give commits times of
    /// their own, such as replays: nothing comes in between.
    case withCommits
}
