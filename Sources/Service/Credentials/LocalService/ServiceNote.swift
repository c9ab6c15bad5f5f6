internal import Events
internal import Hashing
internal import Secrets

/// The contents of `service.json`.
struct ServiceNote: Equatable {
    /// The address for the tool.
    let address: String
    let secret: String
    /// The SHA-256 of the service's key, for TLS.
    let keyDigest: [UInt8]?

    private static let format = "muniment-service/1"
    private static let limitBytes = 4_096

    init(address: String, secret: String, keyDigest: [UInt8]?) {
        self.address = address
        self.secret = secret
        self.keyDigest = keyDigest
    }

    /// Returns nil for any other text.
    init?(_ bytes: [UInt8]) {
        guard case .object(let members)? = try? JSONText.decode(bytes, limit: ServiceNote.limitBytes),
            members.text("format") == ServiceNote.format, let address = members.text("address"), let secret = members.text("secret")
        else { return nil }
        self.address = address
        self.secret = secret
        if let text = members.text("keyDigest") {
            guard let digest = Base64URL.decode(text.utf8), digest.count == 32 else { return nil }
            keyDigest = digest
        } else {
            keyDigest = nil
        }
        // A damaged note could send the secret to another address, or to a service without the right key.
        guard self.bytes == bytes else { return nil }
    }

    var bytes: [UInt8] {
        var members: JSONObject = [
            "format": .string(ServiceNote.format), "address": .string(address), "secret": .string(secret),
        ]
        if let keyDigest { members["keyDigest"] = .string(Base64URL.encode(keyDigest)) }
        members["checksum"] = .string("\(Digest(of: ServiceNote.line(members).span))")
        return ServiceNote.line(members)
    }

    private static func line(_ members: JSONObject) -> [UInt8] {
        var writer = JSONWriter()
        writer.write(.object(members))
        return Array((writer.text + "\n").utf8)
    }
}
