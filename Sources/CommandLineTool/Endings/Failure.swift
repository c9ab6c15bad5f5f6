import Histories
import Muniment
import Permissions

/// What an error means to whoever made the call: an exit code, and a message for people.
struct Failure {
    let code: ExitCode
    /// Nil where there is nobody to tell.
    let message: String?
    /// Whether the message is the store's verdict on a command rather than trouble with carrying it out.
    var isVerdict = false

    init(_ error: any Error) {
        switch error {
        case is OutputClosed: (code, message) = (.success, nil)
        case let error as UsageError: (code, message) = (.usage, error.message)
        case let error as FormatError: (code, message) = (.usage, error.description)
        case let error as UnreadableFile: (code, message) = (.usage, error.description)
        case let error as OutputFailure: (code, message) = (.storeTrouble, error.description)
        case let error as TokenRefusal: (code, message) = (.failure, error.description)
        case let error as AccountRefusal: (code, message) = (error.isTrouble ? .storeTrouble : .failure, error.description)
        case let error as ImportError: (code, message) = (.failure, error.description)
        case let error as Refusal:
            // The tool sends one change at a time, so its number says nothing.
            (code, message) = (.failure, "refused: \(error.code.rawValue): \(error.message)")
            isVerdict = true
        case let error as StoreError: (code, message) = (Failure.code(of: error), error.description)
        default: (code, message) = (.storeTrouble, "\(error)")
        }
    }

    /// Asking for a revision that is yet to come is a mistake in the question; the rest is trouble with the store.
    private static func code(of error: StoreError) -> ExitCode {
        if case .noSuchRevision = error { .usage } else { .storeTrouble }
    }
}
