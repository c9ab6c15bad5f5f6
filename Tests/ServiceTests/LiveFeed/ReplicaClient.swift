import Events
import ServiceSupport
import Testing

/// A client of the feed of a replica. It applies each step as a whole.
final class ReplicaClient {
    let feed: FeedClient
    /// The objects by name, as the service sent them.
    private(set) var objects: [Name: JSONObject] = [:]
    /// The events of the last step.
    private(set) var step: [FeedClient.Event] = []
    /// Everything that was received.
    private(set) var received = ""
    private var staged: [Name: JSONObject?] = [:]

    var status: Int { feed.status }
    var position: String? { feed.lastID }

    /// - Parameters:
    ///   - port: the service's port on this machine.
    ///   - query: the query of the address.
    ///   - token: the token; nil for a request without one.
    ///   - lastID: the position of the replica.
    ///   - objects: the objects of the replica.
    ///   - receiveBufferBytes: the size of the socket's receive buffer. A small one simulates a slow client.
    init(
        port: UInt16, _ query: String = "?class=doc", token: String?, lastID: String? = nil, objects: [Name: JSONObject] = [:],
        receiveBufferBytes: Int32? = nil
    ) throws {
        feed = try FeedClient(
            port: port, "/v1/stores/default/replica" + query, token: token, lastID: lastID, receiveBufferBytes: receiveBufferBytes,
            timeoutSeconds: 1_200)
        self.objects = objects
    }

    /// Receives and applies the next step. Returns the object of its `begin`; nil if the feed has ended.
    @discardableResult
    func next() throws -> JSONValue? {
        step = []
        staged = [:]
        var begin: JSONValue?
        while let event = feed.next() {
            received += event.data
            step.append(event)
            let data = try event.json
            switch event.kind {
            case "begin":
                begin = data
                staged = [:]
                if data["kind"] == .string("fill"), data["resumed"] == nil { objects = [:] }
            case "objects":
                for name in try data.strings("removed") { staged[Name(name)] = .some(nil) }
                for object in try data.objects("changed") { staged[Name(object.text("object") ?? "")] = object }
            case "end":
                for (name, object) in staged { objects[name] = object }
                return begin
            default: throw UnexpectedEventError()
            }
        }
        return nil
    }

    /// Returns the names of the objects of an event.
    static func changedNames(_ event: FeedClient.Event) throws -> [String] {
        try event.json.objects("changed").compactMap { $0.text("object") }
    }

    struct UnexpectedEventError: Error {}

    func value(_ name: Name) -> JSONValue? { objects[name]?["value"] }
}

extension JSONValue {
    fileprivate func strings(_ name: String) throws -> [String] {
        guard case .array(let elements)? = self[name] else { throw ReplicaClient.UnexpectedEventError() }
        return elements.compactMap { if case .string(let text) = $0 { text } else { nil } }
    }

    fileprivate func objects(_ name: String) throws -> [JSONObject] {
        guard case .array(let elements)? = self[name] else { throw ReplicaClient.UnexpectedEventError() }
        return elements.compactMap { if case .object(let object) = $0 { object } else { nil } }
    }
}
