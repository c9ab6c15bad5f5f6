public import Events
public import Muniment
internal import Permissions

/// How the service's log is written.
public enum LogFormat: String, CaseIterable, Sendable {
    /// A line for people.
    case text
    /// A JSON object a line.
    case json
    /// Nothing of requests.
    case none

    /// A line about a fault of the service itself, with its end. Faults are told whatever is told of requests.
    public func message(_ text: String, at time: Instant = systemClock()) -> [UInt8] {
        guard self == .json else { return Array((text.showingUnseen() + "\n").utf8) }
        var writer = JSONWriter()
        writer.raw(#"{"time":""# + time.description + #"","message":"#)
        writer.write(text.showingUnseen())
        return Array((writer.text + "}\n").utf8)
    }
}

/// What the log says of a request that is over. Nothing in it is secret: of a credential only its id, of an address only its path.
struct RequestLine {
    var time: Instant
    var requestID: String?
    var method: String
    /// The route's name; nil where the request came to none.
    var route: String?
    var path: String
    /// 0 where the connection was gone before there was an answer.
    var status: Int
    var nanoseconds: UInt64
    /// The id of the caller's token; nil where nobody is known to have called.
    var caller: String?
    var store: String?
    var bytes: UInt64
    var peer: String

    /// Bytes of a path that a line shows.
    private static let pathBytes = 512

    /// The line, with its end; nil where none is to be written.
    func text(_ format: LogFormat) -> [UInt8]? {
        switch format {
        case .none: nil
        case .json: json
        case .text: plain
        }
    }

    private var shownPath: String {
        path.utf8.count <= RequestLine.pathBytes
            ? path : String(decoding: path.utf8.prefix(RequestLine.pathBytes), as: UTF8.self) + "…"
    }

    private var json: [UInt8] {
        var writer = JSONWriter()
        writer.raw(#"{"time":""# + time.description + #"","status":\#(status),"method":"#)
        writer.write(method.showingUnseen())
        for (name, value) in [("route", route), ("path", shownPath), ("store", store), ("caller", caller), ("request", requestID)] {
            guard let value else { continue }
            writer.raw(",\"\(name)\":")
            writer.write(value.showingUnseen())
        }
        writer.raw(#","peer":"#)
        writer.write(peer)
        writer.raw(#","bytes":\#(bytes),"seconds":\#(MetricsText.seconds(nanoseconds))}"# + "\n")
        return Array(writer.text.utf8)
    }

    private var plain: [UInt8] {
        let milliseconds = Double(nanoseconds / 1000) / 1000
        let words = [
            time.description, "\(status)", method, shownPath, "\(milliseconds) ms", "\(bytes) B", "from " + peer,
            caller.map { "as " + $0 } ?? "", requestID.map { "request " + $0 } ?? "",
        ]
        return Array((words.filter { !$0.isEmpty }.joined(separator: " ").showingUnseen() + "\n").utf8)
    }
}
