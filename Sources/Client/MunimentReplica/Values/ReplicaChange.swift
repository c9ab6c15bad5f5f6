public import Primitives

/// A change of a local transaction, in the form of `POST /v1/stores/{store}/transactions`.
///
/// The view shows the effect of the operations `createObject`, `writeObject`, `moveObject` and `deleteObject`. Other operations are
/// sent in their order; until then, the view only marks the objects that they change as pending.
public struct ReplicaChange: Hashable, Sendable {
    /// The change as JSON, with the operation in `op`.
    public let json: JSONObject
    let effect: Effect

    /// The effect on the view.
    enum Effect: Hashable, Sendable {
        case create(Name, parent: Name?, value: JSONValue)
        case write(Name, JSONValue)
        case merge(Name, JSONValue)
        case move(Name, parent: Name?)
        case delete(Name)
        case unknown(Name)
    }

    /// Returns a change that creates an object.
    public static func create(_ object: Name, value: JSONValue = .null, parent: Name? = nil) -> ReplicaChange {
        var json: JSONObject = ["op": .string("createObject"), "object": .string(object.text), "value": value]
        if let parent { json["parent"] = .string(parent.text) }
        return ReplicaChange(json, .create(object, parent: parent, value: value))
    }

    /// Returns a change that replaces the value of an object.
    public static func write(_ object: Name, _ value: JSONValue) -> ReplicaChange {
        ReplicaChange(["op": .string("writeObject"), "object": .string(object.text), "value": value], .write(object, value))
    }

    /// Returns a change that applies a merge patch (RFC 7396) to the value of an object. Merges of different members by different
    /// users do not overwrite each other.
    public static func merge(_ object: Name, _ patch: JSONValue) -> ReplicaChange {
        ReplicaChange(["op": .string("writeObject"), "object": .string(object.text), "merge": patch], .merge(object, patch))
    }

    /// Returns a change that moves an object below a parent, or to the top with nil.
    public static func move(_ object: Name, to parent: Name?) -> ReplicaChange {
        let json: JSONObject = [
            "op": .string("moveObject"), "object": .string(object.text), "parent": parent.map { .string($0.text) } ?? .null,
        ]
        return ReplicaChange(json, .move(object, parent: parent))
    }

    /// Returns a change that deletes an object and all objects below it.
    public static func delete(_ object: Name) -> ReplicaChange {
        ReplicaChange(["op": .string("deleteObject"), "object": .string(object.text)], .delete(object))
    }

    private init(_ json: JSONObject, _ effect: Effect) { (self.json, self.effect) = (json, effect) }

    /// Creates a change from its JSON: any operation of the service.
    ///
    /// - Parameter json: the change, with the operation in `op`.
    /// - Throws: ``ReplicaError/malformed(_:)`` if the operation, or the name of what it changes, is missing or ill-formed. The service
    ///   checks the other members.
    public init(_ json: JSONObject) throws(ReplicaError) {
        self.init(json, try Effect(json))
        try check()
    }

    /// Throws if a name is ill-formed.
    func check() throws(ReplicaError) {
        for name in mentions {
            switch name.fault {
            case .malformed(let text), .tooLarge(let text): throw .malformed(text)
            case nil: break
            }
        }
    }

    /// The entity that the change changes.
    var target: Name {
        switch effect {
        case .create(let name, _, _), .write(let name, _), .merge(let name, _), .move(let name, _), .delete(let name),
            .unknown(let name):
            name
        }
    }

    /// Whether the change has no effect without its target.
    var needsTarget: Bool {
        switch effect {
        case .create: false
        case .unknown: json["object"] != nil
        case .write, .merge, .move, .delete: true
        }
    }

    /// What later changes can be based on: the value or the existence of the target; nil for a change of the access to an object.
    var provided: Name? {
        if case .unknown = effect, json["object"] != nil { nil } else { target }
    }

    /// Every name in the change: the change is based on earlier ones that provide one of them.
    var mentions: Set<Name> {
        var mentions: Set = [target]
        for (member, make) in ReplicaChange.nameMembers {
            if let text = json.text(member) { mentions.insert(make(text)) }
        }
        return mentions
    }

    /// The members that contain a name. The first one that a change has is what it changes.
    private static let nameMembers: [(String, @Sendable (String) -> Name)] = [
        ("object", { Name($0) }), ("role", Name.role), ("permission", Name.permission), ("principal", { Name($0) }),
        ("class", Name.class), ("parent", { Name($0) }), ("subject", { Name($0) }), ("member", { Name($0) }),
        ("owner", { Name($0) }),
    ]

    fileprivate static func target(_ json: JSONObject) -> Name? {
        nameMembers.lazy.prefix(5).compactMap { member, make in json.text(member).map(make) }.first
    }
}

extension ReplicaChange.Effect {
    fileprivate init(_ json: JSONObject) throws(ReplicaError) {
        guard let operation = json.text("op") else {
            throw .malformed("the change has no `op`: name the operation, such as `writeObject`")
        }
        guard let target = ReplicaChange.target(json) else {
            throw .malformed(
                "the change `\(operation.prefix(80))` names nothing to change: add `object`, `role`, `permission` or `principal`")
        }
        switch operation {
        case "createObject": self = .create(target, parent: json.text("parent").map { Name($0) }, value: json["value"] ?? .null)
        case "writeObject":
            switch (json["value"], json["merge"]) {
            case (let value?, nil): self = .write(target, value)
            case (nil, let patch?): self = .merge(target, patch)
            default: throw .malformed("`writeObject` needs either `value` or `merge`")
            }
        case "moveObject": self = .move(target, parent: json.text("parent").map { Name($0) })
        case "deleteObject": self = .delete(target)
        default: self = .unknown(target)
        }
    }
}
