public import Foundation

/// What a process says, line by line.
public struct PipeLines {
    private let pipe: Pipe
    private var buffered: [UInt8] = []

    public init(_ pipe: Pipe) { self.pipe = pipe }

    /// The next line; nil where there is none any more.
    public mutating func next() -> String? {
        while true {
            if let end = buffered.firstIndex(of: UInt8(ascii: "\n")) {
                defer { buffered.removeSubrange(...end) }
                return String(decoding: buffered[..<end], as: UTF8.self)
            }
            let more = pipe.fileHandleForReading.availableData
            if more.isEmpty { return nil }
            buffered += more
        }
    }

    /// Everything behind the lines that were taken, up to the end.
    public func rest() throws -> String {
        String(decoding: buffered + (try pipe.fileHandleForReading.readToEnd() ?? Data()), as: UTF8.self)
    }
}
