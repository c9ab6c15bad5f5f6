/// How a call ends, for the program that made it.
enum ExitCode: Int32 {
    /// Yes, or done.
    case success = 0
    /// No, refused, or not as it should be.
    case failure = 1
    /// The call itself makes no sense.
    case usage = 2
    /// The store is not there, is held by another writer, or is damaged; or the disk refuses.
    case storeTrouble = 3
}
