internal import Glibc

/// Unblocks signals for the calling thread and the threads that it starts later. A parent process can start a program with blocked
/// signals, for example from a Dispatch worker thread.
///
/// - Parameter signals: the numbers of the signals.
public func unblockSignals(_ signals: [Int32]) {
    var set = sigset_t()
    unsafe sigemptyset(&set)
    for signal in signals { unsafe sigaddset(&set, signal) }
    unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
}
