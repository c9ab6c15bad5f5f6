public import Events
internal import Permissions

/// A cache of the privileges that actions require, for one state of the classes: one slot for each hash of an action and a class.
struct ActionMemory {
    private struct Slot {
        let action: ExactText
        let className: ExactText
        /// Nil if the action does not exist.
        let privileges: Privileges?
    }

    private var slots = [Slot?](repeating: nil, count: slotCount)
    private static let slotCount = 64
    /// Longer names are not kept, so that a caller cannot fill the memory.
    private static let limitBytes = 256

    /// Returns the privileges of an action on a class, and finds them with `find` if they are not in the cache.
    mutating func privileges(
        _ action: String, _ className: String, find: () throws -> Privileges?
    ) rethrows -> Privileges? {
        let (action, className) = (ExactText(action), ExactText(className))
        let place = Self.place(action, className)
        if let slot = slots[place], slot.action == action, slot.className == className { return slot.privileges }
        let found = try find()
        if action.text.utf8.count <= Self.limitBytes, className.text.utf8.count <= Self.limitBytes {
            slots[place] = Slot(action: action, className: className, privileges: found)
        }
        return found
    }

    mutating func removeAll() { for place in slots.indices { slots[place] = nil } }

    private static func place(_ action: ExactText, _ className: ExactText) -> Int {
        var hash = 0
        for text in [action.text, className.text] {
            let bytes = text.utf8Span.span
            for index in 0..<min(bytes.count, limitBytes) { hash = hash &* 31 &+ Int(bytes[index]) }
        }
        return hash & (slotCount - 1)
    }
}

extension IndexReader {
    /// Returns the privileges that an action requires on the objects of a class: those of the class's alias of this name,
    /// otherwise the privilege of this name; nil if neither exists.
    public func action(_ name: String, onClass className: String) throws -> Privileges? {
        guard revision >= state.schemaRevision else { return try findAction(name, onClass: className) }
        return try actionMemory.privileges(name, className) { try findAction(name, onClass: className) }
    }

    private func findAction(_ name: String, onClass className: String) throws -> Privileges? {
        if Name.class(className).isWellFormed, let classID = try classID(className), let options = try options(of: classID) {
            for alias in options.aliases where alias.isCalled(name) { return alias.privileges }
        }
        return privilege(name)
    }
}
