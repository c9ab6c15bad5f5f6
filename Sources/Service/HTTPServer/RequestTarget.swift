/// Parses request targets.
enum RequestTarget {
    /// Returns the path and the query of a target, both as sent. For a proxy target, `http://host/path`, returns its path.
    static func parts(of target: String) -> (path: String, query: String) {
        let bytes = target.utf8
        var start = bytes.startIndex
        if bytes.first != UInt8(ascii: "/"), let authority = authorityStart(of: target) {
            start = bytes[authority...].firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? bytes.endIndex
        }
        guard let mark = bytes[start...].firstIndex(of: UInt8(ascii: "?")) else {
            return (start == bytes.startIndex ? target : rooted(target[start...]), "")
        }
        return (rooted(target[start..<mark]), String(target[bytes.index(after: mark)...]))
    }

    /// Returns whether a target has a valid form for a server: a path, a whole address, or `*`.
    static func isWellFormed(_ target: String) -> Bool {
        let bytes = target.utf8
        guard bytes.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else { return false }
        return bytes.first == UInt8(ascii: "/") || target == "*" || authorityStart(of: target) != nil
    }

    private static func rooted(_ path: Substring) -> String { path.isEmpty ? "/" : String(path) }

    /// Returns the start of the host in a whole address.
    private static func authorityStart(of target: String) -> String.Index? {
        for scheme in ["http://", "https://"] where target.utf8.count > scheme.utf8.count {
            if target.prefix(scheme.count).lowercased() == scheme {
                return target.utf8.index(target.utf8.startIndex, offsetBy: scheme.utf8.count)
            }
        }
        return nil
    }
}
