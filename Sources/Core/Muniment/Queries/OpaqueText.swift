internal import Events
internal import Foundation
internal import Hashing

/// Encodes bytes as an opaque text of letters, digits, `-` and `_`. A checksum detects changes.
package enum OpaqueText {
    /// - Parameter tag: distinguishes kinds of texts.
    package static func text(of bytes: [UInt8], tag: UInt32) -> String {
        var writer = ByteWriter(capacity: bytes.count + 4)
        writer.raw(bytes)
        writer.fixed32(checksum(bytes.span, tag))
        return Data(writer.bytes).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// Returns the bytes of a text; nil if it is of another kind or was changed.
    package static func bytes(of text: String, tag: UInt32) -> [UInt8]? {
        let standard = text.replacing("-", with: "+").replacing("_", with: "/")
        let padding = String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4)
        guard let data = Data(base64Encoded: standard + padding), data.count > 4 else { return nil }
        let bytes = Array(data)
        let body = bytes.span.extracting(0..<bytes.count - 4)
        var end = ByteReader(offset: body.count)
        // Two texts can decode to the same bytes; only the canonical one is valid.
        guard (try? end.fixed32(bytes.span)) == checksum(body, tag), self.text(of: bytes.dropLast(4), tag: tag) == text else {
            return nil
        }
        return bytes.dropLast(4)
    }

    private static func checksum(_ bytes: Span<UInt8>, _ tag: UInt32) -> UInt32 {
        var checksum = Checksum(tag: tag)
        checksum.combine(bytes)
        return checksum.value
    }
}
