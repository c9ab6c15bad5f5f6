import Foundation
import Histories
import Importers
import Muniment
import Permissions

/// The exit code and message of an error.
struct Failure {
    let code: ExitCode
    /// Nil if no message is needed.
    let message: String?
    /// Whether the message is a refusal of the store, unlike a failure to run the command.
    var isVerdict = false

    init(_ error: any Error) {
        switch error {
        case is OutputClosedError: (code, message) = (.success, nil)
        case let error as LoggedError: (code, message) = (error.code, nil)
        case let error as UsageError: (code, message) = (.usage, error.message)
        // A future revision is an error in the question.
        case is FormatError, is SourceFileError, is UnreadableFileError, StoreError.noSuchRevision:
            (code, message) = (.usage, "\(error)")
        case is TokenCommandError, is ImportError: (code, message) = (.failure, "\(error)")
        case let error as AccountCommandError: (code, message) = (error.isServerError ? .storeError : .failure, error.description)
        case let error as Refusal:
            // The tool sends one change at a time, so its index is not useful.
            (code, message) = (.failure, "refused: \(error.code.rawValue): \(error.message)")
            isVerdict = true
        default: (code, message) = (.storeError, Self.text(of: error))
        }
    }
}

extension Failure {
    /// The text of an error. One of Foundation would describe itself with its domain and a number.
    private static func text(of error: any Error) -> String {
        let foundation = error as NSError
        guard foundation.domain == NSCocoaErrorDomain else { return "\(error)" }
        let cause = foundation.userInfo[NSUnderlyingErrorKey] as? NSError ?? foundation
        let path = (foundation.userInfo[NSFilePathErrorKey] as? String).map { "`\($0)`: " } ?? ""
        return path + cause.localizedDescription
    }
}

/// An invalid call.
struct UsageError: Error {
    /// The problem, the word, and the remedy.
    let problem: String
    /// The command, if it is known.
    var command: Command?

    init(_ problem: String) { self.problem = problem }

    /// The problem, with the syntax of the command.
    var message: String {
        guard let command else { return problem + "\n`muniment help` lists the commands" }
        return "\(command.name): \(problem)\nusage: \(command.usage)\n`muniment help \(command.name)` shows an example"
    }
}

/// The exit code of a call.
enum ExitCode: Int32 {
    /// Yes, or done.
    case success = 0
    /// No, refused, or a failed check.
    case failure = 1
    /// The call is invalid.
    case usage = 2
    /// The store does not exist, is locked by another writer, or is damaged; or the disk reports an error.
    case storeError = 3
}
