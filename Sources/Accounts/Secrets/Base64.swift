internal import CSodium

/// Base64 with padding, for headers of requests and mails (RFC 4648, section 4).
public enum Base64 {
    public static func encode(_ bytes: [UInt8]) -> String { encode(bytes, sodium_base64_VARIANT_ORIGINAL) }

    fileprivate static func encode(_ bytes: [UInt8], _ variant: Int32) -> String {
        var text = [CChar](repeating: 0, count: sodium_base64_encoded_len(bytes.count, variant))
        unsafe sodium_bin2base64(&text, text.count, bytes, bytes.count, variant)
        return String(decoding: text.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

/// Base64 without padding, in characters that need no escaping in an address or a header (RFC 4648, section 5).
public enum Base64URL {
    public static func encode(_ bytes: [UInt8]) -> String { Base64.encode(bytes, sodium_base64_VARIANT_URLSAFE_NO_PADDING) }

    /// Returns the decoded bytes; nil if the text is not the only valid encoding: padding, other characters, or nonzero unused
    /// bits. Otherwise two texts could be accepted for the same signed value.
    public static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        let letters = text.map(CChar.init(bitPattern:))
        var bytes = [UInt8](repeating: 0, count: letters.count / 4 * 3 + 3)
        var count = 0
        let status = unsafe sodium_base642bin(
            &bytes, bytes.count, letters, letters.count, nil, &count, nil, sodium_base64_VARIANT_URLSAFE_NO_PADDING)
        return status == 0 ? Array(bytes.prefix(count)) : nil
    }
}
