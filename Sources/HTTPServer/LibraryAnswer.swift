internal import CMicroHTTPD

/// An answer as the library sends it.
enum LibraryAnswer {
    /// What the library reads at a time where it does not send chunks.
    private static let blockBytes = 512

    /// Hands an answer to the library; false where it does not take it.
    static func queue(_ response: HTTPResponse, for request: HTTPRequest, on handle: OpaquePointer, closing: Bool) -> Bool {
        guard let made = unsafe make(response.body, for: request) else { return false }
        defer { unsafe MHD_destroy_response(made) }
        for header in response.headers {
            if unsafe MHD_add_response_header(made, header.name, header.value) == .NO { return false }
        }
        if closing { unsafe MHD_add_response_header(made, "Connection", "close") }
        return unsafe MHD_queue_response(handle, UInt32(response.status), made) == .YES
    }

    private static func make(_ body: HTTPBody, for request: HTTPRequest) -> OpaquePointer? {
        switch body {
        case .bytes(let bytes):
            request.bytesSent = UInt64(bytes.count)
            return unsafe bytes.withUnsafeBytes { bytes in
                unsafe MHD_create_response_from_buffer(
                    bytes.count, UnsafeMutableRawPointer(mutating: bytes.baseAddress), .RESPMEM_MUST_COPY)
            }
        case .stream:
            let context = unsafe Unmanaged.passRetained(request).toOpaque()
            let made = unsafe MHD_create_response_from_callback(.max, blockBytes, read, context, release)
            if unsafe made == nil { unsafe release(context) }
            return unsafe made
        }
    }

    private static let read: MHD_ContentReaderCallback = { context, _, room, count in
        guard let context = unsafe context, let room = unsafe room else { return -2 }
        let request = unsafe Unmanaged<HTTPRequest>.fromOpaque(context).takeUnretainedValue()
        return unsafe request.read(into: UnsafeMutableRawBufferPointer(start: room, count: count))
    }

    private static let release: MHD_ContentReaderFreeCallback = { context in
        if let context = unsafe context { unsafe Unmanaged<HTTPRequest>.fromOpaque(context).release() }
    }
}

extension HTTPRequest {
    /// Moves a portion of the stream to the connection: its length, 0 where the connection rests, -1 at the end, -2 where the body
    /// is broken off.
    fileprivate func read(into room: UnsafeMutableRawBufferPointer) -> Int {
        guard let connection = restingConnection, let stream else { return -2 }
        switch unsafe stream.read(into: room, resting: connection) {
        case .bytes(let count):
            bytesSent += UInt64(count)
            return count
        case .resting: return 0
        case .end: return -1
        case .aborted: return -2
        }
    }
}
