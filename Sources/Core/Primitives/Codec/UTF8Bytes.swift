// Apple's systems before version 26 have no span over the bytes of a text. The bytes are copied there.

/// Calls `body` with the UTF-8 bytes of a text.
@inline(__always)
func withBytes<Result>(_ text: String, _ body: (Span<UInt8>) -> Result) -> Result {
    if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) { return body(text.utf8Span.span) }
    return body(Array(text.utf8).span)
}

/// Calls `body` with the UTF-8 bytes of two texts.
@inline(__always)
func withBytes<Result>(_ left: String, _ right: String, _ body: (Span<UInt8>, Span<UInt8>) -> Result) -> Result {
    if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
        return body(left.utf8Span.span, right.utf8Span.span)
    }
    return body(Array(left.utf8).span, Array(right.utf8).span)
}

/// Returns the text that bytes encode; nil if they are not UTF-8.
@inline(__always)
func validText(_ bytes: Span<UInt8>) -> String? {
    if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
        guard let text = try? UTF8Span(validating: bytes) else { return nil }
        return String(copying: text)
    }
    return String(validating: [UInt8](copying: bytes), as: UTF8.self)
}

/// Returns the offset of the first byte that is not UTF-8; nil if all bytes are.
@inline(__always)
func invalidOffset(_ bytes: [UInt8]) -> Int? {
    if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
        do throws(UTF8.ValidationError) {
            _ = try UTF8Span(validating: bytes.span)
            return nil
        } catch {
            return error.byteOffsets.lowerBound
        }
    }
    return invalidOffsetByDecoding(bytes)
}

/// Returns the same as ``invalidOffset(_:)``, on all systems.
func invalidOffsetByDecoding(_ bytes: [UInt8]) -> Int? {
    // A replacement character is in the place of the first invalid bytes.
    if String(validating: bytes, as: UTF8.self) != nil { return nil }
    let decoded = String(decoding: bytes, as: UTF8.self).utf8
    return zip(bytes, decoded).enumerated().first { $0.element.0 != $0.element.1 }?.offset ?? bytes.count
}
