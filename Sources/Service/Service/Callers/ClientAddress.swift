internal import HTTPServer

/// The address of a client, including clients of proxies.
///
/// All requests through a proxy have the proxy's address. The proxy appends the address of its client to `X-Forwarded-For`. So the
/// first entries may be forged by the client. Only the last entries, added by trusted proxies, are reliable.
enum ClientAddress {
    /// Returns the address to count a request by and to show in the log.
    ///
    /// - Parameters:
    ///   - peer: the remote address of the connection.
    ///   - forwarded: the values of `X-Forwarded-For`, in the order of the lines.
    ///   - proxies: the trusted proxies.
    /// - Returns: the last address that is not a trusted proxy. The peer itself if it is not a trusted proxy, or if the entry is
    ///   not a valid address.
    static func client(peer: String, forwarded: @autoclosure () -> [String], proxies: Set<IPAddress>) -> String {
        guard !proxies.isEmpty, let proxy = IPAddress(peer), proxies.contains(proxy) else { return peer }
        let named = forwarded().flatMap { $0.split(separator: ",", omittingEmptySubsequences: false) }
        for text in named.reversed() {
            let words = text.split { $0 == " " || $0 == "\t" }
            guard words.count == 1, let address = IPAddress(String(words[0])) else { return peer }
            if !proxies.contains(address) { return address.description }
        }
        return peer
    }
}
