/// The entries of a tree page: keys with child pages, or keys with values.
struct NodePage {
    static let headerBytes = 16
    /// The bytes of the header that LMDB uses.
    static let usedHeaderBytes = 14

    let count: Int
    /// The used bytes of the header and of the table of entries.
    var usedBytes: Int { Self.usedHeaderBytes + 2 * count }
    private let page: Page
    private let upper: Int

    init(_ page: Page, kind: Int) throws(StructureError) {
        guard try page.kind == kind, try page.ownNumber == page.number else {
            throw StructureError("page \(page.number) does not match its reference")
        }
        self.page = page
        let lower = try page.short(12)
        upper = try page.short(14)
        guard lower >= Self.headerBytes, lower % 2 == 0, lower <= upper, upper <= Environment.pageBytes else {
            throw StructureError("page \(page.number) has no room for its entries")
        }
        count = (lower - Self.headerBytes) / 2
    }

    func node(_ index: Int) throws(StructureError) -> Node {
        let offset = try page.short(Self.headerBytes + 2 * index)
        guard offset >= upper, offset % 2 == 0 else { throw StructureError("page \(page.number) has an entry out of place") }
        return try Node(page, at: offset)
    }

    /// Checks that entries of this size fill their part of the page completely, as LMDB packs them.
    func checkFill(_ bytes: Int) throws(StructureError) {
        guard bytes == Environment.pageBytes - upper else {
            throw StructureError("the entries of page \(page.number) do not fill it")
        }
    }
}

/// An entry of a page.
struct Node {
    static let headerBytes = 8

    private enum Flag {
        static let elsewhere = 0x01
        static let table = 0x02
    }

    /// The location of a row's value.
    enum Value {
        case here(page: Int, offset: Int, bytes: Int)
        case elsewhere(firstPage: Int, bytes: Int)
        /// The record of a table.
        case table(HeadPage.Tree)
    }

    private let page: Page
    private let offset: Int
    private let low: Int
    private let flags: Int
    private let keyBytes: Int

    init(_ page: Page, at offset: Int) throws(StructureError) {
        self.page = page
        self.offset = offset
        low = try page.short(offset) | page.short(offset + 2) << 16
        flags = try page.short(offset + 4)
        keyBytes = try page.short(offset + 6)
    }

    var key: PageBytes {
        get throws(StructureError) { try page.bytes(offset + Self.headerBytes..<offset + Self.headerBytes + keyBytes) }
    }

    /// The key as a number, in the table of free pages.
    var number: Int { get throws(StructureError) { try page.long(offset + Self.headerBytes) } }

    /// The child page of a branch entry.
    var child: Int { low | flags << 32 }

    /// The bytes of the header and the key.
    var prefixBytes: Int { Self.headerBytes + keyBytes }

    /// The bytes of the header, the key and the value, or the number of the value's first page.
    var usedBytes: Int { prefixBytes + (flags & Flag.elsewhere == 0 ? low : 8) }

    /// The size of a branch entry in bytes.
    var branchBytes: Int { (prefixBytes + 1) & ~1 }

    /// The size of a row in this page, in bytes.
    var leafBytes: Int { (usedBytes + 1) & ~1 }

    /// Whether the value is in this page and is not a table, so that it does not refer to other pages.
    var isPlain: Bool { flags == 0 && offset + prefixBytes + low <= Environment.pageBytes }

    var value: Value {
        get throws(StructureError) {
            let place = offset + Self.headerBytes + keyBytes
            switch flags {
            case 0:
                guard isPlain else { throw StructureError("page \(page.number) has a value beyond its end") }
                return .here(page: page.number, offset: place, bytes: low)
            case Flag.elsewhere: return .elsewhere(firstPage: try page.long(place), bytes: low)
            case Flag.table where low == HeadPage.Tree.recordBytes: return .table(try HeadPage.Tree(page, at: place))
            default: throw StructureError("page \(page.number) has an entry of an unknown kind")
            }
        }
    }
}
