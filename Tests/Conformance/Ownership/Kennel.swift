import Events
import Muniment
import MunimentRecipes
import Permissions
import StoreSupport
import Testing

/// A store on disk with a class of dogs with owners, and groups. Three users work with it.
struct Kennel {
    let fixture: StoreFixture
    let ann: Ownership
    let bob: Ownership
    let cleo: Ownership

    fileprivate init(_ fixture: StoreFixture) async throws {
        self.fixture = fixture
        try await Ownership.define(classes: ["dog"], in: fixture.store, as: "user:root")
        ann = try await Ownership(in: fixture.store, as: "user:ann")
        bob = try await Ownership(in: fixture.store, as: "user:bob")
        cleo = try await Ownership(in: fixture.store, as: "user:cleo")
    }
}

func withKennel(_ preset: Preset = .locked, _ body: (Kennel) async throws -> Void) async throws {
    try await withStore(preset) { fixture in try await body(try await Kennel(fixture)) }
}

/// Finds the actual access of a caller to an object by trying each action. The object's owner or an administrator undoes the
/// action.
extension Kennel {
    func deeds(of user: Ownership, on name: Name, owner: Ownership) async throws -> Ownership.Permissions {
        var can: Ownership.Permissions = []
        let dog = user.object(name)
        if try user.list(class: "dog").contains(name) { can.insert(.query) }
        if try await refusalCode({ _ = try dog.fetch() }) == nil { can.insert(.read) }
        if try await refusalCode({ try await dog.write(text("by \(user.user)")) }) == nil { can.insert(.write) }
        // Removing a missing entry also counts as a change of the list, and leaves it unchanged.
        if try await refusalCode({ try await dog.acl.remove("user:cleo") }) == nil { can.insert(.writeACL) }
        if try await refusalCode({ try await dog.changeOwner(to: owner.user) }) == nil { can.insert(.writeOwner) }
        // Write access includes deleting. This check is the last one, because the object does not exist afterwards.
        let deletes = try await refusalCode { try await dog.delete() } == nil
        #expect(deletes == can.contains(.write))
        return can
    }
}

extension Ownership.Permissions {
    /// The actions that these privileges allow. An object is listed only if it is also readable.
    var deeds: Ownership.Permissions { contains(.read) ? self : subtracting(.query) }

    /// All 32 combinations.
    static let combinations = (UInt8(0)..<32).map { Ownership.Permissions(rawValue: $0) }
}
