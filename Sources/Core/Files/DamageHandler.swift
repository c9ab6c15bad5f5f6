internal import Glibc

/// Ends this process with a message and exit code 3 if the system would otherwise end it because of invalid memory access or a
/// failed assertion. Call it once, at the start of a program.
///
/// LMDB trusts the content of its file: a damaged page can lead it to invalid memory, or to a failed assertion. Opening a store
/// checks for such damage; this handler covers damage that occurs later. The traps of Swift are errors of the program.
public func installDamageHandler() {
    let handled = [SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGTRAP, SIGFPE]
    for number in handled {
        // Only operations that are safe in a signal handler: no memory allocation, no locks.
        signal(number) { number in
            let isTrap = number == SIGILL || number == SIGTRAP
            let text: StaticString =
                isTrap
                ? "muniment: internal error: the program stopped before it could do something wrong; report this to its developers\n"
                : "muniment: the store's files are damaged: run `muniment verify`, then `muniment rebuild`\n"
            _ = unsafe write(2, text.utf8Start, text.utf8CodeUnitCount)
            _exit(3)
        }
    }
    // A signal that the parent process has blocked would end this process without a message.
    unblockSignals(handled)
}
