internal import Events
internal import HTTPServer
internal import Muniment
internal import Work

/// Writes JSON Lines to a client one by one, so that a long response is never held in memory as a whole.
struct LineWriter: ~Copyable {
    let stream: HTTPStream
    private var piece: [UInt8] = []
    private static let pieceBytes = 16_384

    init(_ stream: HTTPStream) { self.stream = stream }

    /// Writes a line. Waits until the client has taken the previous lines.
    mutating func write(_ members: JSONObject) throws { try write(.object(members)) }

    /// Writes a line. Waits until the client has taken the previous lines.
    mutating func write(_ value: JSONValue) throws { try write(line: try JSONText.encode(value)) }

    /// Writes an encoded line and adds its line end.
    mutating func write(line: some Sequence<UInt8>) throws {
        piece.append(contentsOf: line)
        piece.append(UInt8(ascii: "\n"))
        if piece.count >= Self.pieceBytes { try flush() }
    }

    /// Sends the buffered lines.
    mutating func flush() throws {
        guard !piece.isEmpty else { return }
        let full = piece
        piece.removeAll(keepingCapacity: true)
        try stream.writeBlocking(full)
    }
}

extension RequestContext {
    /// Returns a response of a JSON object about a revision. The response's head contains the revision as well.
    func answer(_ members: JSONObject, at revision: Revision, status: Int = 200, headers: [HTTPHeader] = []) -> HTTPResponse {
        answer(members, status: status, headers: [RequestContext.header(revision)] + headers)
    }

    static func header(_ revision: Revision) -> HTTPHeader { HTTPHeader("Muniment-Revision", revision.description) }

    /// The media types of JSON Lines: the one that is being registered, and a common older one.
    static let lineTypes = ["application/jsonl", "application/x-ndjson"]

    /// The media type of CSV files.
    static let tableType = "text/csv"

    /// The media type of JSON Lines that the client accepts; nil if it accepts none.
    var lineType: String? { acceptedType(of: RequestContext.lineTypes) }

    /// Returns the first of these media types that the client names in `Accept`; nil if it names none.
    func acceptedType(of types: [String]) -> String? {
        guard let accept = request.header("Accept") else { return nil }
        let accepted = accept.split(separator: ",").map { $0.prefix { $0 != ";" }.trimmingBlanks.lowercased() }
        return types.first { accepted.contains($0) }
    }

    /// Responds with JSON Lines, which are produced on a separate queue while the client reads them.
    ///
    /// - Parameters:
    ///   - type: the media type.
    ///   - revision: the revision of the response.
    ///   - limit: the time from now within which all lines are written; nil for as long as the client takes to read.
    ///   - produce: writes the lines. If it throws, the response is aborted, so that a part is not mistaken for the whole.
    func lines(
        _ type: String, at revision: Revision, within limit: Duration? = nil,
        _ produce: @escaping @Sendable (inout LineWriter) throws -> Void
    ) throws(Problem) -> HTTPResponse {
        let stream = HTTPStream()
        let (faults, requestID, isHead) = (service.operations.faults, requestID, request.method == "HEAD")
        let cancellation = exchange.beginWork(within: limit)
        let admission = service.streams.add(exchange.origin) {
            var writer = LineWriter(stream)
            do {
                try cancellation.perform { if !isHead { try produce(&writer) } }
                try writer.flush()
                stream.finish()
            } catch is HTTPStreamClosedError {
                // The client has disconnected.
            } catch is Cancellation.StoppedError {
                stream.abort()
            } catch {
                faults.report("\(error)", request: requestID)
                stream.abort()
            }
        }
        switch admission {
        case .accepted: break
        case .callerLimit:
            throw Problem(
                .tooManyRequests,
                "the caller has \(MunimentService.streamLimit / 4) streamed responses open, its limit: read one to its end or close it",
                retryAfterSeconds: 1)
        case .full:
            throw Problem(.unavailable, "too many streamed responses are open: try again later", retryAfterSeconds: 1)
        }
        return HTTPResponse(
            status: 200,
            headers: [HTTPHeader("Content-Type", type), HTTPHeader("Cache-Control", "no-store"), RequestContext.header(revision)],
            body: .stream(stream))
    }
}
