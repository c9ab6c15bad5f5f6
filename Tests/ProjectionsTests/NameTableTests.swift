import Events
import Testing

@testable import Projections

@Suite("Names in memory")
struct NameTableTests {
    @Test("Each of ten thousand names has its number, and other names have none")
    func many() {
        var table = NameTable()
        let names = (0..<10_000).map { Name("doc:\($0)") }
        for (number, name) in names.enumerated() { table.set(name, to: UInt64(number)) }
        for (number, name) in names.enumerated() { #expect(table.number(of: name) == UInt64(number)) }
        for name in ["doc:", "doc:10000", "doc:00", "Doc:1", ""] { #expect(table.number(of: Name(name)) == nil) }
    }

    @Test("Two spellings of one letter are two names")
    func spellings() {
        var table = NameTable()
        table.set("user:\u{E9}", to: 1)
        #expect(table.number(of: "user:e\u{301}") == nil)
        table.set("user:e\u{301}", to: 2)
        #expect(table.number(of: "user:\u{E9}") == 1)
    }

    @Test("A removed name has no number until it gets another one")
    func removed() {
        var table = NameTable()
        table.set("user:ann", to: 1)
        table.remove("user:ann")
        #expect(table.number(of: "user:ann") == nil)
        table.set("user:ann", to: 2)
        #expect(table.number(of: "user:ann") == 2)
        table.removeAll()
        #expect(table.number(of: "user:ann") == nil)
    }
}
