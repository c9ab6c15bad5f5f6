internal import Glibc

/// Text that ends with a zero byte.
enum CString {
    static func length(_ text: UnsafePointer<CChar>) -> Int { unsafe strlen(text) }

    static func equals(_ text: UnsafePointer<CChar>, _ other: StaticString) -> Bool {
        other.withUTF8Buffer { other in
            unsafe strlen(text) == other.count && memcmp(text, other.baseAddress!, other.count) == 0
        }
    }
}
