internal import Events

/// A member of a change in JSON.
package struct ChangeMember: Sendable {
    package let name: String
    package let kind: Kind
    package let absence: Absence

    /// The type of the value.
    package enum Kind: Hashable, Sendable {
        case name, nameOrNull, texts, time, flag, revision, value, inheritance, aliases
        case words([String])
    }

    /// What it means if a change does not have the member.
    package enum Absence: Hashable, Sendable {
        /// The change is invalid.
        case invalid
        case standard
        case isFalse
        /// The standard. The canonical bytes omit an absent member, so they equal those of the versions before the member.
        case omitted
    }

    /// Returns the canonical text of a value of the member. Lists are sorted unless their order matters.
    func canonicalText(_ value: JSONValue?) -> String? {
        switch (kind, value) {
        case (_, nil): absence == .isFalse ? "false" : nil
        case (.value, let value?): (try? JSONText.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? ""
        case (.words(let words), .string(let word)?): words.firstIndex(of: word).map { "\($0)" }
        case (.inheritance, .bool(let isFull)?): isFull ? "everything" : "nothing"
        case (.inheritance, let names?): "only " + names.canonicalList()
        case (_, .object(let aliases)?):
            aliases.map { $0.key + "\u{1D}" + $0.value.canonicalList() }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
                .joined(separator: "\u{1C}")
        case (_, .array?): value?.canonicalList(isSorted: name != "properties")
        case (_, .string(let text)?): text
        case (_, .bool(let flag)?): "\(flag)"
        case (_, .integer(let number)?): "\(number)"
        case (_, _?): nil
        }
    }
}

extension JSONValue {
    /// Returns a list of texts as one text. A text counts as a list of one.
    fileprivate func canonicalList(isSorted: Bool = true) -> String {
        let texts = (try? readTexts()) ?? (try? [readText()]) ?? []
        return (isSorted ? texts.sorted() : texts).joined(separator: "\u{1F}")
    }
}

/// A typed member of a change.
struct ChangePart<Value>: Sendable {
    let member: ChangeMember
    /// Converts the value of the member; nil if the change does not have it.
    private let read: @Sendable (JSONValue?) throws(MemberProblem) -> Value
    let json: @Sendable (Value) -> JSONValue?

    private init(
        _ member: ChangeMember, read: @escaping @Sendable (JSONValue?) throws(MemberProblem) -> Value,
        json: @escaping @Sendable (Value) -> JSONValue?
    ) {
        (self.member, self.read, self.json) = (member, read, json)
    }

    /// Creates a required part.
    init(
        _ name: String, _ kind: ChangeMember.Kind, json: @escaping @Sendable (Value) -> JSONValue?,
        read: @escaping @Sendable (JSONValue) throws(MemberProblem) -> Value
    ) {
        self.init(
            ChangeMember(name: name, kind: kind, absence: .invalid),
            read: { value throws(MemberProblem) in
                guard let value else { throw MemberProblem(problem: "is missing", remedy: "add it") }
                return try read(value)
            }, json: json)
    }

    func optional(_ absence: ChangeMember.Absence = .standard) -> ChangePart<Value?> {
        ChangePart<Value?>(
            ChangeMember(name: member.name, kind: member.kind, absence: absence),
            read: { value throws(MemberProblem) in value == nil ? nil : try read(value) }, json: { $0.flatMap(json) })
    }

    func take(from reader: inout ObjectReader<MemberProblem>) throws(MemberProblem) -> Value {
        let value = reader.value(member.name)
        do { return try read(value) } catch { throw error.inside(member.name) }
    }
}

extension ChangePart<Bool> {
    /// The flag with false if it is absent.
    func orFalse(_ absence: ChangeMember.Absence = .isFalse) -> ChangePart<Bool> {
        ChangePart(
            ChangeMember(name: member.name, kind: member.kind, absence: absence),
            read: { value throws(MemberProblem) in value == nil ? false : try read(value) }, json: { $0 ? .bool(true) : nil })
    }
}

/// The form of one operation in JSON: its word, its members, and the change that they make.
struct ChangeForm<each Value>: ReadableChangeForm {
    let operation: String
    /// The number of the operation in canonical bytes.
    let number: UInt8
    private let parts: (repeat ChangePart<each Value>)
    private let make: @Sendable (repeat each Value) throws(MemberProblem) -> Change

    init(
        _ operation: String, _ number: UInt8, _ parts: repeat ChangePart<each Value>,
        make: @escaping @Sendable (repeat each Value) throws(MemberProblem) -> Change
    ) {
        (self.operation, self.number, self.make) = (operation, number, make)
        self.parts = (repeat each parts)
    }

    var members: [ChangeMember] {
        var members: [ChangeMember] = []
        for part in repeat each parts { members.append(part.member) }
        return members
    }

    func read(_ reader: inout ObjectReader<MemberProblem>) throws(MemberProblem) -> Change {
        try make(repeat try (each parts).take(from: &reader))
    }

    /// Returns the JSON of a change with these values.
    func callAsFunction(_ values: repeat each Value) -> WrittenChange {
        var members: [(ChangeMember, JSONValue?)] = []
        for (part, value) in repeat (each parts, each values) { members.append((part.member, part.json(value))) }
        return WrittenChange(operation: operation, number: number, members: members)
    }
}

/// A form, without the types of its members.
protocol ReadableChangeForm: Sendable {
    var operation: String { get }
    var members: [ChangeMember] { get }
    func read(_ reader: inout ObjectReader<MemberProblem>) throws(MemberProblem) -> Change
}

/// The JSON of a change: every member of its form, with its value.
struct WrittenChange {
    let operation: String
    let number: UInt8
    let members: [(member: ChangeMember, value: JSONValue?)]
}
