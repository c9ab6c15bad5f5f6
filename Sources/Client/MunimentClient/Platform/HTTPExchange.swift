internal import Foundation
internal import Synchronization

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// A request, and its response while it arrives. URLSession adds to it, and one reader takes from it.
final class HTTPExchange: Sendable {
    struct Head {
        let status: Int
        let headers: [String: String]
    }

    private struct Content {
        var head: Head?
        var arrived: [[UInt8]] = []
        var byteCount = 0
        var isBodySent = false
        var isCancelled = false
        /// Whether the reader was so slow that the connection was closed.
        var isCut = false
        /// The end of the response, with the error if it is incomplete; nil before the end.
        var end: TransportError??
        var reader: CheckedContinuation<Void, Never>?
    }

    private let content = Mutex(Content())
    private let task: URLSessionTask
    /// Whether the request has a body of at least one byte.
    private let hasBody: Bool
    /// The maximum bytes that are kept for the reader.
    private let limitBytes: Int

    init(_ task: URLSessionTask, hasBody: Bool, limitBytes: Int) {
        self.task = task
        self.hasBody = hasBody
        self.limitBytes = limitBytes
    }

    var isCut: Bool { content.withLock { $0.isCut } }

    func cancel() {
        content.withLock { $0.isCancelled = true }
        task.cancel()
    }

    /// Waits for the head of the response.
    func head() async throws(TransportError) -> Head {
        while true {
            let (head, end) = content.withLock { ($0.head, $0.end) }
            if let head { return head }
            if let end { throw end ?? .noAnswer("the service sent no response") }
            await wait { $0.head != nil }
        }
    }

    /// Waits for the next bytes of the body. Returns nil at its end.
    func next() async throws(TransportError) -> [UInt8]? {
        while true {
            let (bytes, end): ([UInt8]?, TransportError??) = content.withLock { content in
                guard !content.arrived.isEmpty else { return (nil, content.end) }
                let bytes = content.arrived.reduce(into: []) { $0 += $1 }
                content.arrived = []
                content.byteCount = 0
                return (bytes, nil)
            }
            if let bytes { return bytes }
            if let end {
                if let error = end { throw error }
                return nil
            }
            await wait { !$0.arrived.isEmpty }
        }
    }

    /// Suspends the reader until the condition holds or the exchange ends. If the reader's task is cancelled, the exchange is, too.
    private func wait(until isReady: @Sendable (Content) -> Bool) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                let isOver = content.withLock { content in
                    if isReady(content) || content.end != nil { return true }
                    content.reader = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            cancel()
        }
    }

    private func change(_ body: (inout Content) -> Void) {
        let reader = content.withLock { content in
            body(&content)
            defer { content.reader = nil }
            return content.reader
        }
        reader?.resume()
    }

    func sentBody() { content.withLock { $0.isBodySent = true } }

    func received(_ response: URLResponse) {
        guard let response = response as? HTTPURLResponse else { return }
        var headers: [String: String] = [:]
        for (name, value) in response.allHeaderFields {
            if let name = name as? String, let value = value as? String { headers[name.lowercased()] = value }
        }
        change { $0.head = Head(status: response.statusCode, headers: headers) }
    }

    func received(_ data: Data) {
        var isTooSlow = false
        change { content in
            guard !content.isCut, !data.isEmpty else { return }
            if content.byteCount + data.count > limitBytes, !content.arrived.isEmpty {
                (content.isCut, isTooSlow) = (true, true)
            } else {
                content.arrived.append(Array(data))
                content.byteCount += data.count
            }
        }
        if isTooSlow { task.cancel() }
    }

    /// - Parameters:
    ///   - error: the error of the task; nil if the response is complete.
    ///   - response: the head of the response, if there was no event for it.
    func completed(_ error: (any Error)?, _ response: URLResponse?) {
        if let response, content.withLock({ $0.head == nil }) { received(response) }
        change { content in
            guard let error, !content.isCut else {
                content.end = .some(nil)
                return
            }
            content.end = .some(failure(error, content))
        }
    }

    private func failure(_ error: any Error, _ content: Content) -> TransportError {
        let isSent = content.head != nil || content.isBodySent
        if content.isCancelled { return isSent || !hasBody ? .noAnswer("it was cancelled") : .notSent("it was cancelled") }
        let why = "\(task.originalRequest?.url?.host ?? "the service"): \(error.localizedDescription)"
        guard !isSent, let code = (error as? URLError)?.code else { return .noAnswer(why) }
        switch code {
        case .cannotFindHost, .cannotConnectToHost, .dnsLookupFailed, .notConnectedToInternet, .dataNotAllowed, .badURL,
            .unsupportedURL, .appTransportSecurityRequiresSecureConnection, .secureConnectionFailed,
            .serverCertificateHasBadDate, .serverCertificateUntrusted, .serverCertificateHasUnknownRoot,
            .serverCertificateNotYetValid:
            return .notSent(why)
        // If the connection had been made, part of the body would have been sent.
        case .timedOut where hasBody: return .notSent(why)
        default: return .noAnswer(why)
        }
    }
}
