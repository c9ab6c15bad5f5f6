import Events
import Testing

@Suite("Privileges and their names")
struct PrivilegesTests {
    static let builtIn: [(name: String, bit: UInt32)] = [
        ("create", 0), ("read", 1), ("update", 2), ("delete", 3), ("query", 4), ("setPermissions", 5), ("setOwner", 6),
        ("modifySchema", 7),
    ]

    @Test("R5: the name and bit of each of the eight built-in privileges never change", arguments: builtIn)
    func builtInNames(name: String, bit: UInt32) {
        #expect(PrivilegeNames().privilege(name) == Privileges(rawValue: 1 << bit))
        #expect(PrivilegeNames().names(of: Privileges(rawValue: 1 << bit)) == [name])
        #expect(Privileges.builtIn.contains(Privileges(rawValue: 1 << bit)))
    }

    @Test("F15: a store defines up to 24 custom privileges, which take the bits from 8 upwards in order")
    func customPrivileges() {
        var names = PrivilegeNames()
        for index in 0..<24 {
            #expect(names.define("custom-\(index)") == Privileges(rawValue: 1 << UInt32(8 + index)))
            #expect(names.privilege("custom-\(index)") == .custom(index))
        }
        #expect(names.define("one too many") == nil)
        #expect(names.privilege("one too many") == nil)
        #expect(names.custom.count == Privileges.customLimit)
        #expect(names.names(of: .all).count == 32)
    }

    @Test("Names are sorted by their UTF-8 bytes, and bits without a name are omitted")
    func namesAreSorted() {
        let names = PrivilegeNames(custom: ["über", "approve", "Ship", "\u{FFFD}", "\u{1D11E}"])
        #expect(
            names.names(of: .all)
                == [
                    "Ship", "approve", "create", "delete", "modifySchema", "query", "read", "setOwner", "setPermissions", "update",
                    "über", "\u{FFFD}", "\u{1D11E}",
                ])
        #expect(PrivilegeNames().names(of: [.custom(3), .read]) == ["read"])
        #expect(names.names(of: []) == [])
    }

    @Test("An undefined name is not a privilege", arguments: ["", "Read", "read ", "approve", "all"])
    func unknownName(name: String) {
        #expect(PrivilegeNames().privilege(name) == nil)
    }

    @Test("`all` includes privileges that are defined later")
    func everything() {
        for index in 0..<Privileges.customLimit { #expect(Privileges.all.contains(.custom(index))) }
        #expect(Privileges.all.isSuperset(of: .builtIn))
        #expect(ClassOptions(privileges: .custom(2)).known == [.builtIn, .custom(2)])
    }
}
