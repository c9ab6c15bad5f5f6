import Files
import Glibc

/// A process for tests that end a process or need two. It runs the command in its arguments and reports line by line.
@main struct FaultHelper {
    static func main() {
        installDamageHandler()
        let arguments = Array(CommandLine.arguments.dropFirst())
        do {
            try HelperCommand(arguments).run()
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
