internal import Console
internal import HTTPServer
internal import Hashing

/// Serves the console: its page at every address under `/console/`, and its files under `/console/assets/`.
///
/// The page and the files are public and contain no data. The console reads all data through the API, with the token of its user.
enum ConsolePages {
    private static let root = "/console/"
    private static let assets = "/console/assets/"

    /// Returns the response to a request for the console; nil for any other path.
    static func response(to request: HTTPRequest) -> HTTPResponse? {
        guard request.path == "/" || request.path == "/console" || request.path.hasPrefix(root) else { return nil }
        guard request.method == "GET" || request.method == "HEAD" else {
            return Problem(
                .methodNotAllowed, "`\(request.method)` is not allowed here: use GET, HEAD",
                headers: [HTTPHeader("Allow", "GET, HEAD")]
            ).response
        }
        guard request.path.hasPrefix(root) else {
            return HTTPResponse(status: 302, headers: [HTTPHeader("Location", root)] + protection)
        }
        let name = request.path.hasPrefix(assets) ? String(request.path.dropFirst(assets.count)) : "index.html"
        guard let file = files[name] else {
            return Problem(.notFound, "the console has no file of this name").response
        }
        if request.headers("If-None-Match").contains(where: { $0.contains(file.tag) }) {
            return HTTPResponse(status: 304, headers: file.headers)
        }
        let acceptsGzip = accepts("gzip", in: request)
        return HTTPResponse(
            status: 200, headers: file.headers + (acceptsGzip ? [HTTPHeader("Content-Encoding", "gzip")] : []),
            body: .bytes(acceptsGzip ? file.content.gzip : file.content.bytes))
    }

    /// Whether a client accepts an encoding of the content (RFC 9110, section 12.5.3).
    private static func accepts(_ encoding: String, in request: HTTPRequest) -> Bool {
        request.headers("Accept-Encoding").contains { list in
            list.split(separator: ",").contains { item in
                let parts = item.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
                return parts.first == encoding && !["q=0", "q=0.0", "q=0.00", "q=0.000"].contains(parts.dropFirst().first)
            }
        }
    }

    private struct ServedFile {
        let content: ConsoleFile
        /// The ETag. It is weak, because the compressed and the plain file share it.
        let tag: String
        let headers: [HTTPHeader]

        init(_ content: ConsoleFile) {
            self.content = content
            tag = "W/\"\(Digest(of: content.bytes.span).description.prefix(32))\""
            headers =
                [
                    HTTPHeader("Content-Type", content.mediaType), HTTPHeader("ETag", tag),
                    // Browsers read the icon of a page again at each address.
                    HTTPHeader("Cache-Control", content.mediaType == "image/svg+xml" ? "max-age=3600" : "no-cache"),
                    HTTPHeader("Vary", "Accept-Encoding"),
                ] + protection
        }
    }

    private static let files = ConsoleFile.all.mapValues { ServedFile($0) }

    /// The headers that restrict what the page may load, and who may embed it. The page has no inline script or style, and assigns no
    /// text as HTML (Trusted Types).
    private static let protection = [
        HTTPHeader(
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; "
                + "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"),
        HTTPHeader("X-Content-Type-Options", "nosniff"), HTTPHeader("X-Frame-Options", "DENY"),
        HTTPHeader("Referrer-Policy", "no-referrer"), HTTPHeader("Cross-Origin-Opener-Policy", "same-origin"),
        HTTPHeader("Cross-Origin-Resource-Policy", "same-origin"),
        HTTPHeader("Permissions-Policy", "camera=(), geolocation=(), microphone=()"),
    ]
}
