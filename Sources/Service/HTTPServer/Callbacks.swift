internal import CMicroHTTPD
internal import Glibc

/// The library's callbacks. They convert its pointers to the objects of the server.
enum Callbacks {
    private static func engine(_ context: UnsafeMutableRawPointer) -> Engine {
        unsafe Unmanaged<Engine>.fromOpaque(context).takeUnretainedValue()
    }

    /// A connection begins or ends.
    static let connection: MHD_NotifyConnectionCallback = { context, handle, socketContext, code in
        guard let context = unsafe context, let handle = unsafe handle, let socketContext = unsafe socketContext else { return }
        let engine = unsafe engine(context)
        if code == .CONNECTION_NOTIFY_STARTED {
            unsafe socketContext.pointee = unsafe Unmanaged.passRetained(engine.began(handle)).toOpaque()
        } else if let pointer = unsafe socketContext.pointee {
            unsafe socketContext.pointee = nil
            engine.ended(unsafe Unmanaged<Connection>.fromOpaque(pointer).takeRetainedValue())
        }
    }

    typealias TargetCallback =
        @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?) -> UnsafeMutableRawPointer?

    /// The target of a request has arrived. The library passes the returned value to every later callback for the request.
    static let target: TargetCallback = { context, target, handle in
        guard let context = unsafe context, let target = unsafe target, let handle = unsafe handle,
            let info = unsafe muniment_connection_info(handle, .CONNECTION_INFO_SOCKET_CONTEXT),
            let pointer = unsafe info.pointee.socket_context
        else { return nil }
        let connection = unsafe Unmanaged<Connection>.fromOpaque(pointer).takeUnretainedValue()
        let request = unsafe Unmanaged.passRetained(engine(context).began(target: target, on: connection, handle)).toOpaque()
        // The library splits the query, and never answers if the parts do not fit into its memory. The request has a copy of the target.
        var rest = unsafe target
        while let mark = unsafe strchr(rest, Int32(UInt8(ascii: "&"))) {
            unsafe mark.pointee = CChar(bitPattern: UInt8(ascii: "_"))
            unsafe rest = UnsafePointer(mark)
        }
        return unsafe request
    }

    typealias UnescapeCallback = @convention(c) (UnsafeMutableRawPointer?, OpaquePointer?, UnsafeMutablePointer<CChar>?) -> Int

    /// Leaves text encoded as it was sent.
    static let unescape: UnescapeCallback = { _, _, text in unsafe text.map { unsafe CString.length($0) } ?? 0 }

    /// The head, a part of the body, or the end of a request has arrived.
    static let request: MHD_AccessHandlerCallback = { context, handle, _, method, version, data, size, requestContext in
        guard let context = unsafe context, let handle = unsafe handle, let method = unsafe method, let version = unsafe version,
            let size = unsafe size, let pointer = unsafe requestContext?.pointee
        else { return .NO }
        let engine = unsafe engine(context)
        let request = unsafe Unmanaged<HTTPRequest>.fromOpaque(pointer).takeUnretainedValue()
        if case .target = request.stage {
            unsafe request.method = String(cString: method)
            let framing = unsafe framing(
                of: request, method: method, version: version, on: handle, headerLimitBytes: engine.headerLimitBytes)
            return unsafe engine.takeHead(framing, of: request, on: handle) ? .YES : .NO
        }
        let bytes = unsafe UnsafeRawBufferPointer(start: data, count: data == nil ? 0 : size.pointee)
        unsafe size.pointee = 0
        return unsafe engine.take(bytes, of: request, on: handle) ? .YES : .NO
    }

    /// A request has ended.
    static let completed: MHD_RequestCompletedCallback = { context, handle, requestContext, _ in
        guard let context = unsafe context, let pointer = unsafe requestContext?.pointee else { return }
        unsafe requestContext?.pointee = nil
        let request = unsafe Unmanaged<HTTPRequest>.fromOpaque(pointer).takeRetainedValue()
        unsafe engine(context).ended(request, status: request.status)
    }

    /// Returns the framing of the request according to its head.
    private static func framing(
        of request: HTTPRequest, method: UnsafePointer<CChar>, version: UnsafePointer<CChar>, on handle: OpaquePointer,
        headerLimitBytes: Int
    ) -> Framing {
        var framing = Framing()
        if !request.hasUTF8Target { framing.refuse("the target is not UTF-8") }
        // The library ends the method at a zero byte, and removes further blanks.
        let targetStart = unsafe request.targetEnd.map { unsafe $0 - request.target.utf8.count }
        if !request.method.utf8Span.span.allSatisfy(HeaderText.isTokenByte) || request.method.isEmpty
            || (unsafe method + CString.length(method) + 1 != targetStart)
        {
            framing.refuse("the method has an invalid byte, or more than one blank follows it")
        }
        // The version follows the target and one blank; any other text between them was removed by the library.
        if unsafe request.targetEnd.map({ unsafe $0 + 1 }) != version || !RequestTarget.isWellFormed(request.target) {
            framing.refuse("the target is neither a path nor a URL")
        }
        var headers = unsafe HeaderWalk(framing: framing, end: version + CString.length(version))
        unsafe withUnsafeMutablePointer(to: &headers) { _ = unsafe MHD_get_connection_values_n(handle, .HEADER_KIND, header, $0) }
        if let size = unsafe muniment_connection_info(handle, .CONNECTION_INFO_REQUEST_HEADER_SIZE)?.pointee.header_size {
            unsafe headers.pass(to: method + size, lineEnds: 2)
            if size > headerLimitBytes {
                headers.framing.refuse("the head has \(size) bytes; at most \(headerLimitBytes) are allowed", status: 431)
            }
        }
        framing = headers.framing
        if framing.isChunked { unsafe request.chunksStart = headers.end }
        request.isHTTP11 = unsafe CString.equals(version, "HTTP/1.1")
        framing.finish(isHTTP11: request.isHTTP11)
        return framing
    }

    /// Whether trailers follow the chunks of a request that has arrived in full.
    static func hasTrailers(_ request: HTTPRequest, on handle: OpaquePointer) -> Bool {
        var start = unsafe request.chunksStart
        guard request.isChunked else { return false }
        unsafe withUnsafeMutablePointer(to: &start) {
            _ = unsafe MHD_get_connection_values_n(handle, .FOOTER_KIND, trailer, $0)
        }
        return unsafe start == nil
    }

    /// Sets the start of the chunks to nil at the first trailer. If the last line arrives in pieces, the library repeats the last header
    /// as a trailer; its name is before the chunks.
    private static let trailer: MHD_KeyValueIteratorN = { context, _, name, _, _, _ in
        guard let start = unsafe context?.assumingMemoryBound(to: UnsafePointer<CChar>?.self), let name = unsafe name,
            let chunks = unsafe start.pointee
        else { return .NO }
        if unsafe name >= chunks { unsafe start.pointee = nil }
        return .YES
    }

    /// Returns all headers of a request, as they were sent.
    static func headers(of handle: OpaquePointer) -> [HTTPHeader] {
        var headers: [HTTPHeader] = []
        unsafe withUnsafeMutablePointer(to: &headers) { _ = unsafe MHD_get_connection_values(handle, .HEADER_KIND, collected, $0) }
        return headers
    }

    private static let collected: MHD_KeyValueIterator = { context, _, name, value in
        guard let headers = unsafe context?.assumingMemoryBound(to: [HTTPHeader].self), let name = unsafe name else { return .NO }
        unsafe headers.pointee.append(HTTPHeader(String(cString: name), value.map { unsafe String(cString: $0) } ?? ""))
        return .YES
    }

    private static let header: MHD_KeyValueIteratorN = { context, _, name, nameSize, value, valueSize in
        guard let walk = unsafe context?.assumingMemoryBound(to: HeaderWalk.self), let name = unsafe name else { return .NO }
        let names = unsafe UnsafeRawBufferPointer(start: name, count: nameSize)
        let values = unsafe UnsafeRawBufferPointer(start: value, count: value == nil ? 0 : valueSize)
        unsafe walk.pointee.pass(to: name)
        unsafe walk.pointee.framing.add(name: Span(_unsafeBytes: names), value: Span(_unsafeBytes: values))
        if let value = unsafe value { unsafe walk.pointee.end = unsafe value + valueSize }
        return .YES
    }
}

/// Texts that C may read for the lifetime of this object.
@safe final class CTexts {
    private var texts: [UnsafeMutablePointer<CChar>?] = unsafe []

    /// Copies a text; returns nil if memory is exhausted.
    func keep(_ text: String) -> UnsafeMutablePointer<CChar>? {
        let copy = unsafe strdup(text)
        unsafe texts.append(copy)
        return unsafe copy
    }

    deinit { while let text = unsafe texts.popLast() { unsafe free(text) } }
}

/// Text that ends with a zero byte.
enum CString {
    static func length(_ text: UnsafePointer<CChar>) -> Int { unsafe strlen(text) }

    static func equals(_ text: UnsafePointer<CChar>, _ other: StaticString) -> Bool {
        other.withUTF8Buffer { other in
            unsafe strlen(text) == other.count && memcmp(text, other.baseAddress!, other.count) == 0
        }
    }
}
