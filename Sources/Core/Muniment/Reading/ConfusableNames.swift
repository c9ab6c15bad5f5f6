internal import Events
internal import Foundation
public import Permissions
internal import Projections

extension Snapshot {
    /// Returns the names in use that look alike, in groups of at least two. The names of a group differ only in letter case,
    /// compatibility forms, letters of other alphabets that look like Latin letters, the kind and number of blanks, or invisible
    /// characters.
    ///
    /// Compares with a small table of similar letters, not with Unicode's complete table, so it can miss similar names. Linear in
    /// the number of names that the store has ever had.
    ///
    /// - Returns: the groups, and the names in each, sorted.
    public func confusableNames() throws -> [[Name]] {
        var groups: [String: [Name]] = [:]
        for number in ReservedID.firstFree..<reader.state.nextID {
            let name = Name(try reader.name(of: ObjectID(rawValue: number)))
            if try reader.object(name) != nil { groups[NameSkeleton.of(name.text), default: []].append(name) }
        }
        return groups.values.filter { $0.count > 1 }.map { $0.sorted() }.sorted { $0[0] < $1[0] }
    }
}

/// Computes the skeleton of a name: names that look alike have the same skeleton (UTS #39).
enum NameSkeleton {
    static func of(_ text: String) -> String {
        let folded = text.decomposedStringWithCompatibilityMapping.lowercased().decomposedStringWithCompatibilityMapping
        var shape = String.UnicodeScalarView()
        var isAfterBlank = false
        for scalar in folded.unicodeScalars {
            if scalar.isBlank {
                isAfterBlank = true
            } else if !scalar.isInvisible {
                // Blanks at the start or the end of a part are ignored, like invisible characters.
                if isAfterBlank, scalar != ":", let last = shape.last, last != ":" { shape.append(" ") }
                shape.append(latin[scalar] ?? scalar)
                isAfterBlank = false
            }
        }
        return String(shape)
    }

    /// Lowercase letters and digits that look like a Latin letter in most fonts, from Unicode's confusables (UTS #39).
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
