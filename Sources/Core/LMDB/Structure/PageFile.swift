internal import Glibc

/// A description of a fault in the structure of a data file.
struct StructureError: Error {
    let detail: String
    init(_ detail: String) { self.detail = detail }
}

/// The data file of an environment, mapped for checking its pages without LMDB, which trusts their content.
@safe final class PageFile {
    /// Whole pages in the file.
    let pageCount: Int
    private let bytes: UnsafeRawBufferPointer
    var byteCount: Int { unsafe bytes.count }

    /// Maps the file; returns nil if it is missing or empty.
    init?(folder: String) {
        let descriptor = unsafe open(folder + "/data.mdb", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { _ = Glibc.close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_size > 0 else { return nil }
        let length = Int(status.st_size)
        guard let start = unsafe mmap(nil, length, PROT_READ, MAP_SHARED, descriptor, 0), unsafe start != MAP_FAILED else {
            return nil
        }
        unsafe bytes = UnsafeRawBufferPointer(start: start, count: length)
        pageCount = length / Environment.pageBytes
    }

    deinit { unsafe munmap(UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count) }

    func page(_ number: Int) throws(StructureError) -> Page {
        guard number >= 0, number < pageCount else { throw StructureError("page \(number) is not in the file: it was truncated") }
        let start = number * Environment.pageBytes
        return unsafe Page(number: number, bytes: UnsafeRawBufferPointer(rebasing: bytes[start..<start + Environment.pageBytes]))
    }
}

/// One page of a data file, valid while the file is mapped. Reading outside the page counts as damage.
@safe struct Page {
    let number: Int
    private let bytes: UnsafeRawBufferPointer

    init(number: Int, bytes: UnsafeRawBufferPointer) {
        self.number = number
        unsafe self.bytes = bytes
    }

    private func load<Number: FixedWidthInteger & BitwiseCopyable>(
        _ offset: Int, as type: Number.Type
    ) throws(StructureError) -> Number {
        guard offset >= 0, offset + Number.bitWidth / 8 <= Environment.pageBytes else {
            throw StructureError("page \(number) points outside of itself")
        }
        return unsafe Number(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: type))
    }

    func short(_ offset: Int) throws(StructureError) -> Int { Int(try load(offset, as: UInt16.self)) }
    func word(_ offset: Int) throws(StructureError) -> Int { Int(try load(offset, as: UInt32.self)) }
    /// Returns a number of eight bytes. In an undamaged file only the value for a missing page has the highest bit set.
    func long(_ offset: Int) throws(StructureError) -> Int { Int(bitPattern: UInt(try load(offset, as: UInt64.self))) }

    func bytes(_ range: Range<Int>) throws(StructureError) -> PageBytes {
        guard range.lowerBound >= 0, range.upperBound <= Environment.pageBytes else {
            throw StructureError("page \(number) points outside of itself")
        }
        return unsafe PageBytes(UnsafeRawBufferPointer(rebasing: bytes[range]))
    }

    /// The page number stored in the page.
    var ownNumber: Int { get throws(StructureError) { try long(0) } }
    /// The page kind stored in the page.
    var kind: Int { get throws(StructureError) { try short(10) } }
}

/// The kinds of pages, as LMDB numbers them.
enum PageKind {
    static let branch = 0x01
    static let leaf = 0x02
    static let overflow = 0x04
    static let head = 0x08
}

/// Some bytes of a page, valid while the file is mapped, in LMDB's key order.
@safe struct PageBytes {
    private let bytes: UnsafeRawBufferPointer

    init(_ bytes: UnsafeRawBufferPointer) { unsafe self.bytes = bytes }

    /// Whether these bytes are ordered before others; a prefix precedes the longer key.
    func precedes(_ other: PageBytes) -> Bool {
        let common = unsafe min(bytes.count, other.bytes.count)
        if common > 0, let left = unsafe bytes.baseAddress, let right = unsafe other.bytes.baseAddress {
            let order = unsafe memcmp(left, right, common)
            if order != 0 { return order < 0 }
        }
        return unsafe bytes.count < other.bytes.count
    }
}
