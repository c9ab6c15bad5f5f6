internal import Glibc

/// Ends this process with a message and exit code 3 where the system would otherwise end it for touching what it must not.
///
/// LMDB follows what a file says without looking twice: a damaged page can lead it to memory that is not there, or to an
/// assertion of its own. Opening a store looks for such damage first; this is for what happens to a file afterwards. Call it
/// once, at the start of a program.
public func installDamageHandler() {
    var handled = sigset_t()
    unsafe sigemptyset(&handled)
    for number in [SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGTRAP, SIGFPE] {
        // In here only what is safe in a handler of signals: no memory is allocated, nothing is locked.
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
    // One that the process which started this one held back would end it without a word.
    unsafe pthread_sigmask(SIG_UNBLOCK, &handled, nil)
}
