import Events
import Foundation
import HTTPServer
import ServiceSupport
import Testing

@Suite("Console: the page and its files")
struct ConsolePageTests {
    private static let page = "/console/"

    @Test("Every address under /console/ is the page, and the root leads there", arguments: [false, true])
    func addresses(isLive: Bool) async throws {
        try await withService { service in
            let door: any ServiceClient = isLive ? try service.live() : service.direct
            let page = try await door.send("GET", Self.page)
            #expect(page.status == 200)
            #expect(page.header("Content-Type") == "text/html; charset=utf-8")
            for path in ["object/doc%3Apayroll", "stores/a/why/user%3Aa/read/doc%3Ab", "no-such-screen", "object/%"] {
                #expect(try await door.send("GET", Self.page + path).body == page.body, "\(path)")
            }
            for path in ["/", "/console"] {
                let answer = try await door.send("GET", path)
                #expect(answer.status == 302 && answer.header("Location") == Self.page, "\(path)")
            }
            #expect(try await door.send("POST", Self.page, json: "{}").status == 405)
            #expect(try await door.send("GET", Self.page + "assets/none.js").status == 404)
            #expect(try await door.send("GET", Self.page + "assets/../index.html").status == 404)
            #expect(try await door.send("GET", "/consoles").status == 404)
        }
    }

    @Test("Every response of the console forbids inline scripts, other hosts and frames")
    func protection() async throws {
        try await withService { service in
            for path in ["/", Self.page, Self.page + "assets/app.js", Self.page + "assets/console.css"] {
                let answer = try await service.direct.send("GET", path)
                let policy = try #require(answer.header("Content-Security-Policy"), "\(path)")
                let directives = policy.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
                #expect(directives.contains("default-src 'none'"))
                #expect(directives.contains("script-src 'self'"))
                #expect(directives.contains("frame-ancestors 'none'"))
                #expect(directives.contains("form-action 'none'"))
                #expect(directives.contains("require-trusted-types-for 'script'"))
                #expect(!policy.contains("unsafe") && !policy.contains("http") && !policy.contains("data:"))
                #expect(answer.header("X-Content-Type-Options") == "nosniff")
                #expect(answer.header("X-Frame-Options") == "DENY")
                #expect(answer.header("Referrer-Policy") == "no-referrer")
                #expect(answer.header("Set-Cookie") == nil)
            }
        }
    }

    @Test("A file is sent compressed if the client accepts gzip, and not again if the client has it")
    func caching() async throws {
        try await withService { service in
            let path = Self.page + "assets/app.js"
            func get(_ headers: HTTPHeader...) async throws -> Answer {
                try await service.direct.send("GET", path, headers: headers)
            }
            let plain = try await get()
            #expect(plain.header("Content-Encoding") == nil)
            #expect(plain.text.hasPrefix("// The console"))
            for accepted in ["gzip", "br, gzip;q=0.5", "deflate,gzip"] {
                let compressed = try await get(HTTPHeader("Accept-Encoding", accepted))
                #expect(compressed.header("Content-Encoding") == "gzip", "\(accepted)")
                #expect(compressed.body.starts(with: [0x1F, 0x8B]) && compressed.body.count < plain.body.count)
            }
            #expect(try await get(HTTPHeader("Accept-Encoding", "br")).body == plain.body)
            #expect(try await get(HTTPHeader("Accept-Encoding", "gzip;q=0")).body == plain.body)
            let tag = try #require(plain.header("ETag"))
            let known = try await get(HTTPHeader("If-None-Match", tag))
            #expect(known.status == 304 && known.body.isEmpty && known.header("ETag") == tag)
            #expect(known.header("Content-Security-Policy") != nil)
        }
    }

    @Test("All files together have at most 200 KB compressed, and the page names only files that exist")
    func size() async throws {
        try await withService { service in
            let folder = "Sources/Service/Console/Files"
            var bytes = 0
            for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
                let headers = [HTTPHeader("Accept-Encoding", "gzip")]
                let answer = try await service.direct.send("GET", Self.page + "assets/" + name, headers: headers)
                #expect(answer.status == 200, "\(name)")
                bytes += answer.body.count
                let plain = try await service.direct.send("GET", Self.page + "assets/" + name)
                let file = try String(contentsOfFile: folder + "/" + name, encoding: .utf8)
                #expect(plain.text == file, "\(name) is served as it is in the folder")
                for part in file.components(separatedBy: "from './").dropFirst() {
                    let imported = part.prefix { $0 != "'" }
                    #expect(FileManager.default.fileExists(atPath: "\(folder)/\(imported)"), "\(name) imports \(imported)")
                }
            }
            #expect(bytes > 10_000 && bytes <= 200_000)
        }
    }

    @Test("No file parses text as HTML, has an inline script or style, or names another host")
    func files() throws {
        let folder = "Sources/Service/Console/Files"
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            let text = try String(contentsOfFile: folder + "/" + name, encoding: .utf8)
            for word in [
                "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", "sessionStorage",
                "document.cookie",
            ] {
                // During a sign-in with a provider, the tab keeps the secret of the attempt. It is not a token.
                if name == "signin.js", word == "sessionStorage" { continue }
                #expect(!text.contains(word), "\(name) has \(word)")
            }
            let addresses = text.components(separatedBy: "http").dropFirst().filter { $0.hasPrefix("://") || $0.hasPrefix("s://") }
            #expect(addresses.allSatisfy { $0.hasPrefix("://www.w3.org/2000/svg") }, "\(name) names another host")
            if name.hasSuffix(".html") { #expect(!text.contains("<style") && !text.contains(" style=") && !text.contains(" on")) }
        }
    }
}
