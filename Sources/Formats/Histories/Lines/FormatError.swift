import Events
import Foundation

/// A file of JSON Lines does not follow the format.
public struct FormatError: Error, Hashable, Sendable, CustomStringConvertible {
    public let file: String
    /// The line number, from 1.
    public let line: Int
    /// The path of the key from the top of the line, as in `changes[3].until`; nil if the line as a whole is invalid.
    public let key: String?
    /// The problem, written after the key or after "the line".
    public let problem: String
    /// The remedy.
    public let remedy: String

    public var description: String {
        let place = "\(file):\(line): "
        return place + (key.map { "`\($0)` " } ?? "the line ") + problem + "; " + remedy
    }
}

/// A file that cannot be read.
public struct UnreadableFileError: Error, Hashable, Sendable, CustomStringConvertible {
    public let file: String
    /// The error message of the system.
    public let reason: String

    public var description: String { "`\(file)` cannot be read: \(reason); check the path and its permissions" }

    /// - Parameter error: the error of reading the file.
    package init(file: String, _ error: any Error) {
        let error = error as NSError
        self.file = file
        if let underlying = error.userInfo[NSUnderlyingErrorKey] as? NSError, underlying.domain == NSPOSIXErrorDomain {
            reason = underlying.localizedDescription
        } else {
            reason = error.localizedDescription
        }
    }
}

extension MemberProblem {
    func at(_ file: String, _ line: Int) -> FormatError {
        FormatError(file: file, line: line, key: path, problem: problem, remedy: remedy)
    }
}
