internal import Events
internal import HTTPServer

/// What a request is called, by whoever sends it.
enum RequestID {
    /// The `X-Request-ID` of a request; nil where there is none, or one that has no place in a log or a commit.
    static func given(in request: HTTPRequest) -> String? {
        guard let text = request.header("X-Request-ID"), !text.isEmpty, text.utf8.count <= Limits.originBytes,
            text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) })
        else { return nil }
        return text
    }
}
