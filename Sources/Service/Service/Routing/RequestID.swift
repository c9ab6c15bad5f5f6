internal import Events
internal import HTTPServer

/// The id that the client gives a request.
enum RequestID {
    /// Returns the `X-Request-ID` of a request; nil if it is missing, or not valid for a log or a commit.
    static func given(in request: HTTPRequest) -> String? {
        guard let text = request.header("X-Request-ID"), !text.isEmpty, text.utf8.count <= Limits.originBytes,
            text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) })
        else { return nil }
        return text
    }
}
