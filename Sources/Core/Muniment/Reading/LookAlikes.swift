internal import Events
internal import Foundation
public import Permissions
internal import Projections

extension Snapshot {
    /// The names in use that look alike, in groups of two and more: they differ in letter case, in compatibility forms, in letters
    /// of other alphabets that have the shape of Latin ones, in the kind and number of blanks, or in invisible characters.
    ///
    /// The comparison uses a small table of shapes, and not all of Unicode's: two similar names can be missing. Linear in the names
    /// that the store ever had.
    ///
    /// - Returns: the groups, and the names in each, sorted.
    public func lookAlikes() throws -> [[Name]] {
        var groups: [String: [Name]] = [:]
        for number in ReservedID.firstFree..<reader.state.nextID {
            let name = Name(try reader.name(of: ObjectID(rawValue: number)))
            if try reader.object(name) != nil { groups[NameShape.of(name.text), default: []].append(name) }
        }
        return groups.values.filter { $0.count > 1 }.map { $0.sorted() }.sorted { $0[0] < $1[0] }
    }
}

/// Reduces a name to the features that a hasty reader notices.
enum NameShape {
    static func of(_ text: String) -> String {
        let folded = text.decomposedStringWithCompatibilityMapping.lowercased().decomposedStringWithCompatibilityMapping
        var shape = String.UnicodeScalarView()
        var isBehindBlank = false
        for scalar in folded.unicodeScalars {
            if scalar.isBlank {
                isBehindBlank = true
            } else if !scalar.isUnseen {
                // Blanks at the ends of a part show as little as unseen characters do.
                if isBehindBlank, scalar != ":", let last = shape.last, last != ":" { shape.append(" ") }
                shape.append(latin[scalar] ?? scalar)
                isBehindBlank = false
            }
        }
        return String(shape)
    }

    /// Small letters, and digits, that have the shape of a Latin letter in most fonts; after Unicode's confusables (UTS #39).
    private static let latin: [Unicode.Scalar: Unicode.Scalar] = {
        let shapes: [Unicode.Scalar: String] = [
            "a": "\u{430}\u{3B1}\u{251}", "b": "\u{42C}\u{44C}", "c": "\u{441}\u{3F2}", "d": "\u{501}", "e": "\u{435}\u{454}",
            "g": "\u{261}\u{581}", "h": "\u{4BB}\u{570}", "i": "1l|\u{456}\u{4CF}\u{3B9}\u{131}", "j": "\u{458}\u{3F3}",
            "k": "\u{43A}\u{3BA}", "n": "\u{578}", "o": "0\u{43E}\u{3BF}\u{585}\u{3C3}", "p": "\u{440}\u{3C1}", "q": "\u{51B}",
            "s": "5\u{455}", "u": "\u{57D}\u{3C5}", "v": "\u{3BD}\u{475}", "w": "\u{51D}\u{461}", "x": "\u{445}\u{3C7}",
            "y": "\u{443}\u{3B3}\u{4AF}",
        ]
        var latin: [Unicode.Scalar: Unicode.Scalar] = [:]
        for (letter, others) in shapes { for scalar in others.unicodeScalars { latin[scalar] = letter } }
        return latin
    }()
}
