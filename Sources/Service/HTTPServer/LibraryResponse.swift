internal import CMicroHTTPD
internal import Synchronization

/// Passes responses to the library.
enum LibraryResponse {
    /// Bytes that the library reads at once from a stream without chunked encoding.
    private static let blockBytes = 512

    /// Passes a response to the library. Returns false if the library rejects it.
    static func queue(_ response: HTTPResponse, for request: HTTPRequest, on handle: OpaquePointer, closing: Bool) -> Bool {
        guard let made = unsafe make(response.body, for: request) else { return false }
        defer { unsafe MHD_destroy_response(made) }
        for header in response.headers {
            // A text that is passed to C directly is copied.
            let added = unsafe header.name.withCString { name in
                unsafe header.value.withCString { value in unsafe MHD_add_response_header(made, name, value) }
            }
            if added == .NO { return false }
        }
        if closing { unsafe MHD_add_response_header(made, "Connection", "close") }
        return unsafe MHD_queue_response(handle, UInt32(response.status), made) == .YES
    }

    private static func make(_ body: HTTPBody, for request: HTTPRequest) -> OpaquePointer? {
        switch body {
        case .bytes(let bytes) where bytes.count > Engine.smallBody:
            request.response = bytes
            return unsafe make(readResponse, of: UInt64(bytes.count), inBlocksOf: Engine.smallBody, for: request)
        case .bytes(let bytes):
            request.bytesSent = UInt64(bytes.count)
            return unsafe bytes.withUnsafeBytes { bytes in
                unsafe MHD_create_response_from_buffer(
                    bytes.count, UnsafeMutableRawPointer(mutating: bytes.baseAddress), .RESPMEM_MUST_COPY)
            }
        case .stream:
            let made = unsafe make(readStream, of: .max, inBlocksOf: blockBytes, for: request)
            // The library would send the last chunk of the missing body.
            if request.method == "HEAD", let made = unsafe made { unsafe muniment_omit_chunks(made) }
            return unsafe made
        }
    }

    private static func make(
        _ read: MHD_ContentReaderCallback, of bytes: UInt64, inBlocksOf blockBytes: Int, for request: HTTPRequest
    ) -> OpaquePointer? {
        let context = unsafe Unmanaged.passRetained(request).toOpaque()
        let made = unsafe MHD_create_response_from_callback(bytes, blockBytes, read, context, release)
        if unsafe made == nil { unsafe release(context) }
        return unsafe made
    }

    private static let readStream: MHD_ContentReaderCallback = { context, _, room, count in
        guard let context = unsafe context, let room = unsafe room else { return -2 }
        let request = unsafe Unmanaged<HTTPRequest>.fromOpaque(context).takeUnretainedValue()
        return unsafe request.read(into: UnsafeMutableRawBufferPointer(start: room, count: count))
    }

    private static let readResponse: MHD_ContentReaderCallback = { context, position, room, count in
        guard let context = unsafe context, let room = unsafe room else { return -2 }
        let request = unsafe Unmanaged<HTTPRequest>.fromOpaque(context).takeUnretainedValue()
        return unsafe request.readResponse(at: Int(position), into: UnsafeMutableRawBufferPointer(start: room, count: count))
    }

    private static let release: MHD_ContentReaderFreeCallback = { context in
        if let context = unsafe context { unsafe Unmanaged<HTTPRequest>.fromOpaque(context).release() }
    }
}

extension HTTPRequest {
    /// Copies bytes of the stream to the connection. Returns their number, 0 if the connection is suspended, -1 at the end of the stream,
    /// or -2 if the stream was aborted.
    fileprivate func read(into room: UnsafeMutableRawBufferPointer) -> Int {
        guard let resting = restingConnection, let stream else { return -2 }
        switch unsafe stream.read(into: room, resting: resting) {
        case .bytes(let count):
            bytesSent += UInt64(count)
            if !stream.isEndless {
                if readingDeadline == Connection.never { beginReading() }
                bytesInTime += count
                allowTimeToRead(bytes: bytesInTime)
            } else if connection.deadline.load(ordering: .relaxed) == Connection.never {
                connection.deadline.store(Clock.nanoseconds() + readingNanoseconds, ordering: .relaxed)
            }
            return count
        case .resting:
            // The client has read all bytes that are available.
            (readingDeadline, bytesInTime) = (Connection.never, 0)
            connection.deadline.store(Connection.never, ordering: .relaxed)
            connection.sendingSince.store(Connection.never, ordering: .relaxed)
            return 0
        case .end: return -1
        case .aborted: return -2
        }
    }

    /// Copies a part of a large response to the connection, and extends the client's time limit for reading. Returns the number of bytes.
    fileprivate func readResponse(at position: Int, into room: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(room.count, response.count - position)
        unsafe response.withUnsafeBytes { bytes in
            unsafe room.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[position..<(position + count)]))
        }
        bytesSent = UInt64(position + count)
        allowTimeToRead(bytes: position + count)
        return count
    }
}

/// Encodes responses that the library cannot send.
enum RawResponse {
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
