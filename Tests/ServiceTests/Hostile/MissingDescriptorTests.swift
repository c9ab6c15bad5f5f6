import Credentials
import Events
import Foundation
import Muniment
import Permissions
import ServiceSupport
import TestSupport
import Testing

@Suite("Hostile: a service without free descriptors")
struct MissingDescriptorTests {
    /// Sets the limit on open files of a running process.
    private func setDescriptorLimit(_ limit: Int, of process: ServedProcess) throws {
        let command = ["prlimit", "--pid", "\(process.identifier)", "--nofile=\(limit):"]
        #expect(try ChildProcess(command).finish().exitCode == 0)
    }

    @Test("A request without a free descriptor gets 503 with its own problem kind and Retry-After, and succeeds after one is free")
    func lackOfDescriptors() throws {
        try withTemporaryFolder { folder in
            let data = folder + "/data"
            try Store.create(at: data + "/default", preset: .open).close()
            let tokens = TokenRegistry(dataDirectory: data)
            let secret = try tokens.create(stores: .all, right: .administer, at: ManualClock().now).secret
            let process = try ServedProcess(data)
            let client = try PlainClient(port: process.port)
            let headers = ["Authorization": "Bearer \(secret)", "Content-Type": "application/json"]
            let change = #"{"as":"user:root","do":[{"op":"register","principal":"user:ann"}]}"#
            // Each request is the first of its kind, so it opens a file.
            let requests: [(method: String, path: String, body: String)] = [
                ("POST", "other/transactions", change), ("GET", "other/objects/store/entries", ""),
                ("POST", "default/transactions", change),
            ]
            func ask(_ request: (method: String, path: String, body: String)) throws -> (Int, body: String) {
                try client.send(request.method, "/v1/stores/" + request.path, headers: headers, body: request.body)
            }
            #expect(try client.send("GET", "/healthz").0 == 200)
            try Store.create(at: data + "/other", preset: .open).close()
            try setDescriptorLimit(4, of: process)
            for request in requests {
                let (status, body) = try ask(request)
                #expect(status == 503 && body.contains("/problems/insufficient-resources"), "\(request) \(status) \(body)")
            }
            try setDescriptorLimit(1_024, of: process)
            for request in requests { #expect(try ask(request).0 == 200, "\(request)") }

            // Creates a token, so that the service must read the token file again.
            _ = try tokens.create(stores: .all, right: .ask, at: ManualClock().now)
            try setDescriptorLimit(4, of: process)
            let (status, body) = try ask(requests[1])
            #expect(status == 503 && body.contains("/problems/insufficient-resources"), "\(status) \(body)")
            try setDescriptorLimit(1_024, of: process)
            #expect(try ask(requests[1]).0 == 200)
            process.signal(SIGTERM)
            #expect(process.exitCode() == 0)
            for store in ["default", "other"] { #expect(try Store.verify(at: data + "/" + store).isSound) }
        }
    }
}
