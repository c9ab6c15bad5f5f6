import Files
import Glibc

// A damaged file shows as a crash when its pages are read: say so instead.
installDamageHandler()
// A reader that has seen enough (`muniment log | head`) shows as a failed write, which ends the command in good order.
signal(SIGPIPE, SIG_IGN)
exit(Tool().run(Array(CommandLine.arguments.dropFirst())).rawValue)
