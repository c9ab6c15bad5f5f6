/// The members of a JSON object, in the order of the UTF-8 bytes of their names.
///
/// Two names are equal only if all their bytes are equal: an `é` in one code point and an `é` in two are two names, in an object
/// as in the log. The original order of the members is not stored.
///
/// ```swift
/// var members: JSONObject = ["title": .string("Bridge"), "year": .integer(2026)]
/// members["year"] = nil
/// ```
public struct JSONObject: Sendable {
    /// Sorted by name, without duplicates. Without labels, so that the members of a literal are used as they are.
    private var members: [(String, JSONValue)]

    /// Creates an object without members.
    public init() { members = [] }

    /// Creates an object from a dictionary. O(n log n).
    public init(_ members: [String: JSONValue]) {
        self.members = members.map { ($0.key, $0.value) }.sorted { ExactText($0.0) < ExactText($1.0) }
    }

    /// Creates an object from members in any order. Of members with the same name the last one is used. O(n log n).
    public init(_ members: some Sequence<(String, JSONValue)>) {
        let all = Array(members)
        guard !JSONObject.isAscending(all) else {
            self.members = all
            return
        }
        self.members = []
        for (name, value) in JSONObject.sorted(all) {
            if let last = self.members.last, ExactText(last.0) == ExactText(name) { self.members.removeLast() }
            self.members.append((name, value))
        }
    }

    /// Creates an object from the members of a text. Returns nil if a name occurs twice.
    ///
    /// - Parameter repeated: is set to the first such name.
    init?(unique members: [(String, JSONValue)], repeated: inout String?) {
        self.members = JSONObject.sorted(members)
        for index in self.members.indices.dropFirst() {
            let (previous, name) = (self.members[index - 1].0, self.members[index].0)
            guard ExactText(previous) == ExactText(name) else { continue }
            repeated = name
            return nil
        }
    }

    /// Sorts members by name. The sort is stable: members of the same name keep their order.
    private static func sorted(_ members: [(String, JSONValue)]) -> [(String, JSONValue)] {
        isAscending(members) ? members : members.sorted { ExactText($0.0) < ExactText($1.0) }
    }

    /// Whether members are sorted by name, without duplicates.
    private static func isAscending(_ members: [(String, JSONValue)]) -> Bool {
        members.indices.dropFirst().allSatisfy { ExactText(members[$0 - 1].0) < ExactText(members[$0].0) }
    }

    /// The value of the member of this name, or nil if the name is absent. Setting nil removes the member.
    ///
    /// Reading takes O(log n) steps. Adding or removing a member moves the members after it.
    public subscript(name: String) -> JSONValue? {
        get {
            let (index, isThere) = position(of: name)
            return isThere ? members[index].1 : nil
        }
        set {
            let (index, isThere) = position(of: name)
            switch (newValue, isThere) {
            case (let value?, true): members[index].1 = value
            case (let value?, false): members.insert((name, value), at: index)
            case (nil, true): members.remove(at: index)
            case (nil, false): break
            }
        }
    }

    /// Returns the index of the member of this name, or the index for inserting it.
    private func position(of name: String) -> (index: Int, isThere: Bool) {
        let name = ExactText(name)
        // Texts of other lengths are told apart without a look at their bytes.
        if members.count <= 8, let index = members.firstIndex(where: { ExactText($0.0) == name }) { return (index, true) }
        var (low, high) = (0, members.count)
        while low < high {
            let middle = (low + high) / 2
            if ExactText(members[middle].0) < name { low = middle + 1 } else { high = middle }
        }
        return (low, low < members.count && ExactText(members[low].0) == name)
    }

    /// The names, in order.
    public var keys: some RandomAccessCollection<String> { members.lazy.map(\.0) }

    /// The values, in the order of their names.
    public var values: some RandomAccessCollection<JSONValue> { members.lazy.map(\.1) }

    /// Returns the text under a name; nil if the name is absent or its value is not a text.
    public func text(_ name: String) -> String? { if case .string(let text)? = self[name] { text } else { nil } }

    /// Returns these members with additional ones, which replace members of the same name. Linear in both.
    package func with(_ others: JSONObject) -> JSONObject {
        guard !others.isEmpty else { return self }
        var result = JSONObject()
        result.members.reserveCapacity(count + others.count)
        var (mine, theirs) = (members[...], others.members[...])
        while let own = mine.first, let other = theirs.first {
            if ExactText(own.0) < ExactText(other.0) {
                result.members.append(own)
                mine = mine.dropFirst()
            } else {
                if ExactText(own.0) == ExactText(other.0) { mine = mine.dropFirst() }
                result.members.append(other)
                theirs = theirs.dropFirst()
            }
        }
        result.members += mine
        result.members += theirs
        return result
    }

    /// Returns these members with a patch applied (RFC 7396). Linear in both.
    func merging(_ patch: JSONObject) -> JSONObject {
        var result = JSONObject()
        result.members.reserveCapacity(members.count)
        var mine = members[...]
        for (name, change) in patch {
            while let next = mine.first, ExactText(next.0) < ExactText(name) { result.members.append(mine.removeFirst()) }
            let isThere = mine.first.map { ExactText($0.0) == ExactText(name) } ?? false
            let present = isThere ? mine.removeFirst().1 : .null
            if case .null = change { continue }
            result.members.append((name, present.merging(change)))
        }
        result.members += mine
        return result
    }
}

extension JSONObject: RandomAccessCollection {
    public typealias Element = (key: String, value: JSONValue)

    public var startIndex: Int { 0 }
    public var endIndex: Int { members.count }
    public subscript(index: Int) -> Element { (members[index].0, members[index].1) }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// Creates an object from a literal. Traps if the literal contains a name twice.
    public init(dictionaryLiteral members: (String, JSONValue)...) {
        self.init(members)
        precondition(count == members.count, "a name appears twice in a literal of a JSON object")
    }
}

extension JSONObject: Hashable {
    public static func == (left: JSONObject, right: JSONObject) -> Bool {
        left.members.elementsEqual(right.members) { ExactText($0.0) == ExactText($1.0) && $0.1 == $1.1 }
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(members.count)
        for (name, value) in members {
            hasher.combine(ExactText(name))
            hasher.combine(value)
        }
    }
}
