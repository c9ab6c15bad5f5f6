internal import CMicroHTTPD

/// Encodes responses that the library cannot send.
enum RawAnswer {
    /// Returns the head and the body; the connection is closed afterwards. A stream has no body here.
    static func bytes(_ response: HTTPResponse) -> [UInt8] {
        var body: [UInt8] = []
        if case .bytes(let bytes) = response.body { body = bytes }
        let reason = unsafe MHD_get_reason_phrase_for(UInt32(response.status)).map { unsafe String(cString: $0) } ?? ""
        var head = "HTTP/1.1 \(response.status) \(reason)\r\n"
        for header in response.headers { head += "\(header.name): \(header.value)\r\n" }
        head += "Content-Length: \(body.count)\r\nConnection: close\r\n\r\n"
        return Array(head.utf8) + body
    }
}
