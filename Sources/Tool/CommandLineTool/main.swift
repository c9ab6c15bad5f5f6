import Files
import Glibc

// A damaged file causes a crash when its pages are read; the handler prints the reason.
installDamageHandler()
// If the reader closes the pipe early (`muniment log | head`), a write fails and ends the command without an error.
signal(SIGPIPE, SIG_IGN)
exit(Tool().run(Array(CommandLine.arguments.dropFirst())).rawValue)
