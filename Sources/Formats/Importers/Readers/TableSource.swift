internal import Events
internal import Foundation

/// The meaning of a column in a CSV file or in a table of a database. Other columns are an error, since they could limit access.
public enum CSVColumn: String, CaseIterable, Hashable, Sendable {
    /// With `object` and `privileges`: a grant.
    case subject
    case object
    /// One or several, separated by commas, semicolons or blanks, or an array of PostgreSQL.
    case privileges
    /// With `object`: the object that contains it.
    case parent
    /// With `member`: a membership.
    case role
    case member
    case validFrom = "valid_from"
    case validTo = "valid_to"
}

/// Reads tables. One row can state a grant, a membership and a parent.
struct TableSource {
    private typealias Row = [CSVColumn: String]

    /// Words in a list of privileges that could take access away.
    private static let denials: Set<String> = ["deny", "denied", "except", "forbid", "no", "none", "not", "null", "without"]

    private let mapping: ImportMapping

    init(_ mapping: ImportMapping) { self.mapping = mapping }

    func read(_ tables: [SourceTable], into facts: inout SourceFacts) throws {
        var found: Set<CSVColumn> = []
        for table in tables { found.formUnion(try read(table, into: &facts)) }
        for (column, name) in mapping.columns where !found.contains(column) {
            throw SourceFileError(
                file: tables.map(\.name).joined(separator: ", "),
                "no column is called `\(Name(name).excerpt)`, which the mapping gives for `\(column.rawValue)`; correct the mapping"
            )
        }
    }

    /// Reads a table and returns its columns.
    private func read(_ table: SourceTable, into facts: inout SourceFacts) throws -> Set<CSVColumn> {
        let columns = try columns(of: table)
        let unknown = table.header.indices.filter { !columns.values.contains($0) }
            .map { table.header[$0].trimmingCharacters(in: .whitespaces) }.filter { !mapping.ignoredColumns.contains($0) }
        guard unknown.isEmpty else {
            let names = unknown.map { "`\(Name($0).excerpt)`" }.joined(separator: ", ")
            throw SourceFileError(
                file: table.name,
                "the meaning of \(names) is unknown, and a column may limit the access of its rows; name each in `columns` of the "
                    + "mapping, or in `ignore` if it states no access")
        }
        for record in table.records {
            guard record.fields.count == table.header.count else {
                facts.skip(record.place, "it has \(record.fields.count) fields, and the header has \(table.header.count)")
                continue
            }
            var row: Row = [:]
            for (column, index) in columns {
                let text = record.fields[index].trimmingCharacters(in: .whitespaces)
                if !text.isEmpty { row[column] = text }
            }
            read(row, at: record.place, into: &facts)
        }
        return Set(columns.keys)
    }

    /// Returns the index of each column that the header has.
    private func columns(of table: SourceTable) throws -> [CSVColumn: Int] {
        let header = table.header.map { $0.trimmingCharacters(in: .whitespaces) }
        var columns: [CSVColumn: Int] = [:]
        for column in CSVColumn.allCases {
            let name = mapping.columns[column] ?? column.rawValue
            let places = header.indices.filter { header[$0] == name }
            guard places.count <= 1 else {
                throw SourceFileError(file: table.name, "the column `\(name)` appears twice; rename one")
            }
            columns[column] = places.first
            let others = Set(header).subtracting(mapping.columns.values)
            if places.isEmpty, let other = others.first(where: { $0.lowercased() == name.lowercased() }) {
                throw SourceFileError(
                    file: table.name, "the column `\(Name(other).excerpt)` differs from `\(name)` in case only; rename it")
            }
        }
        let isUsable = [[.subject, .object, .privileges], [.role, .member], [.object, .parent]].contains {
            $0.allSatisfy { (column: CSVColumn) in columns[column] != nil }
        }
        guard isUsable else {
            if header.count == 1, let delimiter = [";", "\t", "|"].first(where: header[0].contains) {
                throw SourceFileError(
                    file: table.name,
                    "its fields are separated by \(delimiter == "\t" ? "tabs" : "`\(delimiter)`"), and only commas are read; export it "
                        + "with commas")
            }
            throw SourceFileError(
                file: table.name,
                "the header `\(header.joined(separator: ","))` has neither `subject`, `object` and `privileges`, nor `role` and "
                    + "`member`, nor `object` and `parent`; name its columns in `columns` of the mapping")
        }
        return columns
    }

    private func read(_ row: Row, at place: String, into facts: inout SourceFacts) {
        var period = SourceFacts.Period.always
        for (column, member) in [(CSVColumn.validFrom, \SourceFacts.Period.from), (.validTo, \.to)] {
            guard let text = row[column] else { continue }
            if text == (column == .validFrom ? "-infinity" : "infinity") { continue }
            if ["infinity", "-infinity"].contains(text) {
                return facts.skip(place, "`\(column.rawValue)` is `\(text)`, so it holds at no time; leave the row out")
            }
            guard let instant = Instant(ofDatabase: text) else {
                return facts.skip(place, "`\(Name(text).excerpt)` is not a time: write it like 2026-01-31T10:00:00Z or 2026-01-31")
            }
            period[keyPath: member] = instant
        }
        var isEmpty = true
        if let object = row[.object], let parent = row[.parent] {
            isEmpty = false
            facts.addObject(mapping.object(object), parent: mapping.object(parent), at: place)
        }
        for subject in [row[.subject], row[.member]].compactMap({ $0 }) {
            if let obstacle = mapping.obstacle(ofSubject: subject) { return facts.skip(place, obstacle) }
        }
        if let role = row[.role], let member = row[.member] {
            isEmpty = false
            facts.addMember(mapping.subject(member), to: Name.role(role), period, at: place)
        }
        if let subject = row[.subject], let object = row[.object], let words = row[.privileges] {
            isEmpty = false
            guard let privileges = privilegeWords(words) else {
                return facts.skip(
                    place,
                    "`\(Name(words).excerpt)` is not a list of privileges; write it like `read;update` or `{read,update}`, or give its "
                        + "words in `privileges` of the mapping")
            }
            facts.addGrant(
                mapping.subject(subject), privileges.flatMap(mapping.privileges), on: mapping.object(object), period, at: place)
        }
        if isEmpty, !row.isEmpty { facts.skip(place, "it has empty fields, and states neither a grant, a membership nor a parent") }
    }

    /// Returns the words of a list or of an array of PostgreSQL; nil if the text is another kind of list, has no words, or may deny.
    private func privilegeWords(_ text: String) -> [String]? {
        var words = text.split { ", ;".contains($0) }.map(String.init)
        if text.hasPrefix("{"), text.hasSuffix("}") {
            let elements = String(text.dropFirst().dropLast())
            // An array escapes quotes with a backslash.
            guard !elements.contains("\\"), let records = try? CSVRecords.records(of: elements) else { return nil }
            words = records.flatMap(\.fields)
        }
        let isList = words.allSatisfy { word in
            if mapping.privileges[ExactText(word)] != nil { return true }
            return !word.isEmpty && !word.contains { "{}[]()\"!*".contains($0) } && !word.hasPrefix("-")
                && !Self.denials.contains(word.lowercased())
        }
        return isList && !words.isEmpty ? words : nil
    }
}

extension Instant {
    /// Parses a time as databases write it: RFC 3339, a day, or a time with a blank or without an offset, which is UTC.
    init?(ofDatabase text: String) {
        guard let match = text.wholeMatch(of: /(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d:\d\d(?:\.\d{1,9})?))?(Z|[+-]\d\d(?::?\d\d)?)?/)
        else {
            return nil
        }
        let (day, time) = (match.1, match.2 ?? "00:00:00")
        var offset = match.3.map(String.init) ?? "Z"
        if offset.count == 3 { offset += ":00" }
        if offset.count == 5 { offset.insert(":", at: offset.index(offset.startIndex, offsetBy: 3)) }
        guard let instant = try? Instant("\(day)T\(time)\(offset)") else { return nil }
        self = instant
    }
}
