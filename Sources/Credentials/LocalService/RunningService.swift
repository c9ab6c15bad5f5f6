internal import Files
internal import HTTPClient

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

    /// Sends JSON to the service with the right to everything, and waits for its answer: up to two minutes, since what is large
    /// takes its time.
    ///
    /// - Parameters:
    ///   - path: where to, percent-encoded, with a slash in front.
    ///   - json: the body.
    /// - Throws: ``ServiceUnreachable``. What was asked for may have been done all the same.
    public func post(_ path: String, json: [UInt8]) throws(ServiceUnreachable) -> (status: Int, body: [UInt8]) {
        guard let address = HTTPAddress(note.address + path) else { throw ServiceUnreachable(why: "its note names no address") }
        var request = HTTPClientRequest(address)
        request.body = json
        request.headers = [("Authorization", "Bearer " + note.secret), ("Content-Type", "application/json"), ("Expect", "")]
        request.timeoutSeconds = 120
        request.pinnedKeyDigest = note.keyDigest
        do throws(HTTPClientError) {
            let response = try HTTPClient.send(request)
            return (response.status, response.body)
        } catch {
            throw ServiceUnreachable(why: "\(error)")
        }
    }
}

/// The service did not answer.
public struct ServiceUnreachable: Error, Hashable, Sendable, CustomStringConvertible {
    public let why: String

    public var description: String {
        "the service that holds the store did not answer: \(why); `muniment log` shows whether the change was made"
    }
}
