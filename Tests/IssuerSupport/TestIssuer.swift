package import Credentials
import Foundation
import NetworkClient
import TestSupport

/// An issuer in a separate process. It serves the files of a folder, and records the requests that it receives.
package final class TestIssuer: Sendable {
    private let folder: ScratchFolder
    private let server: PythonServer

    private static let script = """
        folder = sys.argv[1]
        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *a): pass
            def do_POST(self):
                body = self.rfile.read(int(self.headers['Content-Length'])).decode()
                print(self.path, self.headers['Authorization'] or '-', body, flush=True)
                self.answer()
            def do_GET(self):
                print(self.path, flush=True)
                self.answer()
            def answer(self):
                path = os.path.join(folder, self.path.strip('/').replace('/', '_'))
                if not os.path.exists(path):
                    self.send_response(500); self.send_header('Content-Length', '0'); self.end_headers(); return
                body = open(path, 'rb').read()
                if body == b'silent': threading.Event().wait()
                self.send_response(200)
                if os.path.exists(path + '.cache'): self.send_header('Cache-Control', open(path + '.cache').read())
                self.send_header('Content-Length', str(len(body))); self.end_headers(); self.wfile.write(body)
        server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
        print(server.server_address[1], flush=True)
        server.serve_forever()
        """

    package init() throws {
        folder = try ScratchFolder()
        server = try PythonServer(TestIssuer.script, [folder.path])
    }

    package var address: String { "http://127.0.0.1:\(server.port)" }
    package var keysAddress: String { address + "/keys" }

    /// Serves a text at a path from now on; nil removes it. With the text `silent` the server accepts the request and never
    /// answers.
    package func serve(_ text: String?, at path: String, cacheControl: String? = nil) throws {
        let file = folder.path + "/" + path.replacing("/", with: "_")
        for (path, text) in [(file, text), (file + ".cache", cacheControl)] {
            if let text {
                try Data(text.utf8).write(to: URL(filePath: path))
            } else if FileManager.default.fileExists(atPath: path) {
                try FileManager.default.removeItem(atPath: path)
            }
        }
    }

    package func serve(keys: [(key: TestKey, members: [String: String])], cacheControl: String? = nil) throws {
        try serve(TestJWT.keySet(keys), at: "keys", cacheControl: cacheControl)
    }

    /// Returns the paths of the requests since the last call, in order. A POST also has its `Authorization` and its body.
    package func requests() throws -> [String] {
        // A marker request ends the list, so that the reader never waits for a request that does not arrive.
        guard let mark = HTTPAddress(address + "/mark") else { return [] }
        var request = HTTPClientRequest(mark)
        (request.connectSeconds, request.timeoutSeconds) = (600, 600)
        _ = try HTTPClient.send(request)
        var paths: [String] = []
        while let path = server.line(), path != "/mark" { paths.append(path) }
        return paths
    }

    package func stop() { server.stop() }

    /// Settings that trust this issuer's JWTs with the keys at ``keysAddress``.
    package var settings: IssuerSettings {
        get throws { try IssuerSettings(issuer: TestJWT.issuer, audience: TestJWT.audience, jwksAddress: keysAddress) }
    }

    /// Returns a verifier of this issuer's JWTs.
    package func verifier() throws -> JWTVerifier { JWTVerifier(try settings) }
}
