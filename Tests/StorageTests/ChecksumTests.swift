import Hashing
import TestSupport
import Testing

@Suite("Hashing: checksums of rows")
struct ChecksumTests {
    private func checksum(_ runs: [UInt8]..., tag: UInt32 = 1) -> UInt32 {
        var checksum = Checksum(tag: tag)
        for run in runs { checksum.combine(run.span) }
        return checksum.value
    }

    @Test("Every change of one byte, to any other value, is caught: all of them for every length up to 20")
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

    @Test("Every change of one byte of random inputs of any length is caught")
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

    @Test("A byte more or less, even a zero, a swap of words and another tag are caught")
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

    @Test("Where a key ends and a row begins counts")
    func boundaries() {
        #expect(checksum([1, 2], [3, 4]) != checksum([1, 2, 3], [4]))
        #expect(checksum([1, 2], [3, 4]) != checksum([1, 2, 3, 4]))
    }
}
