public import Events

/// A path in an object's value: the names of the members from the outermost one on. Empty for the whole value.
///
/// As a text, names are separated by slashes: `"address/city"`; leading, trailing and repeated slashes are ignored. A name that
/// contains a slash requires the array form: `["a/b", "c"]`. An element of an array is addressed by its index: `"lines/0"`.
public struct JSONPath: Hashable, Sendable {
    /// The names, the outermost first.
    public let names: [String]

    /// Creates a path from names, the outermost first, without changing them.
    public init(_ names: [String]) { self.names = names }

    /// Creates a path from a text with slashes between the names.
    public init(_ text: String) { names = text.split(separator: "/").map(String.init) }

    /// Compares the bytes of all names.
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
    /// Returns the value at a path; nil if the path does not exist. An existing `null` is returned as a value.
    public func value(at path: JSONPath) -> JSONValue? {
        var value = self
        for name in path.names {
            guard let next = value.child(name) else { return nil }
            value = next
        }
        return value
    }

    /// Returns the member of this name, or the element of this index; nil if it does not exist.
    private func child(_ name: String) -> JSONValue? {
        guard case .array(let elements) = self else { return self[name] }
        guard let index = ChildName(name).index, index < elements.count else { return nil }
        return elements[index]
    }

    /// The members of an object, or the elements of an array by their indexes; empty for other values.
    var children: [ChildName: JSONValue] {
        switch self {
        case .object(let members): Dictionary(uniqueKeysWithValues: members.map { (ChildName($0), $1) })
        case .array(let elements):
            Dictionary(uniqueKeysWithValues: elements.enumerated().map { (ChildName($0.offset), $0.element) })
        case .null, .bool, .integer, .number, .string: [:]
        }
    }
}

/// The name of a member, or the index of an element. Indexes are first, in numeric order; then the other names, in the order of
/// their bytes.
struct ChildName: Hashable, Comparable {
    private let exact: ExactText
    /// The number, if the name is the canonical spelling of a number from 0 up.
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
