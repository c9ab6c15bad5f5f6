internal import Files
public import NetworkClient

/// A service on this machine, as used by the tool.
public struct RunningService: Sendable {
    private let note: ServiceNote

    /// Finds the service that runs on a data directory and is ready; nil without one, or if this user may not access it.
    public init?(dataDirectory: String) {
        let place = ServicePresenceFiles(dataDirectory: dataDirectory)
        // The order matters: while the lock is held and ready, the note belongs to its holder.
        guard FileLock.isHeldReady(path: place.lock), let bytes = try? readFile(place.note), let note = ServiceNote(bytes) else {
            return nil
        }
        self.note = note
    }

    /// The address on which the service listens, as a URL.
    public var address: String { note.address }

    /// Sends a request to the service with all permissions, and waits for its response: up to two minutes, because large requests
    /// take long.
    ///
    /// - Parameters:
    ///   - method: the method of the request.
    ///   - path: the path of the request, percent-encoded, with a leading slash.
    ///   - json: the body; nil for none.
    /// - Throws: ``ServiceUnreachableError``. The service may have executed the request nevertheless.
    public func send(
        _ method: HTTPClientMethod, _ path: String, json: [UInt8]? = nil
    ) throws(ServiceUnreachableError) -> (status: Int, body: [UInt8]) {
        guard let address = HTTPAddress(note.address + path) else {
            throw ServiceUnreachableError(reason: "its note has no address")
        }
        var request = HTTPClientRequest(address)
        request.method = method
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
            throw ServiceUnreachableError(reason: "\(error)")
        }
    }

    /// Enough for a page of a thousand accounts of the largest size.
    private static let answerLimitBytes = 32 << 20
}

/// The service did not respond.
public struct ServiceUnreachableError: Error, Hashable, Sendable, CustomStringConvertible {
    public let reason: String

    public var description: String {
        "the service of the store did not respond: \(reason); `muniment log` shows if the change was made"
    }
}
