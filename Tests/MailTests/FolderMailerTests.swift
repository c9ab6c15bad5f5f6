import Foundation
import Identity
import Mail
import TestSupport
import Testing

@Suite("Mails in a folder")
struct FolderMailerTests {
    private func mailer(_ folder: String) throws -> FolderMailer {
        try FolderMailer(folder: folder, sender: try #require(MailSender("no-reply@example.com"))) { .newYear }
    }

    private func message(_ text: String) throws -> MailMessage {
        MailMessage(to: try #require(EmailAddress("ann@example.org")), subject: "Code", text: text)
    }

    @Test("Each mail is a complete file that only its owner can read, numbered in the order of the mails")
    func files() throws {
        let scratch = try ScratchFolder()
        let folder = scratch.path + "/outbox"
        let outbox = try mailer(folder)
        for number in 1...12 { try outbox.send(try message("text \(number)")) }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        #expect(names == (1...12).map { String(format: "%08d.eml", $0) })
        for (index, name) in names.enumerated() {
            let path = folder + "/" + name
            #expect(try String(contentsOfFile: path, encoding: .utf8).hasSuffix("\r\n\r\ntext \(index + 1)\r\n"))
            #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
        }
        #expect(try FileManager.default.attributesOfItem(atPath: folder)[.posixPermissions] as? Int == 0o700)
    }

    @Test("Existing files stay, and a new mail gets the next number, even if another process adds mails too")
    func goesOn() throws {
        let scratch = try ScratchFolder()
        try Data().write(to: URL(filePath: scratch.path + "/00000041.eml"))
        let (one, other) = (try mailer(scratch.path), try mailer(scratch.path))
        try one.send(try message("first"))
        try other.send(try message("second"))
        let names = try FileManager.default.contentsOfDirectory(atPath: scratch.path).sorted()
        #expect(names == ["00000041.eml", "00000042.eml", "00000043.eml"])
        #expect(try String(contentsOfFile: scratch.path + "/00000043.eml", encoding: .utf8).contains("second"))
    }

    @Test("Mails from many threads are all stored, and none overwrites another")
    func threads() async throws {
        let scratch = try ScratchFolder()
        let outbox = try mailer(scratch.path)
        let messages = try (0..<40).map { try message("text \($0).") }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for message in messages { group.addTask { try outbox.send(message) } }
            try await group.waitForAll()
        }
        let texts = try FileManager.default.contentsOfDirectory(atPath: scratch.path).map {
            try String(contentsOfFile: scratch.path + "/" + $0, encoding: .utf8).components(separatedBy: "\r\n\r\n")[1]
        }
        #expect(texts.sorted() == (0..<40).map { "text \($0).\r\n" }.sorted())
    }

    @Test("A folder that cannot be created is an error that names the folder")
    func noFolder() throws {
        let error = #expect(throws: MailError.self) { try mailer("/proc/outbox") }
        #expect(error?.description.contains("/proc/outbox") == true)
    }
}
