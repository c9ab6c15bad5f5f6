internal import Credentials
internal import HTTPServer
internal import Secrets

/// An authenticated credential: its caller, and whether it is still valid.
final class Credential: Sendable {
    let caller: Caller
    /// Whether the credential is still valid. Cheap to call repeatedly.
    let isValid: @Sendable () -> Bool
    /// The bytes of the header `Authorization`, exactly as sent, by which a connection remembers the credential; nil if it does not.
    private let header: [UInt8]?

    init(_ caller: Caller, header: [UInt8]? = nil, isValid: @escaping @Sendable () -> Bool = { true }) {
        self.caller = caller
        self.isValid = isValid
        self.header = header
    }

    /// Returns the credential that the connection of a request remembers; nil unless the request has the same header and the credential is
    /// still valid. The time of the comparison depends only on the lengths of the headers.
    static func remembered(for request: HTTPRequest) -> Credential? {
        guard let credential = request.connectionState as? Credential, let header = credential.header,
            request.withHeader("Authorization", { Secrets.areEqual($0, header.span) }) == true, credential.isValid()
        else { return nil }
        return credential
    }

    /// Makes the connection of a request remember the credential in place of the one before, if it can be remembered.
    func remember(for request: HTTPRequest) { if header != nil { request.connectionState = self } }
}
