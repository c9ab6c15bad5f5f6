package import Events
package import Muniment
internal import Permissions

extension EntityDescription {
    /// The description as an object. A list of more than 1,000 items has its first 1,000; its `…Count` is the number of all.
    package var json: JSONObject {
        var members: JSONObject = [
            "name": .name(name), "class": .string(className), "created": .revision(created), "changed": .revision(changed),
            "owner": .optional(owner), "parent": .optional(parent),
        ]
        members = members.with(children.members("children") { .string($0) }).with(entries.members("entries") { $0.json })
        switch details {
        case .object: return members
        case .principal(let isAdministrator, let access):
            return members.with(access.members).with(["administrator": .bool(isAdministrator)])
        case .role(let list, let access): return members.with(access.members).with(list.members("members") { .string($0) })
        case .class(let options, let objects): return members.with(["options": options.json, "objectsCount": .count(objects)])
        case .permission(let subject, let privileges, let objects):
            return members.with(["subject": .string(subject), "privileges": .texts(privileges)])
                .with(objects.members("objects") { .string($0) })
        }
    }

    /// The description as lines of text: a word and its value each.
    package var lines: [String] {
        var lines = ["\(name)"]
        func add(_ word: String, _ values: [String]) {
            for (index, value) in values.enumerated() { lines.append("  \((index == 0 ? word : "").padded(to: 12))\(value)") }
        }
        add("class", [className])
        switch details {
        case .object: break
        case .principal(let isAdministrator, let access):
            if isAdministrator { add("is", ["an administrator"]) }
            add("roles", access.roles.lines { $0 })
            add("access", access.grants.lines(\.line))
        case .role(let members, let access):
            add("members", members.lines { $0 })
            add("roles", access.roles.lines { $0 })
            add("access", access.grants.lines(\.line))
        case .class(let options, let objects):
            add("options", options.words)
            add("objects", ["\(objects)"])
        case .permission(let subject, let privileges, let objects):
            add("gives", ["\(privileges.joined(separator: ", ")) to \(subject)"])
            add("objects", objects.lines { $0 })
        }
        add("owner", owner.map { [$0] } ?? [])
        add("parent", parent.map { [$0] } ?? [])
        add("children", children.lines { $0 })
        add("entries", entries.lines(\.line))
        add("created", ["r\(created)"])
        add("changed", changed == created ? [] : ["r\(changed)"])
        return lines
    }
}

extension EntityDescription.Access {
    fileprivate var members: JSONObject {
        roles.members("roles") { .string($0) }.with(
            grants.members("grants") { .object($0.entry.members.with(["object": .string($0.object)])) })
    }
}

extension EntityDescription.Grant {
    fileprivate var line: String { "\(object)  \(entry.access)" }
}

extension EntityDescription.ShortList {
    fileprivate func members(_ name: String, _ json: (Item) -> JSONValue) -> JSONObject {
        [name: .array(first.map(json)), name + "Count": .count(count)]
    }

    fileprivate func lines(_ line: (Item) -> String) -> [String] {
        first.map(line) + (count > first.count ? ["… \(count) in all"] : [])
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}

extension EntryDescription {
    /// The privileges and their end, in words.
    package var access: String {
        var text = privileges.joined(separator: ", ")
        if let until, until != .forever { text += "  until \(until)" }
        if isPermanent { text += "  permanent" }
        if let permission { text += "  by \(Name.permission(permission))" }
        return text
    }

    /// The entry in words.
    package var line: String { "\(subject)  \(access)" }
}
