import Events
import Muniment
import Permissions
import StoreSupport
import Testing

@Suite("Owners and groups: owners")
struct OwnerTests {
    @Test("G3: A new object's owner is whoever creates it")
    func owner() throws {
        try withStore(.open) { fixture in
            try fixture.commit(.defineClass("doc"))
            try fixture.commit(.createObject("doc:1"), as: "user:ann")
            #expect(try fixture.store.read { try $0.owner(of: "doc:1") } == "user:ann")
        }
    }
}
