import Events
import Muniment
import MunimentRecipes
import Permissions
import StoreSupport
import Testing

@Suite("Owners and groups: groups")
struct GroupTests {
    /// The subjects that include Bob: Bob, a group with Bob as a member, a group that contains such a group, and everyone.
    enum Naming: String, CaseIterable, Sendable {
        case user, group, groupInGroup, groupOfEveryone, everyone
    }

    private func subject(_ naming: Naming, in kennel: Kennel) async throws -> Name {
        switch naming {
        case .user: return "user:bob"
        case .group: return try await kennel.ann.createGroup(of: ["user:bob"]).name
        case .groupInGroup:
            let inner = try await kennel.ann.createGroup(of: ["user:bob"])
            return try await kennel.ann.createGroup(of: [inner.name]).name
        case .groupOfEveryone: return try await kennel.ann.createGroup(of: [.everyone]).name
        case .everyone: return .everyone
        }
    }

    @Test("G6: A user and a group are interchangeable in an access list", arguments: Naming.allCases)
    func inAccessLists(_ naming: Naming) async throws {
        try await withKennel { kennel in
            let subject = try await subject(naming, in: kennel)
            let rex = try await kennel.ann.create("dog:rex", text("Rex"))
            try await rex.acl.add(subject, [.query, .read])
            #expect(try rex.acl.lines().contains(.init(subject: subject, isOwner: false, permissions: [.query, .read])))
            #expect(try kennel.bob.object("dog:rex").fetch() == text("Rex"))
            #expect(try kennel.bob.list(class: "dog") == ["dog:rex"])
            #expect(try await refusalCode { try await kennel.bob.object("dog:rex").write(text("Max")) } == .noPrivilege)
            try await rex.acl.remove(subject)
            #expect(try await refusalCode { _ = try kennel.bob.object("dog:rex").fetch() } == .noPrivilege)
        }
    }

    @Test("G6: A user and a group are interchangeable as owners", arguments: Naming.allCases)
    func asOwners(_ naming: Naming) async throws {
        try await withKennel { kennel in
            let subject = try await subject(naming, in: kennel)
            let rex = try await kennel.ann.create("dog:rex", text("Rex"))
            try await rex.changeOwner(to: subject)
            #expect(try rex.owner == subject)
            #expect(try rex.acl.lines().first == .init(subject: subject, isOwner: true, permissions: .all))
            #expect(try await kennel.deeds(of: kennel.bob, on: "dog:rex", owner: kennel.ann) == .all)
        }
    }

    // A group that contains everyone contains every group, so it cannot be a member of one; `everyone` can.
    @Test(
        "G6: A user and a group are interchangeable as members of a group, and in its access list",
        arguments: [Naming.user, .group, .groupInGroup, .everyone])
    func asMembers(_ naming: Naming) async throws {
        try await withKennel { kennel in
            let subject = try await subject(naming, in: kennel)
            let pack = try await kennel.ann.createGroup(id: "pack")
            let rex = try await kennel.ann.create("dog:rex", text("Rex"))
            try await rex.acl.add(pack.name, .read)
            try await pack.add(subject)
            #expect(try pack.members() == [subject])
            #expect(try kennel.bob.object("dog:rex").fetch() == text("Rex"))
            let bobs = kennel.bob.group(pack.name)
            #expect(try await refusalCode { try await bobs.add("user:cleo") } == .noPrivilege)
            try await pack.acl.add(subject, [.read, .write])
            #expect(try await refusalCode { try await bobs.add("user:cleo") } == nil)
            #expect(try await refusalCode { try await bobs.remove(subject) } == nil)
            #expect(try await refusalCode { _ = try kennel.bob.object("dog:rex").fetch() } == .noPrivilege)
        }
    }

    @Test("G6: Groups can be nested without a limit, but not in a cycle")
    func nesting() async throws {
        try await withKennel { kennel in
            var groups = [try await kennel.ann.createGroup(of: ["user:bob"])]
            for _ in 0..<20 { groups.append(try await kennel.ann.createGroup(of: [groups[groups.count - 1].name])) }
            let (first, last) = (groups[0], groups[20])
            let rex = try await kennel.ann.create("dog:rex", text("Rex"))
            try await rex.acl.add(last.name, .read)
            #expect(try kennel.bob.object("dog:rex").fetch() == text("Rex"))
            #expect(try await refusalCode { try await first.add(last.name) } == .cycle)
            try await groups[10].remove(groups[9].name)
            #expect(try await refusalCode { _ = try kennel.bob.object("dog:rex").fetch() } == .noPrivilege)
        }
    }

    @Test("G6: A group is created with all its members or not at all")
    func creation() async throws {
        try await withKennel { kennel in
            let pack = try await kennel.ann.createGroup(of: ["user:bob", "user:ann"])
            #expect(try pack.members() == ["user:ann", "user:bob"])
            #expect(pack.name.text.hasPrefix("role:"))
            #expect(try await kennel.ann.createGroup(of: ["user:bob"]).name != pack.name)
            #expect(
                try await refusalCode { try await kennel.ann.createGroup(of: ["user:bob", "user:zoe"], id: "x") }
                    == .unknownPrincipal)
            #expect(try kennel.fixture.store.read { try $0.exists("role:x") } == false)
            #expect(try await refusalCode { try await kennel.ann.createGroup(of: [.anonymous], id: "x") } == .malformed)
            try await kennel.ann.createGroup(id: "x")
            #expect(try await refusalCode { try await kennel.bob.createGroup(id: "x") } == .alreadyExists)
        }
    }

    @Test("G6: A deleted group gives no access")
    func deletion() async throws {
        try await withKennel { kennel in
            let pack = try await kennel.ann.createGroup(of: ["user:bob"])
            let rex = try await kennel.ann.create("dog:rex", text("Rex"))
            try await rex.acl.add(pack.name, .read)
            #expect(try await refusalCode { try await kennel.bob.group(pack.name).delete() } == .noPrivilege)
            try await pack.delete()
            #expect(try await refusalCode { _ = try kennel.bob.object("dog:rex").fetch() } == .noPrivilege)
            #expect(try rex.acl.lines().map(\.subject) == ["user:ann", .everyone])
        }
    }

    @Test("G7: A new group's access list gives everything to its creator and nothing to others, including its members")
    func defaultList() async throws {
        try await withKennel { kennel in
            let pack = try await kennel.ann.createGroup(of: ["user:bob"])
            #expect(try pack.owner == "user:ann")
            #expect(
                try pack.acl.lines() == [
                    .init(subject: "user:ann", isOwner: true, permissions: .all),
                    .init(subject: .everyone, isOwner: false, permissions: []),
                ])
            let bobs = kennel.bob.group(pack.name)
            for call: () async throws -> Void in [
                { try await bobs.add("user:cleo") }, { try await bobs.remove("user:bob") }, { _ = try bobs.members() },
                { _ = try bobs.owner }, { try await bobs.delete() }, { try await bobs.acl.add("user:bob", .write) },
                { _ = try bobs.acl.lines() },
            ] { #expect(try await refusalCode(call) == .noPrivilege) }
            #expect(try pack.members() == ["user:bob"])
        }
    }

    @Test("G7: Each permission on a group gives the documented access", arguments: Ownership.Permissions.combinations)
    func permissionsOnGroups(_ given: Ownership.Permissions) async throws {
        try await withKennel { kennel in
            let pack = try await kennel.ann.createGroup(of: ["user:ann"])
            try await pack.acl.add("user:bob", given)
            let bobs = kennel.bob.group(pack.name)
            func may(_ call: () async throws -> Void) async throws -> Bool { try await refusalCode(call) == nil }
            #expect(try await may { _ = try bobs.members() } == given.contains(.read))
            #expect(try await may { try await bobs.add("user:cleo") } == given.contains(.write))
            #expect(try await may { try await bobs.acl.remove("user:cleo") } == given.contains(.writeACL))
            #expect(try await may { try await bobs.delete() } == given.contains(.write))
        }
    }

    @Test(
        "G7: With query, read and write on the group, its members change the membership but cannot grant these rights",
        arguments: [Preset.locked, .open])
    func membersKeepTheGroup(_ preset: Preset) async throws {
        try await withKennel(preset) { kennel in
            let pack = try await kennel.ann.createGroup(of: ["user:bob"])
            try await pack.acl.add(pack.name, [.query, .read, .write])
            let bobs = kennel.bob.group(pack.name)
            // Cleo is not in the group, and cannot add herself.
            #expect(try await refusalCode { try await kennel.cleo.group(pack.name).add("user:cleo") } == .noPrivilege)
            try await bobs.add("user:cleo")
            #expect(try bobs.members() == ["user:bob", "user:cleo"])
            // Bob has these rights only as a member. He cannot grant them to others in the list.
            for subject: Name in ["user:cleo", "user:ann", .everyone, pack.name] {
                for permissions: Ownership.Permissions in [.read, .write, .writeACL] {
                    #expect(try await refusalCode { try await bobs.acl.add(subject, permissions) } == .noPrivilege)
                }
            }
            #expect(try await refusalCode { try await bobs.acl.remove("user:ann") } == .noPrivilege)
            // As a member, Cleo has the same access as Bob, and none after she is removed.
            try await kennel.cleo.group(pack.name).remove("user:bob")
            #expect(try await refusalCode { try await bobs.add("user:bob") } == .noPrivilege)
            #expect(try kennel.cleo.group(pack.name).members() == ["user:cleo"])
        }
    }
}
