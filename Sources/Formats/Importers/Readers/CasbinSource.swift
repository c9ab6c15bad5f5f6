internal import Events
internal import Foundation

/// Reads policy files of Casbin with the RBAC model: `p, subject, object, action` and `g, user, role`.
///
/// A subject that has members by `g` is a role, any other one a user.
struct CasbinSource {
    private let mapping: ImportMapping

    init(_ mapping: ImportMapping) { self.mapping = mapping }

    func read(_ files: [SourceFile], into facts: inout SourceFacts) {
        var rules: [(place: String, fields: [String])] = []
        for file in files {
            for line in file.lines(comment: "#") {
                let place = file.place(line.number)
                // Casbin allows blanks before a quoted field.
                let text = line.text.replacing(/,\s+"/, with: ",\"")
                guard let records = try? CSVRecords.records(of: text), records.count == 1, let record = records.first else {
                    facts.skip(place, "the line is not one rule: check its quotes")
                    continue
                }
                rules.append((place, record.fields.map { $0.trimmingCharacters(in: .whitespaces) }))
            }
        }
        let roles = Set(rules.filter { $0.fields[0] == "g" && $0.fields.count == 3 }.map { ExactText($0.fields[2]) })
        let denied = Set(
            rules.filter { $0.fields.first == "p" && $0.fields.last == "deny" }.map { $0.fields.dropFirst(2).prefix(2) })
        var texts: [Name: String] = [:]
        for (place, fields) in rules {
            if let reason = obstacle(fields, roles) ?? exception(fields, denied) {
                facts.skip(place, reason)
                continue
            }
            let other = fields[0] == "g" ? Name.role(fields[2]) : mapping.object(fields[2])
            var isClear = true
            for (name, text) in [(subject(fields[1], roles), fields[1]), (other, fields[2])] {
                let first = texts[name, default: text]
                texts[name] = first
                if ExactText(first) == ExactText(text) { continue }
                facts.skip(place, "`\(Name(first).excerpt)` and `\(Name(text).excerpt)` would be one name; rename one of them")
                isClear = false
            }
            if !isClear { continue }
            if fields[0] == "g" {
                facts.addMember(subject(fields[1], roles), to: Name.role(fields[2]), at: place)
            } else {
                facts.addGrant(
                    subject(fields[1], roles), mapping.privileges(fields[3]), on: mapping.object(fields[2]), at: place)
            }
        }
    }

    private func subject(_ text: String, _ roles: Set<ExactText>) -> Name {
        roles.contains(ExactText(text)) ? Name.role(text) : mapping.subject(text)
    }

    /// Returns why a rule would give more access than in the source; nil if it does not.
    ///
    /// - Parameter denied: the objects and actions of the `deny` rules.
    private func exception(_ fields: [String], _ denied: Set<ArraySlice<String>>) -> String? {
        guard fields[0] == "p", denied.contains(fields[2...3]) else { return nil }
        return "a `deny` rule for this object and action may take the access away again"
    }

    /// Returns why a rule cannot be mapped; nil if it can.
    private func obstacle(_ fields: [String], _ roles: Set<ExactText>) -> String? {
        switch (fields[0], fields.count) {
        case ("p", 5) where fields[4] == "deny":
            return "a `deny` rule takes access away that other rules give, and a store has only grants"
        case ("p", 4), ("g", 3): break
        case ("p", 5) where fields[4] == "allow": break
        case ("p", 5...), ("g", 4...):
            return "a rule with a domain, a priority or a condition needs a matcher, which cannot be mapped"
        case ("p", _), ("g", _): return "the rule has too few fields"
        default: return "`\(Name(fields[0]).excerpt)` rules need a matcher of their own, which cannot be mapped"
        }
        if !roles.contains(ExactText(fields[1])), let obstacle = mapping.obstacle(ofSubject: fields[1]) { return obstacle }
        if let pattern = fields.dropFirst().first(where: {
            $0.contains { "*|?^$[]{}".contains($0) } || $0.contains("==") || $0.contains("/:")
        }) {
            return "the pattern `\(Name(pattern).excerpt)` needs a matcher, which cannot be mapped"
        }
        return nil
    }
}
