/// A server of a test: a process of its own, written in Python, on a free port of this machine.
///
/// The script prints its port as the first line, and further lines as it likes. It ends when its standard input does, so that it
/// never outlives the test.
public final class PythonServer: Sendable {
    private let process: ChildProcess
    public let port: UInt16

    /// Puts `watch()` in front, which ends the process with its standard input.
    private static let prelude = """
        import http.server, os, ssl, sys, threading
        def watch():
            threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
        watch()

        """

    /// - Parameters:
    ///   - script: the script to run.
    ///   - arguments: `sys.argv[1:]`.
    ///   - interpreter: the `python3` of an environment that has the imports of the script; the system's needs only the standard
    ///     library.
    /// - Throws: where the process does not start or says no port.
    public init(_ script: String, _ arguments: [String] = [], interpreter: String = "python3") throws {
        process = try ChildProcess(
            [interpreter, "-u", "-c", PythonServer.prelude + script] + arguments, hasInput: true, output: .pipe, errors: .inherited,
            endingWithinSeconds: 1800)
        guard let port = process.line().flatMap({ UInt16($0) }) else {
            process.kill()
            throw NoPort()
        }
        self.port = port
    }

    deinit { stop() }

    private struct NoPort: Error {}

    /// The next line that it says; nil where it says nothing more.
    public func line() -> String? { process.line() }

    /// Ends it, and waits until it is gone.
    public func stop() {
        guard process.isRunning else { return }
        try? process.closeInput()
        process.waitUntilExit()
    }
}
