internal import Events
internal import Hashing
internal import Secrets

/// A parsed signed JWT (RFC 7519) in the compact form of RFC 7515, not verified yet.
struct CompactJWT {
    let algorithm: JWTAlgorithm
    /// The id of the issuer's key that signed it, if given.
    let keyID: String?
    /// The media type that its header declares, in lower case and without `application/` (RFC 7515, section 4.1.9).
    let type: String?
    /// The signed bytes: header and claims as they were sent.
    let signedBytes: [UInt8]
    let signature: [UInt8]
    private let payload: [UInt8]

    static let limitBytes = 8_192

    init(_ text: String) throws(JWTError) {
        let bytes = Array(text.utf8)
        guard bytes.count <= CompactJWT.limitBytes else { throw .tooLong(byteCount: bytes.count) }
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Base64URL.decode(parts[0]), let payload = Base64URL.decode(parts[1]),
            let signature = Base64URL.decode(parts[2])
        else { throw .malformed }
        // Keys and addresses in the header are ignored, because the sender could have chosen them.
        let members = try CompactJWT.object(header)
        guard case .string(let name)? = members["alg"] else { throw .malformed }
        guard let algorithm = JWTAlgorithm(rawValue: name) else { throw .unsupportedAlgorithm(String(name.prefix(20))) }
        if case _? = members["crit"] { throw .unknownExtension }
        switch members["kid"] {
        case .string(let id)?: keyID = id
        case nil: keyID = nil
        default: throw .malformed
        }
        switch members["typ"] {
        case .string(let declared)?:
            let declared = declared.lowercased()
            type = declared.hasPrefix("application/") ? String(declared.dropFirst("application/".count)) : declared
        case nil: type = nil
        default: throw .malformed
        }
        self.algorithm = algorithm
        self.payload = payload
        self.signature = signature
        signedBytes = Array(bytes[..<(bytes.count - parts[2].count - 1)])
    }

    /// The claims. Must be read only after the signature was verified.
    var claims: JSONObject { get throws(JWTError) { try CompactJWT.object(payload) } }

    /// A duplicate name is an error, because other parsers may use the other value.
    private static func object(_ bytes: [UInt8]) throws(JWTError) -> JSONObject {
        // RFC 8259 has no byte order mark before JSON.
        guard !bytes.starts(with: [0xEF, 0xBB, 0xBF]),
            case .object(let members)? = try? JSONText.decode(bytes, limit: limitBytes)
        else { throw .malformed }
        return members
    }
}

/// The accepted algorithms: only signatures by a key pair (RFC 7518, RFC 8037).
enum JWTAlgorithm: String, CaseIterable {
    case rs256 = "RS256"
    case rs384 = "RS384"
    case rs512 = "RS512"
    case ps256 = "PS256"
    case ps384 = "PS384"
    case ps512 = "PS512"
    case es256 = "ES256"
    case es384 = "ES384"
    case edDSA = "EdDSA"

    var scheme: SignatureScheme {
        switch self {
        case .rs256: .rsaPKCS1SHA256
        case .rs384: .rsaPKCS1SHA384
        case .rs512: .rsaPKCS1SHA512
        case .ps256: .rsaPSSSHA256
        case .ps384: .rsaPSSSHA384
        case .ps512: .rsaPSSSHA512
        case .es256: .ecdsaP256
        case .es384: .ecdsaP384
        case .edDSA: .ed25519
        }
    }
}
