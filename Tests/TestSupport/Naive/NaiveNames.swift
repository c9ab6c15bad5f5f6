import Events
import Permissions

/// The names and their numbers. Two names are the same only if their bytes are the same.
struct NaiveNames: Sendable {
    private var nameByNumber: [UInt64: String] = [:]
    private var numberByName: [[UInt8]: UInt64] = [:]

    init() {
        for (number, name) in ReservedID.names { add(number, name) }
    }

    /// Records the names in an event. Only the first event that mentions a number contains its name.
    mutating func learn<ID>(_ introduction: Introduction<ID>) throws(Contradiction) {
        let number = introduction.id.rawValue
        guard let name = introduction.name else {
            if nameByNumber[number] == nil { throw Contradiction("#\(number) is mentioned without ever having been named") }
            return
        }
        if let known = nameByNumber[number] { throw Contradiction("#\(number) is named `\(name)` and was `\(known)` before") }
        if let known = numberByName[Array(name.utf8)] { throw Contradiction("`\(name)` is #\(number) and was #\(known) before") }
        add(number, name)
    }

    private mutating func add(_ number: UInt64, _ name: String) {
        nameByNumber[number] = name
        numberByName[Array(name.utf8)] = number
    }

    func name(of id: some EntityID) -> Name { Name(nameByNumber[id.rawValue] ?? "unnamed:\(id.rawValue)") }

    func has(_ id: some EntityID) -> Bool { nameByNumber[id.rawValue] != nil }

    /// Returns the number of a name, or nil if the log never mentions the name.
    func id<ID: EntityID>(of name: Name, as type: ID.Type = ID.self) -> ID? {
        numberByName[Array(name.text.utf8)].map { ID(rawValue: $0) }
    }
}
