import Events
import TestSupport

@testable import Muniment

/// A replica as a client keeps it: it applies the parts of a step as a whole at the end of the step.
struct ReceivedReplica {
    /// A part that the protocol does not allow at this place.
    struct UnexpectedPart: Error, CustomStringConvertible {
        let description: String
    }

    private(set) var objects: [Name: ReplicaPart.Object] = [:]
    private(set) var end: ReplicaEnd?
    /// The position after the last part.
    private(set) var position: ReplicaPosition?
    private(set) var steps: [ReplicaStepKind] = []
    /// The parts of the step in progress: nil for a removed object.
    private var staged: [Name: ReplicaPart.Object?]?
    /// The staged parts up to the last position of a fill.
    private var kept: [Name: ReplicaPart.Object?] = [:]
    private var isFill = false

    /// Applies the next part. Returns whether a step has ended.
    mutating func take(_ part: ReplicaPart) throws -> Bool {
        switch part {
        case .begin(let kind, let position):
            switch kind {
            case .fill(.resumed): staged = kept
            case .fill: (staged, kept) = ([:], [:])
            case .changes(let revision):
                staged = [:]
                guard revision == end?.revision else { throw UnexpectedPart(description: "changes after \(revision)") }
            }
            if case .fill = kind { isFill = true } else { isFill = false }
            guard isFill == (position != nil) else { throw UnexpectedPart(description: "a position outside of a fill") }
            if let position { self.position = position }
            steps.append(kind)
            return false
        case .objects(let objects):
            guard staged != nil else { throw UnexpectedPart(description: "objects outside of a step") }
            guard !objects.removed.isEmpty || !objects.changed.isEmpty else { throw UnexpectedPart(description: "an empty part") }
            for name in objects.removed { staged?[Name(name)] = .some(nil) }
            for object in objects.changed { staged?[Name(object.name)] = object }
            if let position = objects.position { (self.position, kept) = (position, staged ?? [:]) }
            return false
        case .end(let end):
            guard let staged else { throw UnexpectedPart(description: "an end without a step") }
            if isFill { objects = [:] }
            for (name, object) in staged { objects[name] = object }
            (self.staged, self.end, position) = (nil, end, end.position)
            return true
        }
    }

    /// Forgets the step in progress, as after a lost connection, except for the parts of a fill up to its last position.
    mutating func disconnect() { staged = nil }

    /// The content in the form of the model.
    var naive: NaiveReplica {
        get throws {
            var replica = NaiveReplica()
            for (name, object) in objects {
                replica.objects[name] = NaiveReplica.Object(
                    value: try JSONText.decode(object.value), className: object.className, parent: object.parent.map { Name($0) },
                    privileges: Self.named(object.privileges))
            }
            for found in end?.classes ?? [] { replica.classes[Name(found.name)] = Self.named(found.privileges) }
            return replica
        }
    }

    private static func named(_ privileges: [ReplicaPrivilege]) -> [Name: Instant] {
        Dictionary(uniqueKeysWithValues: privileges.map { (Name($0.name), $0.until ?? .forever) })
    }
}
