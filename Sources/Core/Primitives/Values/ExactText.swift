/// A text that is compared and ordered by its bytes: the key type for texts from outside.
///
/// Swift strings compare by canonical equivalence, so a dictionary of `String` would treat two different names as one.
package struct ExactText: Hashable, Comparable, Sendable {
    package let text: String

    package init(_ text: String) { self.text = text }

    package static func == (left: ExactText, right: ExactText) -> Bool {
        guard left.text.utf8.count == right.text.utf8.count else { return false }
        return withBytes(left.text, right.text) { left, right in
            for index in left.indices where left[index] != right[index] { return false }
            return true
        }
    }

    package static func < (left: ExactText, right: ExactText) -> Bool {
        withBytes(left.text, right.text) { left, right in
            for index in 0..<min(left.count, right.count) where left[index] != right[index] { return left[index] < right[index] }
            return left.count < right.count
        }
    }

    /// Hashes the bytes and their count. Swift's hash is equal for canonically equivalent texts: a caller could send thousands of
    /// such texts with different bytes, and every dictionary lookup would compare them all.
    package func hash(into hasher: inout Hasher) {
        withBytes(text) { bytes in
            var word: UInt64 = 0
            for index in bytes.indices {
                word = word << 8 | UInt64(bytes[index])
                if index % 8 == 7 {
                    hasher.combine(word)
                    word = 0
                }
            }
            hasher.combine(word)
            hasher.combine(bytes.count)
        }
    }
}

extension String {
    /// Returns the beginning of this text, of at most `limit` bytes of UTF-8, cut between two Unicode scalars. Linear in the
    /// limit.
    package func prefix(utf8Bytes limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var end = utf8.index(startIndex, offsetBy: limit)
        // A byte of the form 10…… is inside a scalar.
        while end > startIndex, utf8[end] & 0xC0 == 0x80 { end = utf8.index(before: end) }
        return String(self[..<end])
    }
}

extension String {
    /// The text as one word of a command for a shell, in quotes if a shell would read it in another way.
    package var shellWord: String {
        let isPlain =
            !isEmpty
            && unicodeScalars.allSatisfy {
                $0.properties.isAlphabetic || $0.isASCII && "0123456789-_.:/,@+=%".unicodeScalars.contains($0)
            }
        return isPlain ? self : "'" + split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}
