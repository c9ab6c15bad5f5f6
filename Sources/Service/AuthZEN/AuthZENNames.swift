internal import Permissions

/// The names of the store for what AuthZEN calls by a type and an id.
extension EntityPart {
    /// The principal that is meant; nil where none can be.
    ///
    /// `user`, `thing` and `role` are types whose ids are names. `everyone`, any signed-in caller, and `anonymous`, any caller
    /// at all, are both a type and its only id.
    var principal: Name? {
        switch type {
        case "user", "thing", "role": wellFormed(Name(type + ":" + id))
        case "everyone": id == "everyone" ? .everyone : nil
        case "anonymous": id == "anonymous" ? .anonymous : nil
        default: nil
        }
    }

    /// The object that is meant; nil where none can be. The store's own object is the only one of the type `store`.
    var object: Name? {
        if type == "store" { return id == "store" ? .store : nil }
        // A colon in the type would make another class and another id of the same text.
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
