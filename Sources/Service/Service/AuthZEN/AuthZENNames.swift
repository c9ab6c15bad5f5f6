internal import Permissions

/// Converts an AuthZEN type and id to names of the store.
extension EntityPart {
    /// The principal of this type and id; nil if they are not valid for a principal.
    ///
    /// `user`, `thing` and `role` are types with names as ids. `everyone`, any signed-in caller, and `anonymous`, any caller, are
    /// types with a single id equal to the type.
    var principal: Name? {
        switch type {
        case "user", "thing", "role": wellFormed(Name(type + ":" + id))
        case "everyone": id == "everyone" ? .everyone : nil
        case "anonymous": id == "anonymous" ? .anonymous : nil
        default: nil
        }
    }

    /// The object of this type and id; nil if they are not valid for an object. The only object of the type `store` is the store's
    /// own.
    var object: Name? {
        if type == "store" { return id == "store" ? .store : nil }
        // With a colon in the type, the same text would mean another class and another id.
        guard !type.utf8.contains(UInt8(ascii: ":")) else { return nil }
        return wellFormed(Name(type + ":" + id))
    }

    private func wellFormed(_ name: Name) -> Name? { name.isWellFormed ? name : nil }
}

extension Name {
    /// The type and the id of the object or principal of this name.
    var typeAndID: (type: String, id: String) {
        guard let id else { return (text, text) }
        return (className, id)
    }
}
