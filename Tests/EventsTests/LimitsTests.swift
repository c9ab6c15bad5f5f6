import Events
import Testing

@Suite("Limits and reserved numbers")
struct LimitsTests {
    @Test("Each limit fits within the limits that contain it")
    func limitsFitTogether() {
        #expect(Limits.idBytes == 512, "DESIGN section 1")
        #expect(Limits.valueBytes < Limits.bytesPerCommit)
        #expect(Limits.symbolBytes <= Limits.classNameBytes)
        #expect(Limits.propertiesPerClass * Limits.symbolBytes < Limits.bytesPerCommit)
        #expect(Limits.linksPerValue * (Limits.idBytes + Limits.classNameBytes + 1) < Limits.bytesPerCommit)
        #expect(Limits.changesPerTransaction > 0 && Limits.valueDepth > 0 && Limits.depthOfParents > 0)
    }

    @Test("The reserved numbers never change their names")
    func reservedNames() {
        let expected: [UInt64: String] = [
            0: "store", 1: "everyone", 2: "anonymous", 3: "class:class", 4: "class:role", 5: "class:user", 6: "class:thing",
            7: "class:permission", 8: "class:store",
        ]
        #expect(Dictionary(uniqueKeysWithValues: ReservedID.names.map { ($0.id, $0.name) }) == expected)
        #expect(ReservedID.names.allSatisfy { $0.id < ReservedID.firstFree })
        for id in UInt64(0)..<ReservedID.firstFree { #expect(ClassID(rawValue: id).isBuiltIn == (3...8).contains(id)) }
    }

    @Test("An entity has the same number as object, class and principal")
    func numbersCross() {
        #expect(ObjectID(ClassID.class) == ObjectID(rawValue: 3))
        #expect(PrincipalID(ObjectID(rawValue: 20)).description == "#20")
        #expect(ObjectID(rawValue: 20) < ObjectID(rawValue: 21))
    }

    @Test("Revisions count from the store's creation, and the open end is after all of them")
    func revisions() {
        #expect(Revision.genesis.next == Revision(1))
        #expect(Revision(1) < Revision(2))
        #expect(Revision(ReservedID.limit - 1) < Revision.open)
    }
}
