/// The positions of entries in a list, by the hashes of their keys. Open addressing with linear probing; entries are never removed
/// one by one.
struct HashIndex {
    /// The upper half of a hash, and the position plus one; 0 if free.
    private var buckets = [UInt64](repeating: 0, count: 1 << Self.firstBits)
    private var bits = Self.firstBits
    private var count = 0

    private static let firstBits: UInt32 = 4

    /// Returns the position of the entry with a hash for which `isWanted` returns true; nil without one.
    @inline(__always)
    func position(_ hash: UInt64, where isWanted: (Int) -> Bool) -> Int? {
        let tag = hash >> 32
        var bucket = Int(hash >> UInt64(64 - bits))
        while buckets[bucket] != 0 {
            let position = Int(buckets[bucket] & 0xFFFF_FFFF) - 1
            if buckets[bucket] >> 32 == tag, isWanted(position) { return position }
            bucket = bucket + 1 == buckets.count ? 0 : bucket + 1
        }
        return nil
    }

    /// Adds an entry, whose key must not be in the index yet.
    mutating func insert(_ hash: UInt64, _ position: Int) {
        count += 1
        if 4 * count > 3 * buckets.count { grow() }
        put(hash & ~0xFFFF_FFFF | UInt64(position + 1))
    }

    private mutating func put(_ entry: UInt64) {
        var bucket = Int(entry >> UInt64(64 - bits))
        while buckets[bucket] != 0 { bucket = bucket + 1 == buckets.count ? 0 : bucket + 1 }
        buckets[bucket] = entry
    }

    private mutating func grow() {
        let entries = buckets
        bits += 1
        buckets = [UInt64](repeating: 0, count: 1 << bits)
        for entry in entries where entry != 0 { put(entry) }
    }

    mutating func removeAll() { self = HashIndex() }
}
