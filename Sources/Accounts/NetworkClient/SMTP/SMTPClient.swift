internal import CCurl

/// Sends mails to a mail server with libcurl (RFC 5321), with certificate checks. Connections to other machines are always
/// encrypted.
public enum SMTPClient {
    /// Sends a mail and waits until the server has accepted it. Blocks the calling thread.
    ///
    /// - Throws: ``SMTPClientError`` if the mail was not accepted. If the server's last reply is lost, the mail may have been
    ///   accepted.
    public static func send(_ delivery: SMTPDelivery) throws(SMTPClientError) {
        let server = delivery.server.text
        guard isPath(delivery.sender), isPath(delivery.recipient) else { throw .malformedAddress }
        guard let handle = EasyHandle(bodyLimitBytes: replyLimitBytes, headLimitBytes: replyLimitBytes) else {
            throw .failed(server: server, reason: "libcurl has no memory")
        }
        prepare(handle, for: delivery)
        switch handle.perform() {
        case .done: return
        case .timedOut: throw .timedOut(server: server, seconds: delivery.timeoutSeconds)
        case .unreachable(let reason): throw .unreachable(server: server, reason: reason)
        case .tooLong(let limit): throw .failed(server: server, reason: "it replied with more than \(limit) bytes")
        case .failed(CURLE_USE_SSL_FAILED, _): throw .notEncrypted(server: server)
        case .failed(CURLE_LOGIN_DENIED, _): throw .loginDenied(server: server)
        case .failed(_, let reason):
            // Replies from 400 on are rejections; any other failure is not a reply of the server.
            let status = handle.status
            if (400..<600).contains(status) { throw .refused(server: server, status: status) }
            throw .failed(server: server, reason: reason)
        }
    }

    /// The maximum total bytes of a server's replies.
    private static let replyLimitBytes = 65_536

    private static func prepare(_ handle: EasyHandle, for delivery: SMTPDelivery) {
        handle.set(CURLOPT_URL, delivery.server.text)
        handle.set(CURLOPT_PROTOCOLS_STR, delivery.server.isSecure ? "smtps" : "smtp")
        handle.set(CURLOPT_USE_SSL, Int((delivery.isEncryptionRequired ? CURLUSESSL_ALL : CURLUSESSL_NONE).rawValue))
        handle.setTimes(connectSeconds: delivery.connectSeconds, timeoutSeconds: delivery.timeoutSeconds)
        if delivery.server.isLoopback { handle.set(CURLOPT_NOPROXY, "*") }
        if let digest = delivery.pinnedKeyDigest { handle.pin(keyDigest: digest) }
        if let login = delivery.login {
            handle.set(CURLOPT_USERNAME, login.user)
            handle.set(CURLOPT_PASSWORD, login.password)
        }
        handle.set(CURLOPT_MAIL_FROM, "<\(delivery.sender)>")
        handle.set(CURLOPT_MAIL_RCPT, ["<\(delivery.recipient)>"])
        handle.upload(delivery.message)
    }

    /// Whether the text can be sent between angle brackets as exactly one address.
    private static func isPath(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 254
            && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "<") && $0 != UInt8(ascii: ">") }
    }
}
