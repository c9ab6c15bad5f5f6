internal import Synchronization

/// A request, and its response while it arrives. The loop adds to it, and one reader takes from it.
public final class Transfer: Sendable {
    private struct Content {
        var head: TransferHead?
        var arrived: [[UInt8]] = []
        var byteCount = 0
        var isPaused = false
        /// The end of the response, with the failure if it is incomplete; nil before the end.
        var end: TransferError??
        var reader: CheckedContinuation<Void, Never>?
    }

    private let content = Mutex(Content())
    let request: TransferRequest
    private let loop: LoopState

    init(_ request: TransferRequest, in loop: LoopState) {
        self.request = request
        self.loop = loop
    }

    /// Whether the response waits for the reader.
    var isPaused: Bool { content.withLock { $0.isPaused } }

    /// Closes the connection. A reader gets a failure.
    public func cancel() {
        if content.withLock({ $0.end == nil }) { loop.add(.cancel(self)) }
    }

    /// Waits for the head of the response.
    ///
    /// - Throws: ``TransferError``, also if the task is cancelled.
    public func head() async throws(TransferError) -> TransferHead {
        while true {
            let (head, end) = content.withLock { ($0.head, $0.end) }
            if let head { return head }
            // libcurl reports no error if the connection was closed between two lines of the head.
            if let end { throw end ?? TransferError(isSent: true, reason: "the connection was closed inside the response's head") }
            await wait { $0.head != nil }
        }
    }

    /// Waits for the next bytes of the body. Returns nil at its end. Only one task at a time may call this.
    ///
    /// - Throws: ``TransferError``, also if the task is cancelled.
    public func next() async throws(TransferError) -> [UInt8]? {
        while true {
            var (bytes, resumes): ([UInt8]?, Bool) = (nil, false)
            let end: TransferError?? = content.withLock { content in
                guard !content.arrived.isEmpty else { return content.end }
                bytes = content.arrived.count == 1 ? content.arrived[0] : content.arrived.reduce(into: []) { $0 += $1 }
                content.arrived = []
                content.byteCount = 0
                resumes = content.isPaused
                content.isPaused = false
                return nil
            }
            if resumes { loop.add(.resume(self)) }
            if let bytes { return bytes }
            if let end {
                if let failure = end { throw failure }
                return nil
            }
            await wait { !$0.arrived.isEmpty }
        }
    }

    /// Suspends the reader until the condition holds or the transfer ends. If the reader's task is cancelled, the transfer is, too.
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

    private func change<Value: Sendable>(_ body: (inout Content) -> Value) -> Value {
        let (value, reader) = content.withLock { content in
            let value = body(&content)
            defer { content.reader = nil }
            return (value, content.reader)
        }
        reader?.resume()
        return value
    }

    func received(_ head: TransferHead) { change { $0.head = head } }

    /// Keeps bytes of the body for the reader. Returns false if the reader must take the earlier ones first: the transfer is then
    /// paused, until the loop gets ``LoopCommand/resume(_:)``.
    func received(_ bytes: [UInt8]) -> Bool {
        change { content in
            guard content.arrived.isEmpty || content.byteCount + bytes.count <= request.bufferBytes else {
                content.isPaused = true
                return false
            }
            content.arrived.append(bytes)
            content.byteCount += bytes.count
            return true
        }
    }

    /// - Parameter failure: nil if the response is complete.
    func ended(_ failure: TransferError?) { change { $0.end = .some(failure) } }
}
