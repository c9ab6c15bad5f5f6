internal import CLMDB

/// The used part of an environment.
public struct EnvironmentUsage: Hashable, Sendable {
    /// Bytes of the data file.
    public var fileBytes = 0
    /// Bytes of address space that the map reserves.
    public var mapBytes = 0
    /// Bytes of the map up to the last page that was ever used.
    public var usedBytes = 0
    /// Read transactions that are open in any process.
    public var readers = 0
}

extension Environment {
    /// Returns the present use of the environment. Reads every reader slot, and no page.
    public func usage() -> EnvironmentUsage {
        let info = unsafe info
        let counter = ReaderCount()
        _ = unsafe mdb_reader_list(
            handle,
            { text, context in
                guard let text = unsafe text, let context = unsafe context else { return 0 }
                // One line for each slot: process, thread and transaction; the last is `-` after a reset.
                let words = unsafe String(cString: text).split { $0 == " " || $0 == "\n" }
                if words.count == 3, Int(words[0]) != nil, words[2] != "-" {
                    unsafe Unmanaged<ReaderCount>.fromOpaque(context).takeUnretainedValue().count += 1
                }
                return 0
            }, Unmanaged.passUnretained(counter).toOpaque())
        return unsafe EnvironmentUsage(
            fileBytes: Environment.fileBytes(in: path) ?? 0, mapBytes: info.me_mapsize,
            usedBytes: (info.me_last_pgno + 1) * Environment.pageBytes, readers: counter.count)
    }
}

private final class ReaderCount {
    var count = 0
}
