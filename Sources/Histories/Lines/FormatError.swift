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
struct LineProblem: Error {
    var key: String?
    var problem: String
    var remedy: String

    func at(_ file: String, _ line: Int) -> FormatError {
        FormatError(file: file, line: line, key: key, problem: problem, remedy: remedy)
    }
}

extension LineProblem {
    init(path: [any CodingKey], _ key: (any CodingKey)?, problem: String, remedy: String) {
        let keys = path + (key.map { [$0] } ?? [])
        var text = ""
        for key in keys {
            if let index = key.intValue {
                text += "[\(index)]"
            } else {
                text += (text.isEmpty ? "" : ".") + key.stringValue
            }
        }
        self.init(key: text.isEmpty ? nil : text, problem: problem, remedy: remedy)
    }

    /// What the decoder has to say, in this format's words.
    init(_ error: DecodingError) {
        switch error {
        case .typeMismatch(let type, let context):
            self.init(
                path: context.codingPath, nil, problem: "has the wrong type",
                remedy: "it is to be \(LineProblem.name(of: type))")
        case .valueNotFound(let type, let context):
            self.init(
                path: context.codingPath, nil, problem: "is null",
                remedy: "it is to be \(LineProblem.name(of: type)); leave the key out if there is nothing to say")
        case .keyNotFound(let key, let context):
            self.init(path: context.codingPath, key, problem: "is missing", remedy: "add it")
        case .dataCorrupted(let context):
            self.init(
                path: context.codingPath, nil, problem: "is not well-formed JSON",
                remedy: "write one JSON object a line, in UTF-8")
        @unknown default:
            self.init(problem: "cannot be decoded: \(error)", remedy: "write one JSON object a line, in UTF-8")
        }
    }

    private static func name(of type: any Any.Type) -> String {
        switch type {
        case is String.Type: "a string"
        case is Bool.Type: "true or false"
        case is Double.Type, is Int64.Type, is UInt64.Type: "a whole number"
        case is [String].Type: "a list of strings"
        case is [String: [String]].Type, is [String: Any].Type: "an object"
        case is [Any].Type: "a list"
        default: "a \(type)"
        }
    }
}
