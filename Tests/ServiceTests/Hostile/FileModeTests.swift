import Files
import Foundation
import Muniment
import ServiceSupport
import TestSupport
import Testing

@Suite("Hostile: another user of the machine")
struct FileModeTests {
    /// Returns the files and folders at and below a path that other users can open.
    private func exposed(_ path: String) throws -> [String] {
        let inside = try FileManager.default.subpathsOfDirectory(atPath: path).map { path + "/" + $0 }
        return ([path] + inside).filter { (fileMode($0) ?? 0) & 0o077 != 0 }.sorted()
    }

    private func stop(_ process: ServedProcess) {
        process.signal(SIGTERM)
        #expect(process.exitCode() == 0)
    }

    @Test("cannot open any file or folder that the service makes: stores, tokens, accounts, notes, logs and locks")
    func everythingIsPrivate() throws {
        try withTemporaryFolder { folder in
            let (data, accounts) = (folder + "/data", folder + "/accounts.json")
            try Data(#"{"mail":{"outbox":"outbox"}}"#.utf8).write(to: URL(filePath: accounts))
            let process = try ServedProcess(data, options: ["--accounts", accounts, "--decision-log", "*"])
            let token = try String(contentsOfFile: data + "/.muniment/first-token", encoding: .utf8)
            let headers = [
                "Authorization": "Bearer " + token.trimmingCharacters(in: .newlines), "Content-Type": "application/json",
            ]
            let client = try PlainClient(port: process.port)
            let commit = try client.send(
                "POST", "/v1/stores/default/transactions", headers: headers,
                body: #"{"as":"user:root","do":[{"op":"register","principal":"user:ann"}]}"#)
            #expect(commit.0 == 200)
            let check = try client.send(
                "POST", "/v1/stores/default/check", headers: headers,
                body: #"{"subject":"user:ann","privilege":"read","object":"doc:1"}"#)
            #expect(check.0 == 200)
            #expect(try exposed(data) == [])
            #expect(try FileManager.default.subpathsOfDirectory(atPath: data).count > 20)
            stop(process)
            #expect(try exposed(data) == [])
        }
    }

    @Test("cannot open a backup, or files restored from it")
    func backups() throws {
        try withTemporaryFolder { folder in
            let store = try Store.create(at: folder + "/store")
            try store.close()
            _ = try Store.backup(at: folder + "/store", to: folder + "/backup")
            _ = try Store.restore(folder + "/backup", to: folder + "/again")
            for path in ["/store", "/backup", "/again"] { #expect(try exposed(folder + path) == []) }
        }
    }

    @Test("loses access that an earlier version gave, which the log reports; files that are not part of the data keep their modes")
    func widerModesAreNarrowed() throws {
        try withTemporaryFolder { folder in
            let data = folder + "/data"
            stop(try ServedProcess(data))
            try FileBytes.setMode(0o755, of: data)
            for path in try FileManager.default.subpathsOfDirectory(atPath: data) {
                try FileBytes.setMode(isFolder(data + "/" + path) ? 0o755 : 0o644, of: data + "/" + path)
            }
            let other = data + "/notes.txt"
            try Data("mine".utf8).write(to: URL(filePath: other))
            try FileBytes.setMode(0o644, of: other)
            let outside = folder + "/outside"
            try Data("elsewhere".utf8).write(to: URL(filePath: outside))
            try FileBytes.setMode(0o644, of: outside)
            try FileManager.default.createSymbolicLink(atPath: data + "/default/link", withDestinationPath: outside)
            let process = try ServedProcess(data)
            stop(process)
            #expect(try exposed(data) == [data + "/default/link", other])
            #expect(fileMode(outside) == 0o644)
            #expect(process.errors.contains("only their owner can open these"), "\(process.errors)")
            let again = try ServedProcess(data)
            stop(again)
            #expect(!again.errors.contains("only their owner can open these"), "\(again.errors)")
        }
    }

    @Test("can read the TLS key, and serve refuses to start with it", arguments: [0o644, 0o640, 0o604, 0o660] as [UInt32])
    func exposedKey(mode: UInt32) throws {
        try withTemporaryFolder { folder in
            let certificate = try ServerCertificate(.p256, in: folder)
            let options = ["--tls-certificate", certificate.certificateFile, "--tls-key", certificate.keyFile]
            try FileBytes.setMode(mode, of: certificate.keyFile)
            // A group may read a key that belongs to root.
            if mode == 0o640, getuid() == 0 {
                stop(try ServedProcess(folder + "/data", options: options))
                return
            }
            let refusal = #expect(throws: ServedProcess.NotListening.self) {
                try ServedProcess(folder + "/data", options: options)
            }
            #expect(refusal?.errors.contains("chmod 600 \(certificate.keyFile)") == true)
            try FileBytes.setMode(0o600, of: certificate.keyFile)
            stop(try ServedProcess(folder + "/data", options: options))
        }
    }
}
