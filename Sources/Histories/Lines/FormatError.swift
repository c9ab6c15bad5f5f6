import Events

/// A file of JSON Lines says something that the format does not know.
public struct FormatError: Error, Hashable, Sendable, CustomStringConvertible {
    public let file: String
    /// The line, from 1.
    public let line: Int
    /// The key with its way from the top of the line, as in `changes[3].until`; nil where the line as a whole is wrong.
    public let key: String?
    /// What is wrong, behind the key or behind "the line".
    public let problem: String
    /// What to do about it.
    public let remedy: String

    public init(file: String, line: Int, key: String? = nil, problem: String, remedy: String) {
        self.file = file
        self.line = line
        self.key = key
        self.problem = problem
        self.remedy = remedy
    }

    public var description: String {
        let place = "\(file):\(line): "
        return place + (key.map { "`\($0)` " } ?? "the line ") + problem + "; " + remedy
    }
}

/// A file that cannot be read at all.
public struct UnreadableFile: Error, Hashable, Sendable, CustomStringConvertible {
    public let file: String
    /// What the system says.
    public let reason: String

    public var description: String { "`\(file)` cannot be read: \(reason); check the path and its permissions" }
}

/// What is wrong within a line, before it is known which line of which file that is.
package struct LineProblem: Error {
    /// The key with its way from the top, as in `[3].until`; nil where the whole is wrong.
    package var key: String?
    package var problem: String
    package var remedy: String

    func at(_ file: String, _ line: Int) -> FormatError {
        FormatError(file: file, line: line, key: key, problem: problem, remedy: remedy)
    }
}

extension LineProblem {
    /// The same problem, seen from one level further up: a key, or an index in brackets.
    func inside(_ place: String) -> LineProblem {
        let way = key.map { $0.hasPrefix("[") ? place + $0 : place + "." + $0 }
        return LineProblem(key: way ?? place, problem: problem, remedy: remedy)
    }

    /// A line that is no JSON.
    ///
    /// - Parameter indent: how many blanks stand before it in the file.
    init(_ error: JSONError, indent: Int) {
        let place = error.offset.map { ", at byte \($0 + indent)" } ?? ""
        self.init(problem: "cannot be read\(place): \(error.problem)", remedy: error.remedy)
    }
}
