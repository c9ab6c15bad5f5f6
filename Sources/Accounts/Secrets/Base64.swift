/// Base64 with padding, for headers of requests and mails (RFC 4648, section 4).
public enum Base64 {
    /// Returns the encoded text.
    public static func encode(_ bytes: [UInt8]) -> String {
        var letters = Base64URL.encode(bytes).utf8.map { letter in
            switch letter {
            case UInt8(ascii: "-"): UInt8(ascii: "+")
            case UInt8(ascii: "_"): UInt8(ascii: "/")
            default: letter
            }
        }
        while letters.count % 4 != 0 { letters.append(UInt8(ascii: "=")) }
        return String(decoding: letters, as: UTF8.self)
    }
}
