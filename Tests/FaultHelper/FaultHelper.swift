import Files
import Glibc

/// A process for tests of what ends a process, or takes two: it does what its arguments say and tells it line by line.
@main struct FaultHelper {
    static func main() {
        installDamageHandler()
        let arguments = Array(CommandLine.arguments.dropFirst())
        do {
            try Errand(arguments).run()
        } catch {
            say("error: \(error)")
            exit(3)
        }
    }

    static func say(_ line: String) {
        print(line)
        fflush(nil)
    }
}
