/// A Python server for a test, in a separate process on a free port of this machine.
///
/// The script prints its port in the first line, and may print more lines. It ends when its standard input ends, so that it
/// never outlives the test.
public final class PythonServer: Sendable {
    private let process: ChildProcess
    public let port: UInt16

    /// Ends the process when its standard input ends, and does not report clients that break off: many tests do so on purpose.
    private static let prelude = """
        import http.server, os, socketserver, ssl, sys, threading
        report = socketserver.BaseServer.handle_error
        def handle_error(server, request, address):
            if not isinstance(sys.exc_info()[1], ConnectionError): report(server, request, address)
        socketserver.BaseServer.handle_error = handle_error
        def watch():
            threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
        watch()

        """

    /// - Parameters:
    ///   - script: the script to run.
    ///   - arguments: `sys.argv[1:]`.
    ///   - interpreter: the `python3` of an environment that has the imports of the script; the system's needs only the standard
    ///     library.
    /// - Throws: if the process does not start or prints no port.
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

    /// Returns the next line of its output, or nil at the end.
    public func line() -> String? { process.line() }

    /// Ends the process, and waits until it has ended.
    public func stop() {
        guard process.isRunning else { return }
        try? process.closeInput()
        process.waitUntilExit()
    }
}
