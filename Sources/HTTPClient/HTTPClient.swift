internal import CCurl

/// Sends requests over libcurl: a limit on everything, no redirects, no scheme but `http` and `https`, certificates checked.
public enum HTTPClient {
    private static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    /// Sends a request and waits for its answer, whatever its status. Blocks the calling thread.
    ///
    /// - Throws: ``HTTPClientError`` where there is no answer, or one that is too long.
    public static func send(_ request: HTTPClientRequest) throws(HTTPClientError) -> HTTPClientResponse {
        let handle = try EasyHandle(request)
        return try handle.perform(request)
    }

    /// A handle of libcurl's for one request. Options are copied into it but for what it holds here.
    @safe private final class EasyHandle {
        private let handle: UnsafeMutableRawPointer
        private var lines: UnsafeMutablePointer<curl_slist>?
        private let sink: Sink

        init(_ request: HTTPClientRequest) throws(HTTPClientError) {
            guard HTTPClient.isReady, let handle = unsafe curl_easy_init() else {
                throw .failed(address: request.address.text, why: "libcurl has no memory")
            }
            unsafe self.handle = handle
            unsafe lines = nil
            sink = Sink(limitBytes: request.limitBytes)
            setLimits(request)
            setSecurity(request)
            setBody(request.body)
            for (name, value) in request.headers {
                // What ends a line would begin another header.
                guard (name + value).utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { throw .malformedHeader(name: name) }
                unsafe lines = curl_slist_append(lines, name + ": " + value)
            }
            unsafe set(CURLOPT_HTTPHEADER, lines)
        }

        deinit {
            unsafe curl_slist_free_all(lines)
            unsafe curl_easy_cleanup(handle)
        }

        private func set(_ option: CURLoption, _ value: Int) { _ = unsafe muniment_curl_set_long(handle, option, value) }
        private func set(_ option: CURLoption, _ text: String) { _ = unsafe muniment_curl_set_text(handle, option, text) }
        @unsafe private func set(_ option: CURLoption, _ value: UnsafeMutableRawPointer?) {
            _ = unsafe muniment_curl_set_pointer(handle, option, value)
        }

        private func setLimits(_ request: HTTPClientRequest) {
            set(CURLOPT_URL, request.address.text)
            set(CURLOPT_PROTOCOLS_STR, request.address.isSecure ? "https" : "http")
            set(CURLOPT_FOLLOWLOCATION, 0)
            // Time limits by signals would not go with threads.
            set(CURLOPT_NOSIGNAL, 1)
            set(CURLOPT_CONNECTTIMEOUT, request.connectSeconds)
            set(CURLOPT_TIMEOUT, request.timeoutSeconds)
            // What never leaves the machine does not go by way of a proxy.
            if request.address.isLoopback { set(CURLOPT_NOPROXY, "*") }
            _ = unsafe muniment_curl_set_writer(handle) { bytes, size, count, context in
                guard let bytes = unsafe bytes, let context = unsafe context else { return 0 }
                let sink = unsafe Unmanaged<Sink>.fromOpaque(context).takeUnretainedValue()
                let piece = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
                return unsafe sink.take(Array(piece)) ? size * count : 0
            }
            unsafe set(CURLOPT_WRITEDATA, Unmanaged.passUnretained(sink).toOpaque())
        }

        private func setSecurity(_ request: HTTPClientRequest) {
            set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
            guard let digest = request.pinnedKeyDigest else { return }
            // The very key is known, which says more than any certificate about it.
            set(CURLOPT_SSL_VERIFYPEER, 0)
            set(CURLOPT_SSL_VERIFYHOST, 0)
            set(CURLOPT_PINNEDPUBLICKEY, "sha256//" + base64(digest))
        }

        private func setBody(_ body: [UInt8]?) {
            guard let body else { return set(CURLOPT_HTTPGET, 1) }
            set(CURLOPT_POST, 1)
            // In this order: the size says how much is copied.
            _ = unsafe muniment_curl_set_size(handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count))
            var copy = body
            unsafe copy.withUnsafeMutableBytes { unsafe set(CURLOPT_COPYPOSTFIELDS, $0.baseAddress) }
        }

        func perform(_ request: HTTPClientRequest) throws(HTTPClientError) -> HTTPClientResponse {
            let code = unsafe curl_easy_perform(handle)
            let address = request.address.text
            let why = unsafe String(cString: curl_easy_strerror(code))
            switch code {
            case CURLE_OK: break
            case CURLE_WRITE_ERROR where sink.isFull: throw .tooLong(address: address, limitBytes: request.limitBytes)
            case CURLE_OPERATION_TIMEDOUT: throw .timedOut(address: address, seconds: request.timeoutSeconds)
            case CURLE_COULDNT_CONNECT, CURLE_COULDNT_RESOLVE_HOST: throw .unreachable(address: address, why: why)
            default: throw .failed(address: address, why: why)
            }
            return HTTPClientResponse(
                status: unsafe muniment_curl_status(handle), body: sink.bytes, cacheControl: header("Cache-Control"),
                contentType: header("Content-Type"))
        }

        private func header(_ name: String) -> String? {
            var found: UnsafeMutablePointer<curl_header>?
            guard unsafe curl_easy_header(handle, name, 0, UInt32(CURLH_HEADER), -1, &found) == CURLHE_OK,
                let value = unsafe found?.pointee.value
            else { return nil }
            return unsafe String(cString: value)
        }
    }

    /// What comes in, up to a limit.
    private final class Sink {
        private(set) var bytes: [UInt8] = []
        private(set) var isFull = false
        private let limitBytes: Int

        init(limitBytes: Int) { self.limitBytes = limitBytes }

        func take(_ piece: [UInt8]) -> Bool {
            isFull = bytes.count + piece.count > limitBytes
            if !isFull { bytes += piece }
            return !isFull
        }
    }
}

/// Bytes in base64 with padding (RFC 4648, section 4).
private func base64(_ bytes: [UInt8]) -> String {
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
    var text = ""
    for start in stride(from: 0, to: bytes.count, by: 3) {
        let piece = bytes[start..<min(start + 3, bytes.count)]
        let group = piece.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - piece.count))
        for position in 0..<4 {
            text.append(position <= piece.count ? letters[group >> (18 - 6 * position) & 0x3F] : "=")
        }
    }
    return text
}
