internal import Files
internal import NetworkClient

/// A service on this machine, as the tool beside it sees it.
public struct RunningService: Sendable {
    private let note: ServiceNote

    /// The service that runs on a data directory and is ready; nil where there is none, or where this user may not speak to it.
    public init?(dataDirectory: String) {
        let place = ServicePlace(dataDirectory: dataDirectory)
        // In this order: while the lock is held and ready, the note is that of the holder.
        guard FileLock.isHeldReady(path: place.lock), let bytes = try? readFile(place.note), let note = ServiceNote(bytes) else {
            return nil
        }
        self.note = note
    }

    /// What a request asks the service to do.
    public enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
        case delete = "DELETE"
    }

    /// Sends JSON to the service with the right to everything, and waits for its answer: up to two minutes, since what is large
    /// takes its time.
    ///
    /// - Parameters:
    ///   - path: where to, percent-encoded, with a slash in front.
    ///   - json: the body.
    /// - Throws: ``ServiceUnreachable``. What was asked for may have been done all the same.
    public func post(_ path: String, json: [UInt8]) throws(ServiceUnreachable) -> (status: Int, body: [UInt8]) {
        try send(.post, path, json: json)
    }

    /// The same for requests of any kind.
    ///
    /// - Parameters:
    ///   - method: what the request asks for.
    ///   - path: where to, percent-encoded, with a slash in front.
    ///   - json: the body; nil for none.
    /// - Throws: ``ServiceUnreachable``. What was asked for may have been done all the same.
    public func send(
        _ method: Method, _ path: String, json: [UInt8]? = nil
    ) throws(ServiceUnreachable) -> (status: Int, body: [UInt8]) {
        guard let address = HTTPAddress(note.address + path) else { throw ServiceUnreachable(why: "its note names no address") }
        var request = HTTPClientRequest(address)
        request.method = HTTPClientMethod(rawValue: method.rawValue)
        request.body = json
        request.headers = [("Authorization", "Bearer " + note.secret), ("Expect", "")]
        if json != nil { request.headers.append(("Content-Type", "application/json")) }
        request.timeoutSeconds = 120
        request.limitBytes = RunningService.answerLimitBytes
        request.pinnedKeyDigest = note.keyDigest
        do throws(HTTPClientError) {
            let response = try HTTPClient.send(request)
            return (response.status, response.body)
        } catch {
            throw ServiceUnreachable(why: "\(error)")
        }
    }

    /// A page of a thousand accounts, each with everything that can be in it, has room in it.
    private static let answerLimitBytes = 32 << 20
}

/// The service did not answer.
public struct ServiceUnreachable: Error, Hashable, Sendable, CustomStringConvertible {
    public let why: String

    public var description: String {
        "the service that holds the store did not answer: \(why); `muniment log` shows whether the change was made"
    }
}
