public import Events
public import Muniment
internal import Permissions

/// The format of the service's log.
public enum LogFormat: String, CaseIterable, Sendable {
    /// Text lines for people.
    case text
    /// One JSON object per line.
    case json
    /// No lines for requests.
    case none

    /// Returns a line about the service itself, with its line end. Such lines are written in every format.
    public func message(_ text: String, _ level: LogLevel, at time: Instant = systemClock()) -> [UInt8] {
        let text = text.escapingInvisible()
        guard self == .json else { return Array("\(time.fixedLengthText) \(level.rawValue) \(text)\n".utf8) }
        var writer = JSONWriter()
        writer.raw(#"{"time":""# + time.fixedLengthText + #"","level":""# + level.rawValue + #"","message":"#)
        writer.write(text)
        return Array((writer.text + "}\n").utf8)
    }
}

/// The importance of a line of the service's log.
public enum LogLevel: String, Sendable {
    /// Normal operation.
    case info
    /// The service works, but an operator should act.
    case warning
    /// A fault.
    case error
}

/// The log line of a finished request. It contains no secrets: only the id of a credential, and only the path of an address.
struct RequestLine {
    var time: Instant
    var requestID: String?
    var method: String
    /// The route's name; nil without a matching route.
    var route: String?
    var path: String
    /// 0 if the connection was lost before the response.
    var status: Int
    var nanoseconds: UInt64
    /// The id of the credential's token; nil for an unknown credential.
    var credential: String?
    var store: String?
    var bytes: UInt64
    var peer: String

    /// The number of bytes of a path in a line.
    private static let pathBytes = 512

    /// Returns the line with its line end; nil if the format writes none.
    func text(_ format: LogFormat) -> [UInt8]? {
        switch format {
        case .none: nil
        case .json: json
        case .text: plain
        }
    }

    private var level: LogLevel { status >= 500 ? .error : .info }

    private var shownPath: String {
        path.utf8.count <= RequestLine.pathBytes
            ? path : String(decoding: path.utf8.prefix(RequestLine.pathBytes), as: UTF8.self) + "…"
    }

    private var json: [UInt8] {
        var writer = JSONWriter()
        writer.raw(#"{"time":""# + time.fixedLengthText + #"","level":""# + level.rawValue + #"","status":\#(status),"method":"#)
        writer.write(method.escapingInvisible())
        for (name, value) in [
            ("route", route), ("path", shownPath), ("store", store), ("credential", credential), ("request", requestID),
        ] {
            guard let value else { continue }
            writer.raw(",\"\(name)\":")
            writer.write(value.escapingInvisible())
        }
        writer.raw(#","peer":"#)
        writer.write(peer)
        writer.raw(#","bytes":\#(bytes),"seconds":\#(MetricsText.seconds(nanoseconds))}"# + "\n")
        return Array(writer.text.utf8)
    }

    private var plain: [UInt8] {
        let milliseconds = Double(nanoseconds / 1000) / 1000
        let words = [
            time.fixedLengthText, level.rawValue, "\(status)", method, shownPath, "\(milliseconds) ms", "\(bytes) B",
            "from " + peer,
            credential.map { "as " + $0 } ?? "", requestID.map { "request " + $0 } ?? "",
        ]
        return Array((words.filter { !$0.isEmpty }.joined(separator: " ").escapingInvisible() + "\n").utf8)
    }
}
