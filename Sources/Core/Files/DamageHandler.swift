internal import Glibc

/// Ends this process with a message and exit code 3 if the system would otherwise end it because of invalid memory access or a
/// failed assertion.
///
/// LMDB trusts the content of its file: a damaged page can lead it to invalid memory, or to a failed assertion. Opening a store
/// checks for such damage; this handler covers damage that occurs later. Call it once, at the start of a program.
public func installDamageHandler() {
    var handled = sigset_t()
    unsafe sigemptyset(&handled)
    for number in [SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGTRAP, SIGFPE] {
        // Only operations that are safe in a signal handler: no memory allocation, no locks.
        signal(number) { _ in
            let text: StaticString = """
                muniment: the store's files are damaged: reading them came to a place that cannot be; \
                run `muniment verify`, then `muniment rebuild`

                """
            _ = unsafe write(2, text.utf8Start, text.utf8CodeUnitCount)
            _exit(3)
        }
        unsafe sigaddset(&handled, number)
    }
    // A signal that the parent process has blocked would end this process without a message.
    unsafe pthread_sigmask(SIG_UNBLOCK, &handled, nil)
}
