/// The exit code of a call.
enum ExitCode: Int32 {
    /// Yes, or done.
    case success = 0
    /// No, refused, or a failed check.
    case failure = 1
    /// The call is invalid.
    case usage = 2
    /// The store does not exist, is locked by another writer, or is damaged; or the disk reports an error.
    case storeTrouble = 3
}
