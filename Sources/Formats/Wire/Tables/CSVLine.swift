/// A record of a CSV file (RFC 4180).
package struct CSVLine {
    /// The record without its line feed: it ends with a carriage return.
    package let text: String

    /// - Parameter fields: the fields, without line ends.
    package init(_ fields: [String]) { text = fields.map(\.csvField).joined(separator: ",") + "\r" }
}

extension String {
    /// The text as a field of RFC 4180. A spreadsheet would calculate a field that begins like a formula; an apostrophe before it
    /// makes it text. In some countries, spreadsheets begin a field after each semicolon, and read full-width signs like others.
    fileprivate var csvField: String {
        var (text, isBegin) = ("", true)
        for scalar in unicodeScalars {
            if isBegin, "=+-@\u{FF1D}\u{FF0B}\u{FF0D}\u{FF20}".unicodeScalars.contains(scalar) { text += "'" }
            text.unicodeScalars.append(scalar)
            isBegin = scalar == ";" || scalar == "\t" || isBegin && (scalar == " " || scalar == "\"")
        }
        guard text.utf8.contains(where: { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "\"") }) else { return text }
        return "\"" + text.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }
}
