internal import CCurl
internal import Secrets

/// A libcurl handle for one transfer. Options are copied into it, except for the values stored here.
@safe final class EasyHandle {
    private static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    private let handle: UnsafeMutableRawPointer
    private var lists: [UnsafeMutablePointer<curl_slist>]
    /// The received body, with its limit.
    private let body: Sink
    private let head: Sink
    /// The data to upload, which libcurl does not copy.
    private let source = Source()
    /// The check of the addresses to connect to; nil for none.
    private var check: UnsafeMutablePointer<muniment_address_check>?
    private var guardian: AddressGuard?

    /// - Returns: nil if libcurl has no memory.
    init?(bodyLimitBytes: Int, headLimitBytes: Int) {
        guard EasyHandle.isReady, let handle = unsafe curl_easy_init() else { return nil }
        unsafe self.handle = handle
        unsafe lists = []
        unsafe check = nil
        body = Sink(limitBytes: bodyLimitBytes)
        head = Sink(limitBytes: headLimitBytes)
        // Timeouts by signals do not work with threads.
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        receive(CURLOPT_WRITEFUNCTION, CURLOPT_WRITEDATA, into: body)
        receive(CURLOPT_HEADERFUNCTION, CURLOPT_HEADERDATA, into: head)
    }

    deinit {
        // The handle first: it refers to the lists, and it may call a sink while it closes a connection.
        unsafe curl_easy_cleanup(handle)
        while let list = unsafe lists.popLast() { unsafe curl_slist_free_all(list) }
        unsafe check?.deallocate()
    }

    /// Opens no connection to an address of this machine or of a private network.
    func refusePrivateAddresses() {
        let guardian = AddressGuard()
        let check = UnsafeMutablePointer<muniment_address_check>.allocate(capacity: 1)
        unsafe check.initialize(
            to: muniment_address_check(
                allows: { context, bytes, count in
                    guard let context = unsafe context, let bytes = unsafe bytes else { return 0 }
                    let address = unsafe Array(UnsafeBufferPointer(start: bytes, count: count))
                    let isPrivate = PrivateAddress.contains(address)
                    if isPrivate { unsafe Unmanaged<AddressGuard>.fromOpaque(context).takeUnretainedValue().hasRefused = true }
                    return isPrivate ? 0 : 1
                }, context: Unmanaged.passUnretained(guardian).toOpaque()))
        self.guardian = guardian
        unsafe self.check = check
        _ = unsafe muniment_curl_check_addresses(handle, check)
    }

    /// Whether a connection to a private address was refused.
    var hasRefusedPrivateAddress: Bool { guardian?.hasRefused ?? false }

    /// Whether the peer of the last connection has an address of this machine or of a private network.
    var hasPrivatePeer: Bool {
        PrivateAddress.bytes(of: unsafe String(cString: muniment_curl_peer(handle))).map(PrivateAddress.contains) ?? false
    }

    private final class AddressGuard {
        var hasRefused = false
    }

    func set(_ option: CURLoption, _ value: Int) { _ = unsafe muniment_curl_set_long(handle, option, value) }
    func set(_ option: CURLoption, _ text: String) { _ = unsafe muniment_curl_set_text(handle, option, text) }

    func set(_ option: CURLoption, _ texts: [String]) {
        var list: UnsafeMutablePointer<curl_slist>?
        for text in texts { unsafe list = curl_slist_append(list, text) }
        if let list = unsafe list { unsafe lists.append(list) }
        _ = unsafe muniment_curl_set_pointer(handle, option, list)
    }

    /// Sets the timeouts of the connection and of the whole transfer.
    func setTimes(connectSeconds: Int, timeoutSeconds: Int) {
        set(CURLOPT_CONNECTTIMEOUT, connectSeconds)
        set(CURLOPT_TIMEOUT, timeoutSeconds)
    }

    /// Checks the peer's key instead of its certificate. A known key is stronger evidence than a certificate.
    func pin(keyDigest: [UInt8]) {
        set(CURLOPT_SSL_VERIFYPEER, 0)
        set(CURLOPT_SSL_VERIFYHOST, 0)
        set(CURLOPT_PINNEDPUBLICKEY, "sha256//" + Base64.encode(keyDigest))
    }

    /// Sends these bytes as the request body.
    func post(_ bytes: [UInt8]) {
        set(CURLOPT_POST, 1)
        // The order matters: the size determines how many bytes are copied.
        _ = unsafe muniment_curl_set_size(handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(bytes.count))
        var copy = bytes
        unsafe copy.withUnsafeMutableBytes {
            _ = unsafe muniment_curl_set_pointer(handle, CURLOPT_COPYPOSTFIELDS, $0.baseAddress)
        }
    }

    func upload(_ bytes: [UInt8]) {
        source.rest = bytes[...]
        set(CURLOPT_UPLOAD, 1)
        _ = unsafe muniment_curl_set_callback(handle, CURLOPT_READFUNCTION) { bytes, size, count, context in
            guard let bytes = unsafe bytes, let context = unsafe context else { return 0 }
            let piece = unsafe Unmanaged<Source>.fromOpaque(context).takeUnretainedValue().take(size * count)
            unsafe UnsafeMutableRawBufferPointer(start: bytes, count: size * count).copyBytes(from: piece)
            return piece.count
        }
        _ = unsafe muniment_curl_set_pointer(handle, CURLOPT_READDATA, Unmanaged.passUnretained(source).toOpaque())
    }

    private func receive(_ callback: CURLoption, _ context: CURLoption, into sink: Sink) {
        _ = unsafe muniment_curl_set_callback(handle, callback) { bytes, size, count, context in
            guard let bytes = unsafe bytes, let context = unsafe context else { return 0 }
            let sink = unsafe Unmanaged<Sink>.fromOpaque(context).takeUnretainedValue()
            let piece = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
            return unsafe sink.take(Array(piece)) ? size * count : 0
        }
        _ = unsafe muniment_curl_set_pointer(handle, context, Unmanaged.passUnretained(sink).toOpaque())
    }

    /// Performs the transfer. Blocks the calling thread.
    func perform() -> Outcome {
        let code = unsafe curl_easy_perform(handle)
        switch code {
        case CURLE_OK: return .done
        case CURLE_WRITE_ERROR where body.isFull || head.isFull: return .tooLong(limitBytes: (body.isFull ? body : head).limitBytes)
        case CURLE_OPERATION_TIMEDOUT: return .timedOut
        case CURLE_COULDNT_CONNECT, CURLE_COULDNT_RESOLVE_HOST: return .unreachable(reason: text(code))
        default: return .failed(code, reason: text(code))
        }
    }

    /// The result of a transfer.
    enum Outcome {
        case done
        case tooLong(limitBytes: Int)
        case timedOut
        case unreachable(reason: String)
        case failed(CURLcode, reason: String)
    }

    private func text(_ code: CURLcode) -> String { unsafe String(cString: curl_easy_strerror(code)) }

    /// The last status of the peer.
    var status: Int { unsafe muniment_curl_status(handle) }
    /// The bytes of an HTTP request that were sent, before encryption: 0 until the connection and the TLS handshake have succeeded.
    /// libcurl does not count bytes of other protocols.
    var sentOfRequest: Int { unsafe muniment_curl_request_size(handle) }
    var received: [UInt8] { body.bytes }

    /// The header lines of the response, in order.
    var headers: [(name: String, value: String)] {
        var headers: [(name: String, value: String)] = []
        var last: UnsafeMutablePointer<curl_header>?
        while let header = unsafe curl_easy_nextheader(handle, UInt32(CURLH_HEADER), -1, last) {
            unsafe headers.append((String(cString: header.pointee.name), String(cString: header.pointee.value)))
            unsafe last = header
        }
        return headers
    }

    /// Received data, up to a limit.
    private final class Sink {
        private(set) var bytes: [UInt8] = []
        private(set) var isFull = false
        let limitBytes: Int

        init(limitBytes: Int) { self.limitBytes = limitBytes }

        func take(_ piece: [UInt8]) -> Bool {
            isFull = bytes.count + piece.count > limitBytes
            if !isFull { bytes += piece }
            return !isFull
        }
    }

    /// Data to send, piece by piece.
    private final class Source {
        var rest: ArraySlice<UInt8> = []

        func take(_ count: Int) -> ArraySlice<UInt8> {
            let piece = rest.prefix(count)
            rest = rest.dropFirst(count)
            return piece
        }
    }
}
