#if os(Linux)
    internal import Transfers

    /// The transport of this system: ``TransferTransport`` on Linux, ``URLSessionTransport`` on Apple's systems.
    public typealias SystemTransport = TransferTransport

    /// Sends requests with libcurl on a thread of its own, which sleeps while nothing arrives: without cookies, caches, stored
    /// credentials and redirects.
    public final class TransferTransport: HTTPTransport {
        private let service: ServiceAddress
        private let timeoutSeconds: Int
        private let silenceSeconds: Int
        private let streamBytes: Int
        let loop = TransferLoop()

        /// - Parameters:
        ///   - service: the address of the service.
        ///   - timeoutSeconds: the longest time in seconds without data from the service, before the request fails.
        ///   - silenceSeconds: the same for a stream. The service sends at least a heartbeat every 15 seconds.
        ///   - streamBytes: the maximum bytes that a stream keeps for a slow reader. If more arrive, the service waits.
        public init(_ service: ServiceAddress, timeoutSeconds: Int = 15, silenceSeconds: Int = 45, streamBytes: Int = 1 << 20) {
            self.service = service
            self.timeoutSeconds = timeoutSeconds
            self.silenceSeconds = silenceSeconds
            self.streamBytes = streamBytes
        }

        public func send(_ request: ServiceRequest) async throws(TransportError) -> ServiceResponse {
            let limit = TransportLimits.responseBytes
            let transfer = try start(request, timeoutSeconds: timeoutSeconds, limitBytes: limit, isStream: false)
            do throws(TransferError) {
                let head = try await transfer.head()
                var body: [UInt8] = []
                while let bytes = try await transfer.next() {
                    body += bytes
                    guard body.count <= limit else {
                        transfer.cancel()
                        throw TransferError(
                            isSent: true, reason: "the response to \(request) has more than \(limit) bytes; request fewer results")
                    }
                }
                return ServiceResponse(status: head.status, headers: head.headers, body: body)
            } catch { throw TransportError(error) }
        }

        public func open(_ request: ServiceRequest) async throws(TransportError) -> any ResponseStream {
            let transfer = try start(
                request, timeoutSeconds: silenceSeconds, limitBytes: streamBytes, isStream: true)
            do throws(TransferError) {
                return TransferStream(transfer, try await transfer.head())
            } catch { throw TransportError(error) }
        }

        private func start(
            _ request: ServiceRequest, timeoutSeconds: Int, limitBytes: Int, isStream: Bool
        ) throws(TransportError) -> Transfer {
            guard request.path.hasPrefix("/"), request.path.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
                throw .notSent("`\(request.path.prefix(80))` is not a path")
            }
            try request.checkHeaders()
            return loop.start(
                TransferRequest(
                    method: request.method.rawValue, url: service.text + request.path,
                    headers: request.headers.map { ($0.key, $0.value) }, body: request.body, isStream: isStream,
                    silenceMilliseconds: timeoutSeconds * 1_000, bufferBytes: limitBytes))
        }
    }

    extension TransportError {
        fileprivate init(_ failure: TransferError) {
            self = failure.isSent ? .noAnswer(failure.reason) : .notSent(failure.reason)
        }
    }

    /// The stream of a transfer. It cancels the transfer when it has no reader.
    private final class TransferStream: ResponseStream {
        private let transfer: Transfer
        let status: Int
        let headers: [String: String]

        init(_ transfer: Transfer, _ head: TransferHead) {
            self.transfer = transfer
            (status, headers) = (head.status, head.headers)
        }

        deinit { transfer.cancel() }

        func next() async throws(TransportError) -> [UInt8]? {
            do throws(TransferError) { return try await transfer.next() } catch { throw TransportError(error) }
        }
        /// The service waits for a slow reader.
        var isCut: Bool { false }
        func cancel() { transfer.cancel() }
    }
#else
    /// The transport of this system: `TransferTransport` on Linux, ``URLSessionTransport`` on Apple's systems.
    public typealias SystemTransport = URLSessionTransport
#endif
