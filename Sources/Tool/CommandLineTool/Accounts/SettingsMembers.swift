import Events

/// The members of an object in a settings file, taken one by one. A member that was not taken is an error, so that a misspelled
/// name is not ignored.
struct SettingsMembers {
    /// The path in the file, such as `providers[0].`; empty for the top level.
    let place: String
    private let members: JSONObject
    private var asked: [String] = []

    init(_ value: JSONValue, at place: String) throws(SettingsProblem) {
        guard case .object(let members) = value else {
            let name = place.isEmpty ? "the file" : "`\(place.dropLast())`"
            throw SettingsProblem("\(name) is not a JSON object; write one in braces")
        }
        (self.members, self.place) = (members, place)
    }

    private mutating func value(_ name: String) -> JSONValue? {
        asked.append(name)
        return members[name]
    }

    func wrong(_ name: String, _ problem: String, _ remedy: String) -> SettingsProblem {
        SettingsProblem("`\(place)\(name)` \(problem); \(remedy)")
    }

    mutating func optionalText(_ name: String) throws(SettingsProblem) -> String? {
        switch value(name) {
        case nil: return nil
        case .string(let text)? where !text.isEmpty: return text
        case _?: throw wrong(name, "is not a string", "write one in quotes, or omit it")
        }
    }

    mutating func text(_ name: String) throws(SettingsProblem) -> String {
        guard members[name] != nil else { throw wrong(name, "is missing", "add it") }
        guard let text = try optionalText(name) else { throw wrong(name, "is missing", "add it") }
        return text
    }

    mutating func optionalTexts(_ name: String) throws(SettingsProblem) -> [String]? {
        guard let value = value(name) else { return nil }
        let remedy = "write one like [\"…\"]"
        guard case .array(let values) = value, !values.isEmpty else { throw wrong(name, "is not a list of strings", remedy) }
        var texts: [String] = []
        for value in values {
            guard case .string(let text) = value, !text.isEmpty else { throw wrong(name, "is not a list of strings", remedy) }
            guard !texts.contains(text) else { throw wrong(name, "has `\(text)` twice", "write it once") }
            texts.append(text)
        }
        return texts
    }

    mutating func flag(_ name: String, default standard: Bool) throws(SettingsProblem) -> Bool {
        switch value(name) {
        case nil: return standard
        case .bool(let flag)?: return flag
        case _?: throw wrong(name, "is neither true nor false", "write one of them, without quotes")
        }
    }

    mutating func optionalNumber(_ name: String, _ range: ClosedRange<Int64>) throws(SettingsProblem) -> Int64? {
        guard let value = value(name) else { return nil }
        guard case .integer(let number) = value, range.contains(number) else {
            throw wrong(name, "is not a whole number from \(range.lowerBound) to \(range.upperBound)", "write one, without quotes")
        }
        return number
    }

    /// Takes the objects of a list; empty if the member does not exist.
    mutating func objects(_ name: String) throws(SettingsProblem) -> [SettingsMembers] {
        guard let value = value(name) else { return [] }
        guard case .array(let values) = value else { throw wrong(name, "is not a list", "write one in brackets") }
        var objects: [SettingsMembers] = []
        for (index, value) in values.enumerated() {
            objects.append(try SettingsMembers(value, at: "\(place)\(name)[\(index)]."))
        }
        return objects
    }

    mutating func object(_ name: String) throws(SettingsProblem) -> SettingsMembers? {
        guard let value = value(name) else { return nil }
        return try SettingsMembers(value, at: "\(place)\(name).")
    }

    /// Throws if a member was not taken.
    func finish() throws(SettingsProblem) {
        guard let unknown = members.keys.first(where: { !asked.contains($0) }) else { return }
        let nearest = UsageError.nearest(to: unknown, among: asked).map { "did you mean `\($0)`?" }
        let known = "use " + asked.sorted().map { "`\($0)`" }.joined(separator: ", ")
        throw wrong(unknown, "is unknown", nearest ?? known)
    }
}

/// A problem in a settings file and its remedy, without the file name.
struct SettingsProblem: Error, Hashable, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
