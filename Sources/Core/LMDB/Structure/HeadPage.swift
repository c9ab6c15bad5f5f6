/// One of the two first pages of a data file, with the roots of its trees. LMDB writes them alternately.
struct HeadPage {
    let transaction: Int
    let lastPage: Int
    /// The table of free pages, and the main table.
    let free: Tree
    let main: Tree

    /// A table's tree of pages, as its record describes it.
    struct Tree {
        static let recordBytes = 48
        /// The first bytes of a record, which LMDB does not use.
        static let unusedBytes = 4
        /// The value for a missing root.
        static let noPage = -1
        /// The key order of the table of free pages: as numbers.
        static let numberKeys = 0x08

        /// The key order; 0 for bytes from the first to the last.
        let order: Int
        let depth: Int
        let branchPages: Int
        let leafPages: Int
        let overflowPages: Int
        let rows: Int
        let root: Int

        init(_ page: Page, at offset: Int) throws(StructureError) {
            order = try page.short(offset + 4)
            depth = try page.short(offset + 6)
            branchPages = try page.long(offset + 8)
            leafPages = try page.long(offset + 16)
            overflowPages = try page.long(offset + 24)
            rows = try page.long(offset + 32)
            root = try page.long(offset + 40)
        }
    }

    private static let magic = 0xBEEF_C0DE
    private static let formatVersion = 1
    /// The bytes that are read: the kind, the start, the version and page size, both trees, the last page and the transaction.
    static let usedBytes = 2 + 8 + 4 + 2 * (Tree.recordBytes - Tree.unusedBytes) + 16

    private init(_ page: Page) throws(StructureError) {
        guard try page.kind == PageKind.head, try page.word(16) == Self.magic else {
            throw StructureError("head page \(page.number) has an invalid start")
        }
        guard try page.word(20) == Self.formatVersion else {
            throw StructureError("head page \(page.number) has the LMDB format \(try page.word(20))")
        }
        guard try page.word(40) == Environment.pageBytes else {
            throw StructureError("head page \(page.number) has the page size \(try page.word(40)) bytes")
        }
        free = try Tree(page, at: 40)
        main = try Tree(page, at: 88)
        lastPage = try page.long(136)
        transaction = try page.long(144)
    }

    /// Returns both head pages, after checking each of them, and both together.
    static func both(of file: PageFile) throws(StructureError) -> [HeadPage] {
        let heads = [try HeadPage(file.page(0)), try HeadPage(file.page(1))]
        // They are written alternately, one transaction after the other.
        let numbers = heads.map(\.transaction)
        let follow =
            numbers.allSatisfy { $0 >= 0 } && numbers[0] % 2 == 0 && numbers[1] % 2 == 1 && abs(numbers[0] - numbers[1]) == 1
        guard follow || numbers == [0, 0] else {
            throw StructureError(
                "the head pages have the transactions \(numbers[0]) and \(numbers[1]), which are not consecutive")
        }
        for head in heads {
            // The last pages may be free and never written, but they are few.
            guard head.lastPage >= 1, head.lastPage < 2 * file.pageCount + 1024 else {
                throw StructureError("the file has \(file.pageCount) pages, but \(head.lastPage) are in use: it was truncated")
            }
        }
        return heads
    }
}
