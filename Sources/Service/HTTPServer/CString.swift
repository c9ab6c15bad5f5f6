internal import Glibc

/// Texts that C may read for the lifetime of this object.
@safe final class CTexts {
    private var texts: [UnsafeMutablePointer<CChar>?] = unsafe []

    /// Copies a text; returns nil if memory is exhausted.
    func keep(_ text: String) -> UnsafeMutablePointer<CChar>? {
        let copy = unsafe strdup(text)
        unsafe texts.append(copy)
        return unsafe copy
    }

    deinit { while let text = unsafe texts.popLast() { unsafe free(text) } }
}

/// Text that ends with a zero byte.
enum CString {
    static func length(_ text: UnsafePointer<CChar>) -> Int { unsafe strlen(text) }

    static func equals(_ text: UnsafePointer<CChar>, _ other: StaticString) -> Bool {
        other.withUTF8Buffer { other in
            unsafe strlen(text) == other.count && memcmp(text, other.baseAddress!, other.count) == 0
        }
    }
}
