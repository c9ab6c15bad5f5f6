import Events
import Permissions
import Testing

@Suite("The rules of access: the levels")
struct LevelRulesTests {
    private let everyday: Privileges = [.read, .update, .delete, .query]

    @Test("R4, R7: each level narrows the access from the levels above it, and none widens it")
    func narrowing() throws {
        for store in [Privileges.read.union(.update), .all, []] {
            for classLevel in [Privileges.read, [.read, .query], .all, []] {
                for object in [Privileges.read, .update, .all, []] {
                    var state = TinyState()
                    state.grant(store, on: .store, to: .everyone)
                    state.grant(classLevel, on: ObjectID(ClassID.doc), to: .everyone)
                    state.grant(object, on: .one, to: .ann)
                    let expected = store.intersection(classLevel).intersection(object).intersection(.builtIn)
                    #expect(try state.effective(.ann, .one) == expected)
                    #expect(try state.effective(.ben, .one) == [])
                }
            }
        }
    }

    @Test("K3: a widening class adds its access to the access of the object, below the store level")
    func widening() throws {
        var state = TinyState()
        state.classes[.doc] = ClassOptions(composition: .widening)
        state.grant([.read, .update, .query], on: .store, to: .everyone)
        state.grant(.read, on: ObjectID(ClassID.doc), to: .everyone)
        #expect(try state.effective(.ann, .one) == .read)
        state.grant([.query, .delete], on: .one, to: .ann)
        #expect(try state.effective(.ann, .one) == [.read, .query])
        #expect(try state.effective(.ben, .one) == .read)
    }

    @Test("R8: without object ACLs the class decides the access to its objects, and their entries have no effect")
    func noObjectACL() throws {
        var state = TinyState.open
        state.classes[.doc] = ClassOptions(objectACL: .none, privileges: .custom(0))
        state.entries[ObjectID(ClassID.doc)] = nil
        state.grant(everyday, on: ObjectID(ClassID.doc), to: .ann)
        state.grant(.all, on: .one, to: .ben)
        #expect(try state.effective(.ann, .one) == everyday)
        #expect(try state.effective(.ben, .one) == [])
    }

    @Test("R8: with object ACLs and no entry, only administrators have access")
    func noEntries() throws {
        let state = TinyState.open
        #expect(try state.effective(.ann, .one) == [])
        #expect(try state.effective(.anonymous, .one) == [])
        #expect(try state.effective(.root, .one) == .builtIn)
    }

    @Test("R10: no level narrows an administrator, who has exactly the privileges that the class knows")
    func administrator() throws {
        var state = TinyState()
        state.classes[.doc]?.privileges = [.custom(0), .custom(3)]
        #expect(try state.effective(.root, .one) == [.builtIn, .custom(0), .custom(3)])
        #expect(try state.verdict(.root, .one).reason == .administrator)
    }

    @Test("R5: a store level without update removes create, update and delete, and keeps the other privileges")
    func readOnlyStore() throws {
        var state = TinyState.open
        state.entries[.store] = nil
        state.grant(Privileges.all.subtracting(.update), on: .store, to: .everyone)
        state.grant(.all, on: .one, to: .ann)
        #expect(try state.effective(.ann, .one) == Privileges.builtIn.subtracting([.create, .update, .delete]))
        let subjects = state.subjects(of: .ann)
        let ofClass = try AccessRules(state, at: .distantPast).classVerdict(for: subjects, on: .doc)
        #expect(ofClass.effective == Privileges.builtIn.subtracting([.create, .update, .delete]))
    }

    @Test("A privilege that the class does not know is never given, regardless of the granter")
    func unknownPrivileges() throws {
        var state = TinyState.open
        state.classes[.doc]?.privileges = .custom(1)
        state.grant([.custom(0), .custom(1)], on: .one, to: .ann)
        #expect(try state.effective(.ann, .one) == .custom(1))
    }

    @Test("K2: a grant to anonymous includes signed-in users, a grant to everyone does not include anonymous")
    func subjects() throws {
        var state = TinyState.open
        state.grant(.read, on: .one, to: .anonymous)
        state.grant(.query, on: .one, to: .everyone)
        #expect(try state.effective(.ann, .one) == [.read, .query])
        state.entries[.store] = nil
        state.grant(.all, on: .store, to: .anonymous)
        let anonymous = SubjectSet(caller: .anonymous, isAdministrator: false, members: [.anonymous])
        let verdict = try AccessRules(state, at: .distantPast).verdict(for: anonymous, on: .one)
        #expect(verdict.effective == [])
        state.grant(.all, on: ObjectID(ClassID.doc), to: .anonymous)
        #expect(try AccessRules(state, at: .distantPast).verdict(for: anonymous, on: .one).effective == .read)
    }

    @Test("E13: access depends on the time: an expiry counts at every level")
    func instants() throws {
        var state = TinyState()
        state.grant(.all, on: .store, to: .everyone, until: Instant(microseconds: 30))
        state.grant(.all, on: ObjectID(ClassID.doc), to: .everyone, until: Instant(microseconds: 20))
        state.grant(.read, on: .one, to: .ann, until: Instant(microseconds: 10))
        state.grant(.query, on: .one, to: .ann)
        for (microseconds, expected) in [(9, [.read, .query]), (10, .query), (19, .query), (20, []), (30, [])]
            as [(Int64, Privileges)]
        {
            #expect(try state.effective(.ann, .one, at: Instant(microseconds: microseconds)) == expected)
        }
    }

    @Test("An unknown object, or one of an unknown class, gives no access to any caller and states the reason")
    func unknown() throws {
        var state = TinyState.open
        state.places[.two] = ClassAndParent(classID: .folder, parent: nil)
        for object in [ObjectID.two, .three] {
            for caller in [PrincipalID.root, .ann] {
                #expect(try state.verdict(caller, object) == Verdict(effective: [], reason: .unknownObject))
            }
        }
    }

    @Test("A query for few privileges gives the same answer about them")
    func wanted() throws {
        var state = TinyState.open
        state.classes[.doc]?.inherits = .all
        state.places[.one]?.parent = .two
        state.places[.two] = ClassAndParent(classID: .doc, parent: nil)
        state.grant(.read, on: .one, to: .ann)
        state.grant(.update, on: .two, to: .ann)
        for bits in UInt32(1)..<256 {
            let wanted = Privileges(rawValue: bits)
            let verdict = try AccessRules(state, at: .distantPast).verdict(for: state.subjects(of: .ann), on: .one, wanted: wanted)
            #expect(verdict.allows(wanted) == Privileges([.read, .update]).isSuperset(of: wanted))
        }
    }
}
