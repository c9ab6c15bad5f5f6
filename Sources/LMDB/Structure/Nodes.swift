/// The entries of a page of a tree: keys with the pages that they lead to, or keys with values.
struct Nodes {
    static let headerBytes = 16
    private static let nodeHeaderBytes = 8

    private enum Flag {
        static let elsewhere = 0x01
        static let table = 0x02
    }

    /// Where the value of a row is.
    enum Value {
        case here(page: Int, offset: Int, bytes: Int)
        case elsewhere(firstPage: Int, bytes: Int)
        /// The record of a table.
        case table(HeadPage.Tree)

        var isTable: Bool { if case .table = self { true } else { false } }
    }

    let count: Int
    private let page: Page
    private let upper: Int
    private let isLeaf: Bool

    init(_ page: Page, kind: Int) throws(StructureFault) {
        guard try page.kind == kind, try page.ownNumber == page.number else {
            throw StructureFault("page \(page.number) is not what leads to it says")
        }
        self.page = page
        isLeaf = kind == PageKind.leaf
        let lower = try page.short(12)
        upper = try page.short(14)
        guard lower >= Self.headerBytes, lower % 2 == 0, lower <= upper, upper <= Environment.pageBytes else {
            throw StructureFault("page \(page.number) has no room for its entries")
        }
        count = (lower - Self.headerBytes) / 2
    }

    private func offset(_ index: Int) throws(StructureFault) -> Int {
        let offset = try page.short(Self.headerBytes + 2 * index)
        guard offset >= upper, offset % 2 == 0 else { throw StructureFault("page \(page.number) has an entry out of place") }
        return offset
    }

    private func keyBytes(_ offset: Int) throws(StructureFault) -> Int { try page.short(offset + 6) }

    func key(_ index: Int) throws(StructureFault) -> PageBytes {
        let start = try offset(index)
        return try page.bytes(start + Self.nodeHeaderBytes..<start + Self.nodeHeaderBytes + keyBytes(start))
    }

    /// The page that an entry of a page without rows leads to.
    func child(_ index: Int) throws(StructureFault) -> Int {
        let start = try offset(index)
        return try page.short(start) | page.short(start + 2) << 16 | page.short(start + 4) << 32
    }

    private func valueBytes(_ offset: Int) throws(StructureFault) -> Int {
        try page.short(offset) | page.short(offset + 2) << 16
    }

    func value(_ index: Int) throws(StructureFault) -> Value {
        let start = try offset(index)
        let place = start + Self.nodeHeaderBytes + (try keyBytes(start))
        let bytes = try valueBytes(start)
        switch try page.short(start + 4) {
        case 0:
            guard place + bytes <= Environment.pageBytes else {
                throw StructureFault("page \(page.number) has a value beyond its end")
            }
            return .here(page: page.number, offset: place, bytes: bytes)
        case Flag.elsewhere: return .elsewhere(firstPage: try page.long(place), bytes: bytes)
        case Flag.table where bytes == HeadPage.Tree.recordBytes: return .table(try HeadPage.Tree(page, at: place))
        default: throw StructureFault("page \(page.number) has an entry of an unknown kind")
        }
    }

    /// Checks that the entries fill their part of the page to the byte, as LMDB packs them.
    func checkFill() throws(StructureFault) {
        var total = 0
        for index in 0..<count {
            let start = try offset(index)
            var bytes = Self.nodeHeaderBytes + (try keyBytes(start))
            if isLeaf { bytes += try page.short(start + 4) & Flag.elsewhere == 0 ? valueBytes(start) : 8 }
            total += bytes + bytes % 2
        }
        guard total == Environment.pageBytes - upper else {
            throw StructureFault("the entries of page \(page.number) do not fill it")
        }
    }
}
