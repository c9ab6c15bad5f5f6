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
            return ("0"..."9").contains(character) || ("a"..."z").contains(character) || ("A"..."Z").contains(character)
                || character == "-" || character == "_"
        }
        guard text.utf8.count <= 253, labels.allSatisfy({ (1...63).contains($0.count) && $0.allSatisfy(isPartOfName) }),
            // A name whose last label is a number is read as an IP address.
            labels.last?.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) == false
        else { return nil }
        self.text = text.lowercased()
    }
}

/// The hosts by which clients may address the service.
///
/// A web page of another site can let its own name lead to the address of the service (DNS rebinding). The browser then treats the page
/// and the service as the same origin. Such a request has the name of the other site in `Host`. An IP address cannot be rebound, so a
/// request to any IP address passes, as does one without `Host` (HTTP/1.0), which no browser sends.
struct OwnHosts: Sendable {
    private let names: Set<String>

    /// - Parameters:
    ///   - allowed: the names of `--allow-host`.
    ///   - publicAddress: the URL of `--public-address`; nil for none.
    init(_ allowed: Set<HostName>, publicAddress: String?) {
        var names = Set(allowed.map(\.text))
        names.insert("localhost")
        if let host = publicAddress.flatMap({ URLComponents(string: $0)?.encodedHost }) { names.insert(host.lowercased()) }
        self.names = names
    }

    /// Returns whether an authority (`NAME`, `NAME:PORT`, `[ADDRESS]:PORT`) names the service. The port does not count: a page cannot
    /// choose the port of the service by its own name.
    ///
    /// - Parameter certificate: the names of the service's certificate.
    func includes(_ authority: String, certificate: CertificateNames?) -> Bool {
        let bytes = authority.utf8
        let end =
            bytes.first == UInt8(ascii: "[")
            ? bytes.firstIndex(of: UInt8(ascii: "]")).map { bytes.index(after: $0) } ?? bytes.endIndex
            : bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.endIndex
        let port = bytes[end...]
        guard port.isEmpty || port.first == UInt8(ascii: ":"),
            port.dropFirst().allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return false }
        let host = authority[..<end]
        guard bytes.first != UInt8(ascii: "[") || host.last == "]" else { return false }
        if names.contains(String(host)) { return true }
        // An IPv6 address is in brackets, and no other host has a colon.
        let numbers = bytes.first == UInt8(ascii: "[") ? host.dropFirst().dropLast() : host
        if IPAddress(String(numbers)) != nil {
            return (numbers.startIndex != host.startIndex) == numbers.utf8.contains(UInt8(ascii: ":"))
        }
        // A name with a dot at its end is the same name in DNS.
        guard let name = HostName(String(host.last == "." ? host.dropLast() : host)) else { return false }
        return names.contains(name.text) || certificate?.include(name.text) == true
    }
}

/// The names of a certificate, wildcards included.
final class CertificateNames: Sendable {
    private let pem: String
    /// The names that were found in the certificate, so that it is not read for each request.
    private let found = Mutex<Set<String>>([])
    private static let limit = 64

    init(pem: String) { self.pem = pem }

    func include(_ name: String) -> Bool {
        if found.withLock({ $0.contains(name) }) { return true }
        guard Certificate.isValid(pem: pem, forHost: name) else { return false }
        found.withLock { if $0.count < Self.limit { $0.insert(name) } }
        return true
    }
}

extension MunimentService {
    /// Returns the problem of a request that names a host that is not the service's; nil for any other request.
    func foreignHost(of request: HTTPRequest) -> Problem? {
        for host in [request.header("Host"), request.targetAuthority] {
            guard let host, !ownHosts.includes(host, certificate: listener.withLock { $0.certificateNames }) else { continue }
            return .foreignHost(host)
        }
        return nil
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
