/// A signature scheme.
public enum SignatureScheme: Hashable, Sendable, CaseIterable {
    /// RSA with PKCS #1 v1.5 (RFC 8017, section 8.2).
    case rsaPKCS1SHA256, rsaPKCS1SHA384, rsaPKCS1SHA512
    /// RSA-PSS with a salt as long as the hash (RFC 8017, section 8.1).
    case rsaPSSSHA256, rsaPSSSHA384, rsaPSSSHA512
    /// ECDSA over P-256 with SHA-256, and over P-384 with SHA-384: `r` followed by `s`, each with the length of the field.
    case ecdsaP256, ecdsaP384
    /// Ed25519 (RFC 8032).
    case ed25519

    /// The kind of key that it requires.
    public var keyKind: VerificationKey.Kind {
        switch self {
        case .rsaPKCS1SHA256, .rsaPKCS1SHA384, .rsaPKCS1SHA512, .rsaPSSSHA256, .rsaPSSSHA384, .rsaPSSSHA512: .rsa
        case .ecdsaP256: .p256
        case .ecdsaP384: .p384
        case .ed25519: .ed25519
        }
    }

    var isPSS: Bool { [.rsaPSSSHA256, .rsaPSSSHA384, .rsaPSSSHA512].contains(self) }
}
