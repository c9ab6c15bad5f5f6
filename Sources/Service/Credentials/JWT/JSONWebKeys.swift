internal import Events
internal import Hashing
internal import Secrets

/// The public keys of an issuer (RFC 7517) that can verify signatures.
struct JSONWebKeys {
    private struct Entry {
        let id: String?
        /// The only algorithm of the key; nil if the key does not name one.
        let algorithm: String?
        let key: VerificationKey
    }

    private let entries: [Entry]

    /// The largest number of keys in one response.
    static let limit = 100

    var isEmpty: Bool { entries.isEmpty }

    /// Returns nil for text that is not a key set. Keys of an unknown kind, for another use, or malformed are skipped: issuers list
    /// those too, and skipping them accepts no additional JWTs.
    init?(_ bytes: [UInt8]) {
        guard let value = try? JSONText.decode(bytes), case .array(let items)? = value["keys"], items.count <= JSONWebKeys.limit
        else { return nil }
        entries = items.compactMap { item in
            guard case .object(let members) = item, let key = JSONWebKeys.key(members) else { return nil }
            return Entry(id: members.text("kid"), algorithm: members.text("alg"), key: key)
        }
    }

    /// Returns the key for a JWT; nil if no key matches, or if several match, since choosing one would be a guess.
    func key(id: String?, for algorithm: JWTAlgorithm) -> VerificationKey? {
        let fitting = entries.filter { entry in
            entry.key.kind == algorithm.scheme.keyKind && (entry.algorithm.map { $0 == algorithm.rawValue } ?? true)
                && (id.map { wanted in entry.id.map { ExactText($0) == ExactText(wanted) } ?? false } ?? true)
        }
        return fitting.count == 1 ? fitting[0].key : nil
    }

    private static func key(_ members: JSONObject) -> VerificationKey? {
        if let use = members["use"], use != .string("sig") { return nil }
        if let operations = members["key_ops"] {
            guard case .array(let operations) = operations, operations.contains(.string("verify")) else { return nil }
        }
        switch (members.text("kty"), members.text("crv")) {
        case ("RSA", nil):
            guard let modulus = members.bytes("n"), let exponent = members.bytes("e") else { return nil }
            return .rsa(modulus: modulus, exponent: exponent)
        case ("EC", "P-256"):
            guard let x = members.bytes("x"), let y = members.bytes("y") else { return nil }
            return .p256(x: x, y: y)
        case ("EC", "P-384"):
            guard let x = members.bytes("x"), let y = members.bytes("y") else { return nil }
            return .p384(x: x, y: y)
        case ("OKP", "Ed25519"): return members.bytes("x").flatMap(VerificationKey.ed25519)
        default: return nil
        }
    }
}

extension JSONObject {
    fileprivate func bytes(_ name: String) -> [UInt8]? { text(name).flatMap { Base64URL.decode($0.utf8) } }
}
