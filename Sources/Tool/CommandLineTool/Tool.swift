import Files
import Foundation
import Muniment
import Permissions

/// The `muniment` tool: finds the command in the arguments, runs it, and returns an exit code.
struct Tool {
    static let release = "0.1.0"
    /// What `--version` prints: the version, and the commit if it is known.
    static let version = builtCommit.isEmpty ? release : "\(release) (\(builtCommit))"

    private let output = Output()

    /// Runs a call. Answers are written to standard output, everything else to standard error.
    func run(_ arguments: [String]) -> ExitCode {
        do {
            let code = try answer(arguments)
            ProgressBar.standard.end()
            // If the reader closed the output early, the exit code is unchanged.
            do { try output.finish() } catch is OutputClosedError {}
            return code
        } catch {
            ProgressBar.standard.end()
            // The results before the error are valid.
            try? output.finish()
            return report(error)
        }
    }

    private func answer(_ arguments: [String]) throws -> ExitCode {
        if let argument = firstArgumentThatIsNoText() {
            throw UsageError("the argument `\(argument)` is not UTF-8; write it in a terminal that is set to UTF-8")
        }
        var options = try ParsedArguments(arguments)
        if options.isSet(.version) {
            try output.line("muniment \(Tool.version)")
            return .success
        }
        if options.words.first == "help" {
            options.words.removeFirst()
        } else if !options.isSet(.help) {
            return try execute(options)
        }
        output.usesPager = true
        for line in try Help.lines(about: options.words) { try output.line(line) }
        return .success
    }

    private func execute(_ options: ParsedArguments) throws -> ExitCode {
        let (command, words) = try CommandTable.command(in: options.words)
        do {
            try options.check(allowed: command.options)
            var call = Invocation(command, words: words, options: options, output: output)
            if command.sentence.isEmpty { try call.end() }
            if !call.isEndless {
                output.usesPager = command.options.contains { $0.name == Option.format.name }
                ProgressBar.standard.begin(command.name)
            }
            return try command.run(&call)
        } catch var error as UsageError {
            error.command = command
            throw error
        } catch StoreError.heldByAnotherWriter(let path, _) where StoreOfService(at: path) != nil {
            throw HeldByServiceError(command: command.name, path: path)
        }
    }

    private func report(_ error: any Error) -> ExitCode {
        let failure = Failure(error)
        guard let message = failure.message else { return failure.code }
        writeError(failure.isVerdict ? message : "muniment: " + message)
        return failure.code
    }
}
