import Events
import Permissions
import Testing

@Suite("The rules of access: inheritance from parents and through links")
struct InheritanceRulesTests {
    /// `one` below `two` below `three`.
    private func chain(_ inherits: Privileges) -> TinyState {
        var state = TinyState.open
        state.classes[.doc] = ClassOptions(inherits: inherits)
        state.places[.one] = ClassAndParent(classID: .doc, parent: .two)
        state.places[.two] = ClassAndParent(classID: .doc, parent: .three)
        state.places[.three] = ClassAndParent(classID: .doc, parent: nil)
        return state
    }

    @Test("An object inherits the access of all its ancestors")
    func inheriting() throws {
        var state = chain(.all)
        state.grant(.read, on: .three, to: .ann)
        state.grant(.update, on: .two, to: .ann)
        #expect(try state.effective(.ann, .three) == .read)
        #expect(try state.effective(.ann, .two) == [.read, .update])
        #expect(try state.effective(.ann, .one) == [.read, .update])
    }

    @Test("An object inherits nothing if its class does not inherit")
    func notInheriting() throws {
        var state = chain([])
        state.grant(.all, on: .two, to: .ann)
        #expect(try state.effective(.ann, .one) == [])
    }

    @Test("The mask of each class on the path removes its privileges")
    func masks() throws {
        var state = chain([.read, .update])
        state.classes[.folder] = ClassOptions(inherits: [.read, .query])
        state.places[.two] = ClassAndParent(classID: .folder, parent: .three)
        state.grant([.read, .update, .query], on: .three, to: .ann)
        #expect(try state.effective(.ann, .two) == [.read, .query])
        #expect(try state.effective(.ann, .one) == .read)
        state.grant([.update, .query], on: .two, to: .ann)
        #expect(try state.effective(.ann, .one) == [.read, .update])
    }

    @Test("A parent of a class without object ACLs passes on everything that the mask allows")
    func openParent() throws {
        var state = chain([.read, .query])
        state.classes[.folder] = ClassOptions(objectACL: .none)
        state.places[.two] = ClassAndParent(classID: .folder, parent: nil)
        #expect(try state.effective(.ann, .one) == [.read, .query])
        state.entries[ObjectID(ClassID.doc)] = nil
        #expect(try state.effective(.ann, .one) == [])
    }

    @Test("A deleted parent gives nothing")
    func missingParent() throws {
        var state = chain(.all)
        state.grant(.all, on: .two, to: .ann)
        state.grant(.all, on: .three, to: .ann)
        state.places[.two] = nil
        #expect(try state.effective(.ann, .one) == [])
    }

    @Test("R12: a link from a readable object gives read, and only read, if the class allows it")
    func links() throws {
        var state = TinyState.open
        state.classes[.folder] = ClassOptions()
        state.places[.two] = ClassAndParent(classID: .folder, parent: nil)
        state.links[.one] = [.ann: [.two]]
        state.grant([.read, .update], on: .two, to: .ann)
        #expect(try state.effective(.ann, .one) == [])
        state.classes[.doc]?.readThroughLinks = true
        #expect(try state.effective(.ann, .one) == .read)
        #expect(try state.effective(.ben, .one) == [])
    }

    @Test("R12: cycles of links end, and are readable if one object in them is readable")
    func rings() throws {
        var state = chain([])
        state.classes[.doc] = ClassOptions(readThroughLinks: true)
        state.links = [.one: [.ann: [.two]], .two: [.ann: [.three]], .three: [.ann: [.one, .three]]]
        for object in [ObjectID.one, .two, .three] { #expect(try state.effective(.ann, object) == []) }
        state.grant(.read, on: .two, to: .ann)
        for object in [ObjectID.one, .two, .three] { #expect(try state.effective(.ann, object) == .read) }
    }

    @Test("R12: a link continues only through objects that are readable themselves")
    func brokenChain() throws {
        var state = chain([])
        state.classes[.doc] = ClassOptions(readThroughLinks: true)
        state.classes[.folder] = ClassOptions()
        state.links = [.one: [.ann: [.two]], .two: [.ann: [.three]]]
        state.grant(.read, on: .three, to: .ann)
        #expect(try state.effective(.ann, .one) == .read)
        // The one in the middle does not read through links.
        state.places[.two] = ClassAndParent(classID: .folder, parent: nil)
        #expect(try state.effective(.ann, .two) == [])
        #expect(try state.effective(.ann, .one) == [])
    }

    @Test("R12: a link never exceeds the store and class levels")
    func linksBelowLevels() throws {
        var state = TinyState.open
        state.classes[.doc] = ClassOptions(readThroughLinks: true)
        state.places[.two] = ClassAndParent(classID: .doc, parent: nil)
        state.links[.one] = [.ann: [.two]]
        state.grant(.read, on: .two, to: .ann)
        #expect(try state.effective(.ann, .one) == .read)
        state.entries[ObjectID(ClassID.doc)] = nil
        state.grant(.query, on: ObjectID(ClassID.doc), to: .everyone)
        #expect(try state.effective(.ann, .one) == [])
    }
}
