internal import ChildSpawn
internal import Foundation
internal import Synchronization

/// A child process of a test. It starts in `init`, and a separate thread waits for its end.
///
/// The child inherits no descriptors except 0, 1 and 2, blocks no signals and has the default action for each of them, for any
/// thread that starts it. Foundation's `Process` reads beyond its list of open descriptors if the test has more than about 1,000,
/// and starts children with the blocked signals of a Dispatch worker.
public final class ChildProcess: Sendable {
    /// The destination of the child's standard output.
    public enum Output: Sendable {
        /// The file descriptor of the test with the same number.
        case inherited
        case discarded
        /// Memory. ``finish()`` returns the output.
        case kept
        /// A pipe. ``line()`` and ``available()`` read it while the child runs.
        case pipe
    }

    /// The destination of the child's standard error.
    public enum Errors: Sendable {
        case inherited
        case discarded
        /// Memory. ``errors`` reads the output at any time.
        case kept
        /// The same destination as standard output.
        case withOutput
    }

    /// The end of a child: its exit code or its signal.
    public enum End: Equatable, Sendable {
        case exit(Int32)
        case signal(Int32)

        /// The exit code; nil if a signal ended the child.
        public var exitCode: Int32? { if case .exit(let code) = self { code } else { nil } }
    }

    /// The end of a child process, and its output.
    public struct Result: Sendable {
        public let end: End
        public let bytes: [UInt8]
        public let errors: String

        /// The exit code; nil if a signal ended the child.
        public var exitCode: Int32? { end.exitCode }
        public var output: String { String(decoding: bytes, as: UTF8.self) }
    }

    /// The child could not be started.
    public struct CannotStart: Error, CustomStringConvertible {
        public let description: String
    }

    private struct State {
        var end: End?
        var waiting: [@Sendable () -> Void] = []
    }

    public let processIdentifier: Int32
    private let state = Mutex(State())
    private let input: FileHandle?
    private let output: FileHandle?
    private let lines: Mutex<PipeLines?>
    private let errorFile: FileHandle?

    /// The environment of the tests without their settings, such as `MUNIMENT_SEED`, which a service would warn of.
    public static var environment: [String: String] {
        ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("MUNIMENT_") }
    }

    /// Starts a child.
    ///
    /// - Parameters:
    ///   - command: the executable, as a path or a name that is looked up in `PATH` of the test, and its arguments.
    ///   - folder: the working folder; nil for that of the test.
    ///   - environment: all of the child's environment; nil for ``environment``.
    ///   - hasInput: whether standard input is a pipe, for ``write(_:)``; otherwise it is empty.
    ///   - output: where standard output goes.
    ///   - errors: where standard error goes.
    ///   - seconds: how long the child may run, in seconds: far longer than it needs. SIGKILL ends it then.
    /// - Throws: ``CannotStart`` if the executable or the folder does not exist, or the system lacks descriptors or processes.
    public init(
        _ command: [String], in folder: String? = nil, environment: [String: String]? = nil, hasInput: Bool = false,
        output: Output = .kept, errors: Errors = .kept, endingWithinSeconds seconds: Int = 600
    ) throws {
        let null = try Descriptors.null()
        let inputPipe = hasInput ? Pipe() : nil
        let outputPipe = output == .pipe ? Pipe() : nil
        let outputFile = output == .kept ? try Descriptors.memory() : nil
        errorFile = errors == .kept ? try Descriptors.memory() : nil
        let written = output == .inherited ? nil : outputPipe?.fileHandleForWriting ?? outputFile ?? null
        let complained: FileHandle? =
            switch errors {
            case .inherited: nil
            case .discarded: null
            case .kept: errorFile
            case .withOutput: written
            }
        processIdentifier = try ChildProcess.spawn(
            command, in: folder, environment ?? ChildProcess.environment,
            [inputPipe?.fileHandleForReading ?? null, written, complained])
        // Closes the test's copies. The child has copies too, and otherwise no pipe would end.
        try inputPipe?.fileHandleForReading.close()
        try outputPipe?.fileHandleForWriting.close()
        input = inputPipe?.fileHandleForWriting
        self.output = outputFile
        lines = Mutex(outputPipe.map { PipeLines($0.fileHandleForReading) })

        let thread = Thread { [self] in waitForEnd() }
        thread.stackSize = 1 << 18
        thread.start()
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(seconds)) { [weak self] in self?.signal(SIGKILL) }
    }

    private static func spawn(
        _ command: [String], in folder: String?, _ environment: [String: String], _ files: [FileHandle?]
    ) throws -> pid_t {
        var arguments = unsafe command.map { unsafe strdup($0) } + [nil]
        var variables = unsafe environment.map { unsafe strdup("\($0)=\($1)") } + [nil]
        defer {
            for number in 0..<command.count { unsafe free(arguments[number]) }
            for number in 0..<environment.count { unsafe free(variables[number]) }
        }
        var child: pid_t = 0
        let code = withExtendedLifetime(files) {
            unsafe child_spawn(&child, folder, files.map { $0?.fileDescriptor ?? -1 }, &arguments, &variables)
        }
        guard code == 0 else { throw Descriptors.refusal(command[0], code) }
        return child
    }

    /// Waits without reaping first, so that the process identifier stays the child's until the state says that it ended.
    private func waitForEnd() {
        var information = unsafe siginfo_t()
        while unsafe waitid(P_PID, id_t(processIdentifier), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        let waiting = state.withLock { state in
            var status: Int32 = 0
            while unsafe waitpid(processIdentifier, &status, 0) < 0, errno == EINTR {}
            state.end = status & 0x7f == 0 ? .exit(status >> 8 & 0xff) : .signal(status & 0x7f)
            defer { state.waiting = [] }
            return state.waiting
        }
        for resume in waiting { resume() }
    }

    private func whenEnded(_ body: @escaping @Sendable () -> Void) {
        let isRunning = state.withLock { state in
            if state.end == nil { state.waiting.append(body) }
            return state.end == nil
        }
        if !isRunning { body() }
    }

    public var isRunning: Bool { state.withLock { $0.end == nil } }

    /// The exit code; nil while the child runs, and if a signal ended it.
    public var exitCode: Int32? { state.withLock { $0.end?.exitCode } }

    /// Sends a signal to the child; does nothing if it has ended.
    public func signal(_ number: Int32) {
        state.withLock { if $0.end == nil { _ = Foundation.kill(processIdentifier, number) } }
    }

    public func terminate() { signal(SIGTERM) }

    /// Ends the child with SIGKILL, and waits until it is gone.
    public func kill() {
        signal(SIGKILL)
        waitUntilExit()
    }

    public func waitUntilExit() {
        let ended = DispatchSemaphore(value: 0)
        whenEnded { ended.signal() }
        ended.wait()
    }

    /// Waits for the end of the child, and returns its output: for piped output, the rest.
    public func finish() throws -> Result {
        let rest = try lines.withLock { try $0?.rest() }
        waitUntilExit()
        guard let end = state.withLock({ $0.end }) else { preconditionFailure("the child has ended") }
        return Result(end: end, bytes: try rest ?? output.map(Descriptors.contents) ?? [], errors: try errors)
    }

    /// As ``finish()``, without a thread that waits. For output that is not piped.
    public func finish() async throws -> Result {
        await withCheckedContinuation { continuation in whenEnded { continuation.resume() } }
        let finish: () throws -> Result = finish
        return try finish()
    }

    /// The next line of the child's piped output; nil at its end.
    public func line() -> String? { lines.withLock { $0?.next() } }

    /// Waits for piped output, and returns it. Empty at its end.
    public func available() -> [UInt8] { lines.withLock { $0?.available() } ?? [] }

    /// The child's output on standard error until now, if it is kept.
    public var errors: String {
        get throws { String(decoding: try errorFile.map(Descriptors.contents) ?? [], as: UTF8.self) }
    }

    /// Waits until the child's standard error contains a text; false after two minutes.
    public func hasReported(_ text: String) throws -> Bool {
        for _ in 0..<6_000 {
            if try errors.contains(text) { return true }
            usleep(20_000)
        }
        return false
    }

    /// Writes to the child's standard input.
    public func write(_ text: String) throws { try input?.write(contentsOf: Data(text.utf8)) }

    /// Ends the child's standard input.
    public func closeInput() throws { try input?.close() }
}

/// Descriptors that other children do not inherit.
private enum Descriptors {
    static func null() throws -> FileHandle { try handle(unsafe open("/dev/null", O_RDWR | O_CLOEXEC), "/dev/null") }

    /// Creates a file without a name.
    static func memory() throws -> FileHandle { try handle(child_memory(), "a file in memory") }

    private static func handle(_ descriptor: Int32, _ what: String) throws -> FileHandle {
        guard descriptor >= 0 else { throw refusal(what, errno) }
        return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    /// Returns the whole file. Does not change the position where the child writes.
    static func contents(_ file: FileHandle) throws -> [UInt8] {
        var (bytes, chunk) = ([UInt8](), [UInt8](repeating: 0, count: 1 << 16))
        while true {
            let count = unsafe pread(file.fileDescriptor, &chunk, chunk.count, bytes.count)
            if count < 0 { throw refusal("reading output", errno) }
            if count == 0 { return bytes }
            bytes += chunk[..<count]
        }
    }

    static func refusal(_ what: String, _ code: Int32) -> ChildProcess.CannotStart {
        ChildProcess.CannotStart(description: unsafe "\(what): " + String(cString: strerror(code)))
    }
}
