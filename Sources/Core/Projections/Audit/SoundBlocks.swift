internal import Synchronization

/// The blocks of the audit whose checksum was computed and is right, since the index was opened.
final class SoundBlocks: Sendable {
    /// A bit for each block, alternately of events and of refusals.
    private let words = Mutex<[UInt64]>([])

    private func place(_ stream: AuditStream, _ block: UInt64) -> (word: Int, bit: UInt64) {
        let number = block << 1 | (stream == .events ? 0 : 1)
        return (Int(number >> 6), 1 << (number & 63))
    }

    func contains(_ stream: AuditStream, _ block: UInt64) -> Bool {
        let (word, bit) = place(stream, block)
        return words.withLock { word < $0.count && $0[word] & bit != 0 }
    }

    func insert(_ stream: AuditStream, _ block: UInt64) {
        let (word, bit) = place(stream, block)
        words.withLock { words in
            if word >= words.count { words += Array(repeating: 0, count: word + 1 - words.count) }
            words[word] |= bit
        }
    }
}
