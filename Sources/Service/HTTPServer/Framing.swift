/// Determines from the headers of a request where it ends. Reads one header at a time.
///
/// If a request has two lengths, the library uses the first one, and it prefers chunks to a length. A proxy or another server may
/// decide differently, and so mistake the end of one request for the beginning of the next (request smuggling). Such requests are
/// rejected.
struct Framing {
    /// The largest number of headers in one request.
    static let headerLimit = 128

    /// The headers that a request may have only once, in UTF-8. With two values, a proxy might use one and this server the other. Bytes
    /// that are not UTF-8 would all be read as the same character.
    private struct SingleHeaders: OptionSet {
        let rawValue: UInt8
        static let host = SingleHeaders(rawValue: 1 << 0)
        static let authorization = SingleHeaders(rawValue: 1 << 1)
        static let contentType = SingleHeaders(rawValue: 1 << 2)
        static let ifMatch = SingleHeaders(rawValue: 1 << 3)
        static let idempotencyKey = SingleHeaders(rawValue: 1 << 4)
        static let lastEventID = SingleHeaders(rawValue: 1 << 5)
        static let consistency = SingleHeaders(rawValue: 1 << 6)
    }

    private(set) var contentLength: Int?
    private(set) var isChunked = false
    private var singleHeaders: SingleHeaders = []
    private var headers = 0
    private(set) var expectsContinue = false
    /// Why the request is rejected; the first reason found.
    private(set) var refusal: Refusal?

    struct Refusal {
        let status: Int
        let detail: String
    }

    /// Whether a body follows the head.
    var announcesBody: Bool { isChunked || (contentLength ?? 0) > 0 }

    /// Reads one header.
    mutating func add(name: Span<UInt8>, value: Span<UInt8>) {
        headers += 1
        if headers > Self.headerLimit { refuse("the request has more than \(Self.headerLimit) headers", status: 431) }
        if name.isEmpty || !name.allSatisfy({ HeaderText.isTokenByte($0) }) {
            refuse("the name of a header has an invalid byte")
        }
        if !value.allSatisfy({ HeaderText.isValueByte($0) }) { refuse("the value of a header has a control character") }
        switch name.count {
        case 4 where name.equals("host"): addSingle(.host, "host", value)
        case 6 where name.equals("expect"): expectsContinue = value.equals("100-continue")
        case 8 where name.equals("if-match"): addSingle(.ifMatch, "if-match", value)
        case 12 where name.equals("content-type"): addSingle(.contentType, "content-type", value)
        case 13 where name.equals("authorization"): addSingle(.authorization, "authorization", value)
        case 13 where name.equals("last-event-id"): addSingle(.lastEventID, "last-event-id", value)
        case 14 where name.equals("content-length"): addLength(value)
        case 15 where name.equals("idempotency-key"): addSingle(.idempotencyKey, "idempotency-key", value)
        case 16 where name.equals("content-encoding"): addEncoding(value)
        case 17 where name.equals("transfer-encoding"): addCoding(value)
        case 20 where name.equals("muniment-consistency"): addSingle(.consistency, "muniment-consistency", value)
        default: break
        }
    }

    /// Checks the framing after all headers were read.
    mutating func finish(isHTTP11: Bool) {
        if isChunked && contentLength != nil { refuse("it has both Content-Length and Transfer-Encoding") }
        if isChunked && !isHTTP11 { refuse("Transfer-Encoding is not allowed with HTTP/1.0") }
        if isHTTP11 && !singleHeaders.contains(.host) { refuse("the Host header is missing") }
    }

    /// Rejects the request, unless it is rejected already.
    mutating func refuse(_ detail: String, status: Int = 400) {
        if refusal == nil { refusal = Refusal(status: status, detail: detail) }
    }

    private mutating func addSingle(_ header: SingleHeaders, _ name: StaticString, _ value: Span<UInt8>) {
        if !singleHeaders.insert(header).inserted { refuse("the request has more than one `\(name)` header: send one") }
        if (try? UTF8Span(validating: value)) == nil { refuse("the `\(name)` header is not UTF-8") }
    }

    private mutating func addEncoding(_ value: Span<UInt8>) {
        guard value.isEmpty || value.equals("identity") else {
            return refuse("the Content-Encoding of the body is not supported: send the body without one", status: 415)
        }
    }

    private mutating func addLength(_ value: Span<UInt8>) {
        guard !value.isEmpty, value.count <= 18, value.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }) else {
            return refuse("Content-Length is not a number")
        }
        var length = 0
        for index in value.indices { length = length * 10 + Int(value[index] - UInt8(ascii: "0")) }
        if let other = contentLength, other != length { refuse("the request has two different Content-Length headers") }
        contentLength = length
    }

    private mutating func addCoding(_ value: Span<UInt8>) {
        if isChunked { refuse("the request has more than one Transfer-Encoding header") }
        guard value.equals("chunked") else { return refuse("Transfer-Encoding is not `chunked`") }
        isChunked = true
    }
}

extension Span<UInt8> {
    /// Whether all bytes satisfy a rule.
    @inline(__always) func allSatisfy(_ rule: (UInt8) -> Bool) -> Bool {
        unsafe withUnsafeBufferPointer { bytes in
            for index in 0..<bytes.count {
                guard unsafe rule(bytes[index]) else { return false }
            }
            return true
        }
    }

    /// Whether this is the given lower-case text, ignoring letter case.
    func equals(_ small: StaticString) -> Bool {
        guard count == small.utf8CodeUnitCount else { return false }
        return small.withUTF8Buffer { small in
            for index in indices {
                let byte = self[index]
                let lowered = byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
                if unsafe lowered != small[index] { return false }
            }
            return true
        }
    }
}

/// The text of a header.
enum HeaderText {
    /// A value without the blanks around it.
    static func trimmed(_ value: Span<UInt8>) -> String {
        var range = value.indices
        while let first = range.first, isBlank(value[first]) { range.removeFirst() }
        while let last = range.last, isBlank(value[last]) { range.removeLast() }
        return unsafe value.extracting(range).withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }

    static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    /// Whether a byte is valid in a method or in the name of a header: RFC 9110, 5.6.2.
    @inline(__always) static func isTokenByte(_ byte: UInt8) -> Bool {
        byte < 0x80 && (byte < 0x40 ? lowTokenBytes : highTokenBytes) & 1 << UInt64(byte & 0x3F) != 0
    }

    /// The valid bytes below 0x40, as a set of bits: digits and `!#$%&'*+-.`.
    private static let lowTokenBytes: UInt64 = 0x03FF_6CFA_0000_0000
    /// The valid bytes from 0x40 to 0x7F: letters and ``^_`|~``.
    private static let highTokenBytes: UInt64 = 0x57FF_FFFF_C7FF_FFFE

    /// Whether a byte is valid in the value of a header: anything except controls, RFC 9110, 5.5.
    @inline(__always) static func isValueByte(_ byte: UInt8) -> Bool { byte >= 0x20 && byte != 0x7F || byte == 0x09 }
}

/// Checks the headers in the library's memory for text that the library has removed or joined.
///
/// The library ends a text at its first zero byte, treats a carriage return alone as a line end, and joins folded lines. A proxy or
/// another server may read such a head differently. All of these cases are visible between the end of one header and the beginning
/// of the next: in a valid head, this gap contains only two zero bytes that replaced the line end.
@safe struct HeaderWalk {
    var framing: Framing
    /// The end of the previous header.
    var end: UnsafePointer<CChar>

    /// Checks the text between the previous header and the next one, or the end of the head.
    ///
    /// - Parameters:
    ///   - start: the beginning of the next header.
    ///   - lineEnds: the number of line ends in between.
    mutating func pass(to start: UnsafePointer<CChar>, lineEnds: Int = 1) {
        // A joined value is located after all others.
        guard unsafe end < start else { return framing.refuse("a header continues on a second line") }
        if unsafe start - end < 2 * lineEnds { framing.refuse("a line of the head does not end with CR LF") }
        while unsafe end < start {
            let byte = unsafe end.pointee
            guard byte == 0 || byte == 0x0D || byte == 0x0A else {
                return framing.refuse("the head has a zero byte, or a line that is not a header")
            }
            unsafe end += 1
        }
    }
}
