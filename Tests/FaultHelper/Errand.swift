import Files
import Glibc

/// What the helper can be asked to do.
struct Errand {
    private let name: String
    private let arguments: [String]

    init(_ arguments: [String]) {
        name = arguments.first ?? ""
        self.arguments = Array(arguments.dropFirst())
    }

    func run() throws {
        switch name {
        case "hold-lock":
            let lock = try FileLock(path: arguments[0], holder: processDescription())
            FaultHelper.say("held")
            pause()
            lock.release()
        case "fill-log": try FillLog(path: arguments[0], limit: Int(arguments[1]) ?? 0).run()
        case "raise": raise(Errand.signals[arguments[0]] ?? 0)
        default: FaultHelper.say("unknown errand `\(name)`")
        }
    }

    private static let signals: [String: Int32] = [
        "SIGSEGV": SIGSEGV, "SIGBUS": SIGBUS, "SIGABRT": SIGABRT, "SIGILL": SIGILL, "SIGTRAP": SIGTRAP, "SIGFPE": SIGFPE,
    ]
}
