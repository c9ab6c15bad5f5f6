internal import CCurl

/// A transfer while libcurl performs it. Used by the thread of its loop alone.
@safe final class TransferJob {
    static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
    /// The maximum bytes of the head of a response.
    private static let headBytes = 1 << 16

    let transfer: Transfer
    let handle: UnsafeMutableRawPointer
    /// Identifies the handle among those of the loop.
    var key: UInt { unsafe UInt(bitPattern: handle) }
    private var headers: UnsafeMutablePointer<curl_slist>?
    private var unsent: ArraySlice<UInt8>
    private var lines: [String] = []
    private var headCount = 0
    private var hasHead = false
    private var isPaused = false
    /// When the last bytes were received or sent.
    private var lastArrival = ContinuousClock.now

    /// - Returns: nil if libcurl has no memory.
    init?(_ transfer: Transfer) {
        guard let handle = unsafe curl_easy_init() else { return nil }
        self.transfer = transfer
        unsafe self.handle = handle
        unsent = transfer.request.body?[...] ?? []
        let request = transfer.request
        let isSecure = request.url.lowercased().hasPrefix("https:")
        set(CURLOPT_URL, request.url)
        set(CURLOPT_PROTOCOLS_STR, isSecure ? "https" : "http")
        // Without encryption, requests stay on this machine.
        if !isSecure { set(CURLOPT_NOPROXY, "*") }
        set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        // A paused response must not stop others on its connection.
        set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        set(CURLOPT_NOSIGNAL, 1)
        // The service closes a connection that is idle for a longer time.
        set(CURLOPT_MAXAGE_CONN, 20)
        setBody(of: request)
        // Headers that libcurl would add.
        var lines = ["Expect:"]
        if !request.headers.contains(where: { $0.name.lowercased() == "content-type" }) { lines.append("Content-Type:") }
        lines += request.headers.map { $0.value.isEmpty ? $0.name + ";" : $0.name + ": " + $0.value }
        for line in lines { unsafe headers = curl_slist_append(headers, line) }
        _ = unsafe muniment_curl_set_pointer(handle, CURLOPT_HTTPHEADER, headers)
        receive()
    }

    deinit {
        unsafe curl_easy_cleanup(handle)
        unsafe curl_slist_free_all(headers)
    }

    private func set(_ option: CURLoption, _ value: Int) { _ = unsafe muniment_curl_set_long(handle, option, value) }
    private func set(_ option: CURLoption, _ text: String) { _ = unsafe muniment_curl_set_text(handle, option, text) }

    private var context: UnsafeMutableRawPointer { unsafe Unmanaged.passUnretained(self).toOpaque() }

    /// libcurl sends a request again if a reused connection ends before a response. It cannot do so with a body that it can read only
    /// once. A change without a body gets a connection of its own.
    private func setBody(of request: TransferRequest) {
        if let body = request.body {
            set(CURLOPT_POST, 1)
            _ = unsafe muniment_curl_set_size(handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count))
            _ = unsafe muniment_curl_set_callback(handle, CURLOPT_READFUNCTION) { bytes, size, count, context in
                guard let bytes = unsafe bytes, let context = unsafe context else { return 0 }
                let job = unsafe Unmanaged<TransferJob>.fromOpaque(context).takeUnretainedValue()
                let piece = job.unsent.prefix(size * count)
                job.unsent = job.unsent.dropFirst(size * count)
                job.lastArrival = .now
                unsafe UnsafeMutableRawBufferPointer(start: bytes, count: size * count).copyBytes(from: piece)
                return piece.count
            }
            _ = unsafe muniment_curl_set_pointer(handle, CURLOPT_READDATA, context)
        } else if request.method == "POST" {
            set(CURLOPT_POST, 1)
            _ = unsafe muniment_curl_set_size(handle, CURLOPT_POSTFIELDSIZE_LARGE, 0)
        } else {
            set(CURLOPT_HTTPGET, 1)
        }
        set(CURLOPT_CUSTOMREQUEST, request.method)
        if request.method != "GET", request.body?.isEmpty != false { set(CURLOPT_FRESH_CONNECT, 1) }
    }

    private func receive() {
        _ = unsafe muniment_curl_set_callback(handle, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
            guard let bytes = unsafe bytes, let context = unsafe context else { return 0 }
            let job = unsafe Unmanaged<TransferJob>.fromOpaque(context).takeUnretainedValue()
            return unsafe job.receive(line: UnsafeRawBufferPointer(start: bytes, count: size * count)) ? size * count : 0
        }
        _ = unsafe muniment_curl_set_pointer(handle, CURLOPT_HEADERDATA, context)
        _ = unsafe muniment_curl_set_callback(handle, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
            guard let bytes = unsafe bytes, let context = unsafe context else { return 0 }
            let job = unsafe Unmanaged<TransferJob>.fromOpaque(context).takeUnretainedValue()
            return unsafe job.receive(UnsafeRawBufferPointer(start: bytes, count: size * count))
        }
        _ = unsafe muniment_curl_set_pointer(handle, CURLOPT_WRITEDATA, context)
    }

    /// Reads a line of a head, and passes the head on after its last line. Returns false if the head is too long.
    private func receive(line: UnsafeRawBufferPointer) -> Bool {
        lastArrival = .now
        if hasHead { return true }
        headCount += line.count
        guard headCount <= TransferJob.headBytes else { return false }
        let text = unsafe String(decoding: line, as: UTF8.self).filter { !$0.isNewline }
        guard text.isEmpty else {
            lines.append(text)
            return true
        }
        let status = unsafe muniment_curl_status(handle)
        // Another head follows an interim response (RFC 9110, section 15.2).
        if status >= 200 {
            var headers: [String: String] = [:]
            for line in lines.dropFirst() {
                let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                guard parts.count == 2 else { continue }
                let (name, value) = (parts[0].lowercased(), String(parts[1].drop { $0 == " " || $0 == "\t" }))
                headers[name] = headers[name].map { $0 + ", " + value } ?? value
            }
            hasHead = true
            transfer.received(TransferHead(status: status, headers: headers))
        }
        lines = []
        return true
    }

    private func receive(_ bytes: UnsafeRawBufferPointer) -> Int {
        lastArrival = .now
        isPaused = unsafe !transfer.received(Array(bytes))
        return isPaused ? Int(CURL_WRITEFUNC_PAUSE) : bytes.count
    }

    /// Continues a paused transfer.
    func resume() {
        guard isPaused else { return }
        isPaused = false
        lastArrival = .now
        unsafe curl_easy_pause(handle, Int32(CURLPAUSE_RECV_CONT))
    }

    /// When the transfer fails if nothing arrives; nil while it is paused.
    var deadline: ContinuousClock.Instant? {
        isPaused ? nil : lastArrival.advanced(by: .milliseconds(transfer.request.silenceMilliseconds))
    }

    /// Ends the transfer with the result of libcurl.
    func ended(_ code: CURLcode) {
        if code == CURLE_OK { transfer.ended(nil) } else { failed(unsafe String(cString: curl_easy_strerror(code))) }
    }

    /// Ends the transfer with a failure.
    func failed(_ reason: String) {
        // 0 until the connection and the TLS handshake have succeeded.
        let isSent = unsafe muniment_curl_request_size(handle) > 0
        transfer.ended(TransferError(isSent: isSent, reason: "\(transfer.request.host): \(reason)"))
    }
}
