internal import HTTPServer

/// Where requests come from, behind proxies too.
///
/// A proxy in front has all its clients' requests come from its own address, and says theirs in `X-Forwarded-For`: each adds behind
/// what is there already the address that it was asked from. So what a client has written itself stands in front, and only what
/// trusted proxies have added, from the end on, says anything.
enum ClientAddress {
    /// The address to count a request by and to show in the log.
    ///
    /// - Parameters:
    ///   - peer: the address that the connection comes from.
    ///   - forwarded: the values of `X-Forwarded-For`, in the order of the lines.
    ///   - proxies: those that are believed.
    /// - Returns: the last address named that is no trusted proxy; the peer itself where it is none of them, or where that place has
    ///   something else than an address.
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
