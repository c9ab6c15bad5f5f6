public import Identity
internal import Primitives
internal import Secrets

/// Encodes a mail (RFC 5322, RFC 2045): header and text with CR LF at the end of every line.
enum MailBytes {
    /// The maximum bytes of a line without its end (RFC 5322, section 2.1.1).
    private static let lineLimitBytes = 998

    /// Encodes a mail. The contents of the message cannot add header lines.
    ///
    /// - Parameter identifier: letters and digits that are unique among the mails of the sender.
    static func make(_ message: MailMessage, from sender: MailSender, at time: Instant, identifier: String) -> [UInt8] {
        let text = lines(of: message.text)
        let isPlain =
            text.utf8.allSatisfy { (0x20..<0x7F).contains($0) || [0x09, 0x0A, 0x0D].contains($0) }
            && text.split(separator: "\r\n").allSatisfy { $0.utf8.count <= lineLimitBytes }
        let name = sender.displayName.map { EncodedWords.make($0, besideAddress: true) }
        let head = [
            "From: \(name.map { "\($0) <\(sender.address)>" } ?? sender.address.text)",
            "To: \(message.to)",
            "Subject: \(EncodedWords.make(message.subject, besideAddress: false))",
            "Date: \(MailDate.text(time))",
            "Message-ID: <\(identifier)@\(sender.address.text.split(separator: "@")[1])>",
            // Prevents automatic replies (RFC 3834).
            "Auto-Submitted: auto-generated",
            "MIME-Version: 1.0",
            "Content-Type: text/plain; charset=utf-8",
            "Content-Transfer-Encoding: \(isPlain ? "7bit" : "base64")",
        ]
        return Array((head.joined(separator: "\r\n") + "\r\n\r\n" + (isPlain ? text : base64Lines(text))).utf8)
    }

    /// Returns the text with CR LF at the end of every line, for any line end in the input.
    private static func lines(of text: String) -> String {
        let lines = text.split(omittingEmptySubsequences: false) { ["\r\n", "\n", "\r"].contains($0) }
        let whole = lines.joined(separator: "\r\n")
        return whole.hasSuffix("\r\n") ? whole : whole + "\r\n"
    }

    private static func base64Lines(_ text: String) -> String {
        let letters = Array(Base64.encode(Array(text.utf8)).utf8)
        return stride(from: 0, to: letters.count, by: 76).map { start in
            String(decoding: letters[start..<min(start + 76, letters.count)], as: UTF8.self) + "\r\n"
        }.joined()
    }
}

/// Encodes texts in the header of a mail (RFC 2047).
enum EncodedWords {
    /// The bytes of text in an encoded word of at most 75 characters.
    private static let wordLimitBytes = 45
    /// The maximum bytes of unencoded text on one line.
    private static let plainLimitBytes = 200

    /// Returns the unchanged text if it is unambiguous, and base64 words otherwise, one per line.
    ///
    /// - Parameter besideAddress: whether the line also contains an address. More characters then need encoding.
    static func make(_ text: String, besideAddress: Bool) -> String {
        let special = besideAddress ? "()<>[]:;@\\,.\"" : ""
        let isPlain =
            text.utf8.count <= plainLimitBytes && !text.contains("=?")
            && text.utf8.allSatisfy { (0x20..<0x7F).contains($0) && !special.utf8.contains($0) }
        if isPlain { return text }
        var words: [[UInt8]] = [[]]
        for scalar in text.unicodeScalars {
            let bytes = Array(String(scalar).utf8)
            if words[words.count - 1].count + bytes.count > wordLimitBytes { words.append([]) }
            words[words.count - 1] += bytes
        }
        return words.map { "=?UTF-8?B?\(Base64.encode($0))?=" }.joined(separator: "\r\n ")
    }
}

/// Formats dates in the header of a mail (RFC 5322, section 3.3).
enum MailDate {
    private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// Returns `Thu, 01 Jan 1970 00:00:00 +0000`, for a time from 1970 on.
    static func text(_ time: Instant) -> String {
        let days = time.microseconds / 86_400_000_000
        // 2026-01-01T10:00:00Z
        let letters = Array(time.description)
        let month = Int(String(letters[5..<7])).map { months[$0 - 1] } ?? ""
        return
            "\(weekdays[Int(days % 7)]), \(String(letters[8..<10])) \(month) \(String(letters[..<4])) \(String(letters[11..<19])) +0000"
    }
}

/// The sender of mails.
public struct MailSender: Hashable, Sendable, CustomStringConvertible {
    public let address: EmailAddress
    /// The name that mail programs show instead of the address; nil for none.
    public let displayName: String?

    /// - Parameter text: `no-reply@example.com` or `Example <no-reply@example.com>`. The result is nil for any other text, and for
    ///   control characters.
    public init?(_ text: String) {
        guard text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else { return nil }
        guard text.hasSuffix(">"), let start = text.lastIndex(of: "<") else {
            guard let address = EmailAddress(text) else { return nil }
            (self.address, displayName) = (address, nil)
            return
        }
        guard let address = EmailAddress(String(text[text.index(after: start)...].dropLast())) else { return nil }
        var name = text[..<start]
        while name.last == " " { name.removeLast() }
        (self.address, displayName) = (address, name.isEmpty ? nil : String(name))
    }

    public var description: String { displayName.map { "\($0) <\(address)>" } ?? address.text }
}
