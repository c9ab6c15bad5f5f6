internal import CLMDB

/// Checks of the file before LMDB uses it.
extension Environment {
    /// Checks the head pages before LMDB reads them. A missing file passes the check.
    static func checkHead(of path: String) throws(StorageError) {
        guard let bytes = fileBytes(in: path), bytes > 0 else { return }
        guard bytes >= 2 * pageBytes else {
            throw StorageError(
                .notADatabase, "open", path: path, detail: "the data file has \(bytes) bytes, less than its two head pages")
        }
        // A page can be read half written while another process writes it.
        var fault: StructureError?
        for _ in 0..<8 {
            do throws(StructureError) {
                guard let file = PageFile(folder: path) else { return }
                _ = try HeadPage.both(of: file)
                return
            } catch { fault = error }
        }
        throw StorageError(.notADatabase, "open", path: path, detail: fault?.detail ?? "")
    }

    /// Checks the structure of the file's pages at the present transaction.
    ///
    /// Linear in the pages above the rows, about one in a hundred; in all pages if the file has at most `leafLimitBytes`.
    ///
    /// - Parameter leafLimitBytes: files of at most this size are read completely.
    /// - Returns: the bytes that a reader of every row uses. The others are free pages, room in pages, and the older head page. Nil if the
    ///   file is missing, or another process wrote to it too often meanwhile.
    /// - Throws: a `StorageError` of the kind `corrupted` that describes the fault.
    @discardableResult
    public func checkStructure(leafLimitBytes: Int = .max) throws(StorageError) -> PageUse? {
        let view = try beginReading()
        defer { view.end() }
        // The second later commit overwrites the head page of this transaction; the check then starts again.
        for _ in 0..<64 {
            guard let file = PageFile(folder: path) else { return nil }
            do throws(StructureError) {
                guard let head = try HeadPage.both(of: file).first(where: { $0.transaction == view.snapshotID }) else {
                    view.reset()
                    try renewForCheck(view)
                    continue
                }
                let readsLeaves = file.pageCount <= leafLimitBytes / Environment.pageBytes
                var check = StructureCheck(file: file, head: head, readsLeaves: readsLeaves)
                try check.run()
                return PageUse(checkedBytes: check.usedBytes, fileBytes: file.byteCount)
            } catch { throw StorageError(.corrupted, "check", path: path, detail: error.detail) }
        }
        return nil
    }

    /// Checks that the newest free pages of each head page are of its own transaction, since each transaction frees the pages that it
    /// replaces. Otherwise its transaction number is damaged. LMDB would then use the wrong head page as the newer one, and show the file
    /// as it was one transaction earlier.
    ///
    /// - Parameter path: the folder of a data file that no process writes at this time.
    /// - Throws: a `StorageError` of the kind `corrupted` that describes the fault.
    public static func checkHeadOrder(of path: String) throws(StorageError) {
        guard let file = PageFile(folder: path) else { return }
        do throws(StructureError) {
            for head in try HeadPage.both(of: file) where head.free.root != HeadPage.Tree.noPage {
                var page = head.free.root
                for _ in 1..<max(head.free.depth, 1) { page = try lastNode(of: file.page(page), PageKind.branch).child }
                let last = try lastNode(of: file.page(page), PageKind.leaf).number
                guard last == head.transaction else {
                    throw StructureError(
                        "a head page is of transaction \(head.transaction), but its newest free pages are of transaction \(last)")
                }
            }
        } catch { throw StorageError(.corrupted, "verify", path: path, detail: error.detail) }
    }

    private static func lastNode(of page: Page, _ kind: Int) throws(StructureError) -> Node {
        let nodes = try NodePage(page, kind: kind)
        guard nodes.count > 0 else { throw StructureError("page \(page.number) has an invalid reference") }
        return try nodes.node(nodes.count - 1)
    }

    private func renewForCheck(_ view: ReadTransaction) throws(StructureError) {
        do throws(StorageError) { try view.renew() } catch { throw StructureError(error.detail) }
    }
}
