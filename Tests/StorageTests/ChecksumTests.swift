import Hashing
import TestSupport
import Testing

@Suite("Hashing: row checksums")
struct ChecksumTests {
    private func checksum(_ runs: [UInt8]..., tag: UInt32 = 1) -> UInt32 {
        var checksum = Checksum(tag: tag)
        for run in runs { checksum.combine(run.span) }
        return checksum.value
    }

    @Test("Any change of one byte changes the checksum: all changes for every length up to 20")
    func everyByteOfSmallInputs() {
        var random = SplitMix64(seed: 1)
        for length in 1...20 {
            var bytes = (0..<length).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            let sound = checksum(bytes)
            for index in bytes.indices {
                let byte = bytes[index]
                for mask in UInt8(1)...255 {
                    bytes[index] = byte ^ mask
                    #expect(checksum(bytes) != sound)
                }
                bytes[index] = byte
            }
        }
    }

    @Test("A change of one byte changes the checksum of random longer inputs")
    func everyByteOfLargeInputs() {
        var random = SplitMix64(seed: 2)
        for length in [21, 64, 100, 255, 1000] {
            var bytes = (0..<length).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            let key = (0..<16).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            let sound = checksum(key, bytes)
            for index in bytes.indices {
                for mask in [UInt8(1 << (index % 8)), UInt8(random.number(1...255)), 0xFF] {
                    bytes[index] ^= mask
                    #expect(checksum(key, bytes) != sound)
                    bytes[index] ^= mask
                }
            }
        }
    }

    @Test("An additional byte, even a zero, swapped words and another tag change the checksum")
    func otherChanges() {
        var random = SplitMix64(seed: 3)
        for length in 0...64 {
            let bytes = (0..<length).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            #expect(checksum(bytes) != checksum(bytes + [0]))
            #expect(checksum(bytes) != checksum(bytes, tag: 2))
            if length >= 16, bytes[0..<8] != bytes[8..<16] {
                #expect(checksum(bytes) != checksum(Array(bytes[8..<16] + bytes[0..<8] + bytes[16...])))
            }
        }
    }

    @Test("The boundary between key and row changes the checksum")
    func boundaries() {
        #expect(checksum([1, 2], [3, 4]) != checksum([1, 2, 3], [4]))
        #expect(checksum([1, 2], [3, 4]) != checksum([1, 2, 3, 4]))
    }
}
