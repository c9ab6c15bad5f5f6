/// The responses on a connection, as a client reads them.
struct RawResponses {
    var answers: [RawResponse] = []
    /// The remaining bytes, which are not a complete response.
    var rest: [UInt8]

    init(_ bytes: [UInt8]) {
        rest = bytes
        while let answer = RawResponse(taking: &rest) { answers.append(answer) }
    }

    var statuses: [Int] { answers.map(\.status) }
}

struct RawResponse {
    let status: Int
    let headers: [String: String]
    let body: String

    /// Takes one response from the start of the bytes. Returns nil if it is incomplete.
    init?(taking bytes: inout [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let split = text.range(of: "\r\n\r\n") else { return nil }
        let lines = text[..<split.lowerBound].split(separator: "\r\n", omittingEmptySubsequences: false)
        let first = lines[0].split(separator: " ")
        guard first.count >= 2, first[0] == "HTTP/1.1" || first[0] == "HTTP/1.0", let status = Int(first[1]) else { return nil }
        self.status = status
        headers = lines.dropFirst().reduce(into: [:]) { headers, line in
            let parts = line.split(separator: ":", maxSplits: 1)
            headers[parts[0].lowercased()] = parts.count > 1 ? String(parts[1].drop { $0 == " " }) : ""
        }
        let headCount = text[..<split.upperBound].utf8.count
        guard headers["transfer-encoding"] != "chunked" else {
            guard let (body, count) = Self.chunks(Array(bytes[headCount...])) else { return nil }
            self.body = String(decoding: body, as: UTF8.self)
            bytes.removeFirst(headCount + count)
            return
        }
        let length = headers["content-length"].flatMap { Int($0) } ?? 0
        guard bytes.count >= headCount + length else { return nil }
        body = String(decoding: bytes[headCount..<(headCount + length)], as: UTF8.self)
        bytes.removeFirst(headCount + length)
    }

    /// Returns the body of the chunks and the number of bytes that they take, or nil if the last chunk is missing.
    private static func chunks(_ bytes: [UInt8]) -> ([UInt8], Int)? {
        var body: [UInt8] = []
        var position = 0
        while let end = bytes[position...].firstIndex(of: 0x0A) {
            guard let size = Int(String(decoding: bytes[position..<(end - 1)], as: UTF8.self), radix: 16) else { return nil }
            position = end + 1
            guard bytes.count >= position + size + 2 else { return nil }
            body += bytes[position..<(position + size)]
            position += size + 2
            if size == 0 { return (body, position) }
        }
        return nil
    }
}

extension String {
    fileprivate func range(of text: String) -> Range<String.UTF8View.Index>? {
        let (bytes, sought) = (Array(utf8), Array(text.utf8))
        guard bytes.count >= sought.count else { return nil }
        for start in 0...(bytes.count - sought.count) where bytes[start..<(start + sought.count)].elementsEqual(sought) {
            let lower = utf8.index(utf8.startIndex, offsetBy: start)
            return lower..<utf8.index(lower, offsetBy: sought.count)
        }
        return nil
    }
}
