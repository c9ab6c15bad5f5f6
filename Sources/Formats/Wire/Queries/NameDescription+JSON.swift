package import Events
package import Muniment
internal import Permissions

extension NameDescription {
    /// The description as an object.
    ///
    /// - Parameter limit: the largest number of names in each list.
    package func json(limit: Int) -> JSONObject {
        func list(_ names: [String]) -> JSONValue { .texts(Array(names.prefix(limit))) }
        var members: JSONObject = ["name": .string(name), "class": .string(className), "hasChildren": .bool(hasChildren)]
        if let created { members["created"] = .revision(created) }
        if let changed { members["changed"] = .revision(changed) }
        if let parent { members["parent"] = .string(parent) }
        if let owner { members["owner"] = .string(owner) }
        if Name(name).isSubject {
            members["roles"] = list(roles)
            members["entries"] = list(entries)
        }
        if Name(name).kind == .role { members["members"] = list(self.members) }
        if let options { members["options"] = options.json }
        if let permission {
            members["permission"] = .object([
                "subject": .string(permission.subject), "privileges": .texts(permission.privileges),
                "objects": list(permission.objects),
            ])
        }
        return members
    }

    /// The description as lines of text: the name, then a word and its values each.
    ///
    /// - Parameters:
    ///   - access: the access list of the name.
    ///   - time: returns the text of a time.
    package func lines(access: [EntryDescription], time: (Instant) -> String) -> [String] {
        var rows: [(word: String, values: [String])] = [("class", [className])]
        rows += [("members", members), ("roles", roles), ("entries on", entries), ("options", options?.words ?? [])]
        if let permission {
            rows += [("gives", [permission.privileges.joined(separator: ", ")]), ("to", [permission.subject])]
            rows.append(("attached to", permission.objects))
        }
        rows += [
            ("owner", [owner].compactMap { $0 }), ("parent", [parent].compactMap { $0 }),
            ("access", access.map { $0.line(time: time) }),
        ]
        rows += [
            ("created", created.map { ["r\($0)"] } ?? []), ("changed", changed == created ? [] : changed.map { ["r\($0)"] } ?? []),
        ]
        let width = 14
        return [name]
            + rows.flatMap { row in
                row.values.enumerated().map { index, value in
                    let word = index == 0 ? row.word : ""
                    return "  " + word + String(repeating: " ", count: width - word.count) + value
                }
            }
    }
}

extension EntryDescription {
    /// Returns the entry in words.
    ///
    /// - Parameter time: returns the text of a time.
    package func line(time: (Instant) -> String) -> String {
        var line = "\(subject)  \(privileges.joined(separator: ", "))"
        if let until, until != .forever { line += "  until \(time(until))" }
        if isPermanent { line += "  permanent" }
        if let permission { line += "  by \(Name.permission(permission))" }
        return line
    }
}
