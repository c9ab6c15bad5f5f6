public import Events

/// A place inside an object's value: the names of the members on the way there. Empty for the whole value.
///
/// Written as a text, names stand between slashes: `"address/city"`; slashes at the ends and double ones count for nothing. A name
/// with a slash in it needs the form of an array: `["a/b", "c"]`. An element of an array goes by its index: `"lines/0"`.
public struct JSONPath: Hashable, Sendable {
    /// The names, the outermost first.
    public let names: [String]

    /// The place that names lead to, the outermost first. They are taken as they are.
    public init(_ names: [String]) { self.names = names }

    /// The place that a text with slashes between the names leads to.
    public init(_ text: String) { names = text.split(separator: "/").map(String.init) }

    /// Paths are equal when the bytes of all names are.
    public static func == (left: JSONPath, right: JSONPath) -> Bool {
        left.names.elementsEqual(right.names) { ExactText($0) == ExactText($1) }
    }
}

extension JSONPath: ExpressibleByStringLiteral, ExpressibleByArrayLiteral, CustomStringConvertible {
    public init(stringLiteral text: String) { self.init(text) }
    public init(arrayLiteral names: String...) { self.init(names) }
    public var description: String { names.joined(separator: "/") }
}

extension JSONValue {
    /// What stands at a path; nil where nothing does. A `null` that stands there is something.
    public func value(at path: JSONPath) -> JSONValue? {
        var value = self
        for name in path.names {
            guard let next = value.child(name) else { return nil }
            value = next
        }
        return value
    }

    /// The member of this name, or the element of this index; nil where this has none.
    private func child(_ name: String) -> JSONValue? {
        guard case .array(let elements) = self else { return self[name] }
        guard let index = ChildName(name).index, index < elements.count else { return nil }
        return elements[index]
    }

    /// The members of an object, or the elements of an array by their indexes; none of anything else.
    var children: [ChildName: JSONValue] {
        switch self {
        case .object(let members): Dictionary(uniqueKeysWithValues: members.map { (ChildName($0), $1) })
        case .array(let elements):
            Dictionary(uniqueKeysWithValues: elements.enumerated().map { (ChildName($0.offset), $0.element) })
        case .null, .bool, .integer, .number, .string: [:]
        }
    }
}

/// The name of a member, or the index of an element. Indexes come first, in the order of numbers; then the other names, in the
/// order of their bytes.
struct ChildName: Hashable, Comparable {
    private let exact: ExactText
    /// The number, where the name is the one spelling of a number from 0 up.
    let index: Int?

    var text: String { exact.text }

    init(_ text: String) {
        exact = ExactText(text)
        index = Int(text).flatMap { $0 >= 0 && String($0) == text ? $0 : nil }
    }

    init(_ index: Int) {
        exact = ExactText(String(index))
        self.index = index
    }

    static func < (left: ChildName, right: ChildName) -> Bool {
        switch (left.index, right.index) {
        case (let left?, let right?): left < right
        case (_?, nil): true
        case (nil, _?): false
        case (nil, nil): left.exact < right.exact
        }
    }
}
