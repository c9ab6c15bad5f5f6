import Events

@testable import MunimentReplica

/// The view as one dictionary of everything: the confirmed objects, and the pending transactions applied one after the other.
struct NaiveView: Equatable {
    struct Object: Equatable {
        var value: JSONValue
        var parent: Name?
        var privileges: PrivilegeEnds?
        var isPending: Bool
    }

    private(set) var objects: [Name: Object] = [:]

    init(_ confirmed: [Name: ReplicaObject], _ pending: [PendingTransaction], classes: [String]) {
        for object in confirmed.values {
            objects[object.name] = Object(
                value: object.value, parent: object.parent, privileges: object.privileges, isPending: false)
        }
        for transaction in pending {
            var next = objects
            if transaction.changes.allSatisfy({ NaiveView.apply($0, &next, classes) }) { objects = next }
        }
        for transaction in pending {
            for change in transaction.changes {
                let word = change.json.text("object") ?? ""
                objects[Name(word)]?.isPending = true
            }
        }
    }

    private static func apply(_ change: ReplicaChange, _ objects: inout [Name: Object], _ classes: [String]) -> Bool {
        let name = Name(change.json.text("object") ?? "")
        guard classes.contains(name.className) else { return true }
        let parent = change.json.text("parent").map { Name($0) }
        let hasParent = parent.map { !classes.contains($0.className) || objects[$0] != nil } ?? true
        switch change.json.text("op") {
        case "createObject":
            guard objects[name] == nil, hasParent else { return false }
            objects[name] = Object(value: change.json["value"] ?? .null, parent: parent, privileges: nil, isPending: true)
        case "writeObject":
            guard let present = objects[name] else { return false }
            objects[name]?.value = change.json["value"] ?? present.value.merging(change.json["merge"] ?? .null)
        case "moveObject":
            guard objects[name] != nil, hasParent else { return false }
            var above = parent
            while let next = above {
                if next == name { return false }
                above = objects[next]?.parent
            }
            objects[name]?.parent = parent
        case "deleteObject":
            guard objects[name] != nil else { return false }
            var deleted: Set = [name]
            var isGrowing = true
            while isGrowing {
                let below = objects.filter { $0.value.parent.map(deleted.contains) ?? false }.keys
                isGrowing = !deleted.isSuperset(of: below)
                deleted.formUnion(below)
            }
            for name in deleted { objects[name] = nil }
        default: break
        }
        return true
    }
}
