/// Checks the page structure of a data file:
///
/// - every page belongs to one table or is free
/// - trees have the depth and size in their records
/// - pages have the expected kind
/// - keys are in order
///
/// LMDB trusts every number that it reads. One flipped bit can lead it to an old page with rows in correct order, and so restore
/// revoked data; or beyond its memory. An old page is a free page, so this check finds it.
struct StructureCheck {
    private let file: PageFile
    private let head: HeadPage
    /// Whether all pages of rows are read. Otherwise only the pages above them, and the pages of tables with large values.
    private let readsLeaves: Bool
    private var isTaken: [Bool]
    /// The bytes found so far that a reader of every row uses.
    private(set) var usedBytes = HeadPage.usedBytes

    init(file: PageFile, head: HeadPage, readsLeaves: Bool) {
        self.file = file
        self.head = head
        self.readsLeaves = readsLeaves
        isTaken = [Bool](repeating: false, count: head.lastPage + 1)
        isTaken[0] = true
        isTaken[1] = true
    }

    /// Runs the check. Linear in the pages above the rows, or with `readsLeaves` in all pages.
    mutating func run() throws(StructureError) {
        try walk(head.free, .freePages)
        try walk(head.main, .tables)
        if let lost = isTaken.firstIndex(of: false) { throw StructureError("page \(lost) is neither free nor part of a table") }
    }

    /// The kind of rows in a table.
    private enum Content {
        case freePages
        case tables
        case rows
    }

    /// The pages and rows found in a tree, to compare with its record.
    private struct Count {
        var branchPages = 0
        var leafPages = 0
        var overflowPages = 0
        var rows = 0
    }

    /// The range of a page's keys.
    private struct Bounds {
        var from: PageBytes?
        var to: PageBytes?

        func hold(from first: PageBytes) -> Bool { from.map { !first.precedes($0) } ?? true }
        func hold(to last: PageBytes) -> Bool { to.map { last.precedes($0) } ?? true }
    }

    private mutating func take(_ number: Int) throws(StructureError) {
        guard number > 1, number <= head.lastPage else { throw StructureError("page \(number) does not exist") }
        guard !isTaken[number] else { throw StructureError("page \(number) is used twice, or free and in use") }
        isTaken[number] = true
    }

    private mutating func walk(_ tree: HeadPage.Tree, _ content: Content) throws(StructureError) {
        guard tree.order == (content == .freePages ? HeadPage.Tree.numberKeys : 0) else {
            throw StructureError("a table has the invalid key order \(tree.order)")
        }
        guard tree.root != HeadPage.Tree.noPage else {
            guard tree.rows == 0, tree.depth == 0 else { throw StructureError("a table of \(tree.rows) rows has no pages") }
            guard tree.branchPages == 0, tree.leafPages == 0, tree.overflowPages == 0 else {
                throw StructureError("a table without pages counts some")
            }
            return
        }
        guard (1...32).contains(tree.depth) else { throw StructureError("a table has the invalid depth \(tree.depth)") }
        // Rows that are too large for a page refer to other pages, which can be old pages too.
        let reads = readsLeaves || content != .rows || tree.overflowPages > 0
        var count = Count()
        try visit(tree.root, levelsBelow: tree.depth - 1, Bounds(), content, readsLeaves: reads, &count)
        guard count.branchPages == tree.branchPages, count.leafPages == tree.leafPages else {
            throw StructureError("a table has other pages than its record")
        }
        guard !reads || (count.rows == tree.rows && count.overflowPages == tree.overflowPages) else {
            throw StructureError("a table has \(count.rows) rows, but its record has \(tree.rows)")
        }
    }

    private mutating func visit(
        _ number: Int, levelsBelow: Int, _ bounds: Bounds, _ content: Content, readsLeaves: Bool, _ count: inout Count
    ) throws(StructureError) {
        try take(number)
        let page = try file.page(number)
        if levelsBelow == 0 {
            count.leafPages += 1
            if readsLeaves { try readLeaf(page, bounds, content, &count) }
            return
        }
        count.branchPages += 1
        let nodes = try NodePage(page, kind: PageKind.branch)
        use(nodes.usedBytes, in: content)
        guard nodes.count >= 1 else { throw StructureError("page \(number) has an invalid reference") }
        var inner = bounds
        var bytes = 0
        for index in 0..<nodes.count {
            let node = try nodes.node(index)
            bytes += node.branchBytes
            // The first key of such a page is not read.
            use(index == 0 ? Node.headerBytes : node.prefixBytes, in: content)
            // The first entry covers all keys before the second one.
            inner.to = index + 1 < nodes.count ? try nodes.node(index + 1).key : bounds.to
            if content != .freePages, index > 0 {
                guard let key = inner.from, bounds.hold(from: key), bounds.hold(to: key), inner.hold(to: key) else {
                    throw StructureError("the keys of page \(number) are out of order")
                }
            }
            try visit(node.child, levelsBelow: levelsBelow - 1, inner, content, readsLeaves: readsLeaves, &count)
            inner.from = inner.to
        }
        try nodes.checkFill(bytes)
    }

    private mutating func readLeaf(
        _ page: Page, _ bounds: Bounds, _ content: Content, _ count: inout Count
    ) throws(StructureError) {
        let nodes = try NodePage(page, kind: PageKind.leaf)
        count.rows += nodes.count
        use(nodes.usedBytes, in: content)
        var previous: PageBytes?
        var bytes = 0
        for index in 0..<nodes.count {
            let node = try nodes.node(index)
            bytes += node.leafBytes
            if content != .freePages {
                let key = try node.key
                guard previous?.precedes(key) ?? bounds.hold(from: key) else {
                    throw StructureError("the keys of page \(page.number) are out of order")
                }
                previous = key
                usedBytes += node.usedBytes
            }
            if content != .rows || !node.isPlain { try follow(node.value, content, &count) }
        }
        if let previous, !bounds.hold(to: previous) { throw StructureError("the keys of page \(page.number) are out of order") }
        try nodes.checkFill(bytes)
    }

    /// Counts bytes that a reader of every row uses. Such a reader uses no lists of free pages.
    private mutating func use(_ bytes: Int, in content: Content) { if content != .freePages { usedBytes += bytes } }

    /// Checks the pages that a value refers to.
    private mutating func follow(_ value: Node.Value, _ content: Content, _ count: inout Count) throws(StructureError) {
        if case .elsewhere(let first, let bytes) = value {
            count.overflowPages += try takeOverflow(first, bytes)
            use(NodePage.usedHeaderBytes + bytes, in: content)
        }
        switch (content, value) {
        case (.freePages, _): try takeFree(value)
        case (.tables, .table(let tree)):
            // The whole record was counted with its row.
            usedBytes -= HeadPage.Tree.unusedBytes
            try walk(tree, .rows)
        case (.rows, .table): throw StructureError("a table is among the rows of another")
        default: break
        }
    }

    /// Marks the pages of a large value; returns their number.
    private mutating func takeOverflow(_ first: Int, _ bytes: Int) throws(StructureError) -> Int {
        let page = try file.page(first)
        let pages = try page.word(12)
        guard try page.kind == PageKind.overflow, try page.ownNumber == first, pages >= 1,
            bytes <= pages * Environment.pageBytes - NodePage.headerBytes, first + pages <= file.pageCount
        else { throw StructureError("page \(first) does not contain the expected value") }
        for number in first..<first + pages { try take(number) }
        return pages
    }

    /// Marks the pages in a record of free pages: their count, followed by their numbers.
    private mutating func takeFree(_ value: Node.Value) throws(StructureError) {
        let (page, start, bytes): (Int, Int, Int)
        switch value {
        case .here(let number, let offset, let count): (page, start, bytes) = (number, offset, count)
        case .elsewhere(let first, let count): (page, start, bytes) = (first, NodePage.headerBytes, count)
        case .table: throw StructureError("the free pages have a table among them")
        }
        func number(_ index: Int) throws(StructureError) -> Int {
            let offset = start + index * 8
            return try file.page(page + offset / Environment.pageBytes).long(offset % Environment.pageBytes)
        }
        guard bytes >= 8, case let count = try number(0), count >= 0, count <= bytes / 8 - 1 else {
            throw StructureError("a list of free pages is longer than its record")
        }
        for index in 0..<count { try take(number(index + 1)) }
    }
}
