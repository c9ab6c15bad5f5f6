internal import Foundation
internal import HTTPServer
internal import Hashing
internal import Synchronization

/// A DNS name of the service in lower case, such as `permissions.example.com`.
public struct HostName: Hashable, Sendable {
    let text: String

    /// - Parameter text: a name in ASCII letters of any case, without a scheme, a port and a path; names with other letters are in
    ///   Punycode, as browsers send them.
    /// - Returns: nil for any other text, including IP addresses and wildcards.
    public init?(_ text: String) {
        let labels = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        func isPartOfName(_ byte: UInt8) -> Bool {
            let character = Unicode.Scalar(byte)
            return isDigit(byte) || ("a"..."z").contains(character) || ("A"..."Z").contains(character) || character == "-"
                || character == "_"
        }
        guard text.utf8.count <= 253, labels.allSatisfy({ (1...63).contains($0.count) && $0.allSatisfy(isPartOfName) }),
            // A name whose last label is a number is read as an IP address.
            labels.last?.allSatisfy(isDigit) == false
        else { return nil }
        self.text = text.lowercased()
    }
}

private func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

/// The hosts that clients may use to address the service.
///
/// A web page of another site can let its own name lead to the address of the service (DNS rebinding). The browser then treats the page
/// and the service as the same origin. Such a request has the name of the other site in `Host`. An IP address cannot be rebound, so a
/// request to any IP address passes. A request without `Host` (HTTP/1.0) passes too: browsers always send it.
final class OwnHosts: Sendable {
    private let names: Set<String>
    private let certificatePEM: String?
    /// Authorities that name the service: most requests have the same one.
    private let known = Mutex<Set<String>>([])
    private static let limit = 64

    /// - Parameters:
    ///   - allowed: the names of `--allow-host`.
    ///   - publicAddress: the URL of `--public-address`; nil for none.
    ///   - certificatePEM: the certificate, whose names and wildcards count too; nil without TLS.
    init(_ allowed: Set<HostName>, publicAddress: String?, certificatePEM: String? = nil) {
        var names = Set(allowed.map(\.text))
        names.insert("localhost")
        if let host = publicAddress.flatMap({ URLComponents(string: $0)?.encodedHost }) { names.insert(host.lowercased()) }
        (self.names, self.certificatePEM) = (names, certificatePEM)
    }

    /// Returns whether an authority (`NAME`, `NAME:PORT`, `[ADDRESS]:PORT`) names the service. The port does not count: a page cannot
    /// choose the port of the service by its own name.
    func include(_ authority: String) -> Bool {
        if known.withLock({ $0.contains(authority) }) { return true }
        guard isOwn(authority) else { return false }
        known.withLock { if $0.count < Self.limit { $0.insert(authority) } }
        return true
    }

    private func isOwn(_ authority: String) -> Bool {
        let bytes = authority.utf8
        let isBracketed = bytes.first == UInt8(ascii: "[")
        let mark = bytes.firstIndex(of: UInt8(ascii: isBracketed ? "]" : ":"))
        if isBracketed, mark == nil { return false }
        let end = mark.map { isBracketed ? bytes.index(after: $0) : $0 } ?? bytes.endIndex
        let (host, port) = (authority[..<end], bytes[end...])
        guard port.isEmpty || port.first == UInt8(ascii: ":"), port.dropFirst().allSatisfy(isDigit) else { return false }
        if names.contains(String(host)) { return true }
        // An IPv6 address is in brackets, and no other host has a colon.
        let address = isBracketed ? host.dropFirst().dropLast() : host
        if IPAddress(String(address)) != nil { return isBracketed == address.utf8.contains(UInt8(ascii: ":")) }
        // A name with a dot at its end is the same name in DNS.
        guard let name = HostName(String(host.last == "." ? host.dropLast() : host)) else { return false }
        return names.contains(name.text) || certificatePEM.map { Certificate.isValid(pem: $0, forHost: name.text) } == true
    }
}

extension MunimentService {
    /// Returns the problem of a request that names a host that is not the service's; nil for any other request.
    func foreignHost(of request: HTTPRequest) -> Problem? {
        let ownHosts = listener.withLock { $0.ownHosts }
        return [request.header("Host"), request.targetAuthority].lazy.compactMap(\.self).first { !ownHosts.include($0) }
            .map(Problem.foreignHost)
    }
}

extension Problem {
    fileprivate static func foreignHost(_ host: String) -> Problem {
        let name = HostName(String(host.prefix { $0 != ":" }))?.text
        return Problem(
            .misdirected,
            "the `Host` of the request, `\(host.prefix(253))`, is not a name of this service: use its IP address or one of its names, or "
                + "start it with `--allow-host \(name ?? "NAME")`")
    }
}
