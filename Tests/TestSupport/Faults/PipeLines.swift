internal import Foundation

/// The output of a process into a pipe, line by line.
struct PipeLines {
    private let pipe: FileHandle
    private var buffered: [UInt8] = []

    init(_ pipe: FileHandle) { self.pipe = pipe }

    /// Returns the next line, or nil at the end.
    mutating func next() -> String? {
        while true {
            if let end = buffered.firstIndex(of: UInt8(ascii: "\n")) {
                defer { buffered.removeSubrange(...end) }
                return String(decoding: buffered[..<end], as: UTF8.self)
            }
            let more = pipe.availableData
            if more.isEmpty { return nil }
            buffered += more
        }
    }

    /// Waits for output after the lines read so far, and returns it. Empty at the end.
    mutating func available() -> [UInt8] {
        defer { buffered = [] }
        return buffered.isEmpty ? Array(pipe.availableData) : buffered
    }

    /// The rest of the output, to the end.
    mutating func rest() throws -> [UInt8] {
        defer { buffered = [] }
        return buffered + (try pipe.readToEnd() ?? Data())
    }
}
