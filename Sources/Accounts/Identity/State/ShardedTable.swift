/// A dictionary in many small parts. A copy shares all parts that neither side changes.
///
/// A writer changes a copy while others read. With one large dictionary the first change would copy everything. A look-up takes as
/// long as in a dictionary. A change of a shared part copies that part, 1/1,024 of the whole.
struct ShardedTable<Key: Hashable & Sendable, Value: Hashable & Sendable>: Hashable, Sendable {
    private var shards: [[Key: Value]] = Array(repeating: [:], count: 1 << shardBits)
    private(set) var count = 0

    private static var shardBits: Int { 10 }

    subscript(key: Key) -> Value? {
        get { shards[shard(key)][key] }
        set {
            let index = shard(key)
            if let newValue {
                if shards[index].updateValue(newValue, forKey: key) == nil { count += 1 }
            } else if shards[index].removeValue(forKey: key) != nil {
                count -= 1
            }
        }
    }

    subscript(key: Key, default value: @autoclosure () -> Value) -> Value {
        get { self[key] ?? value() }
        set { self[key] = newValue }
    }

    /// All values, in undefined order.
    var values: some Sequence<Value> { shards.lazy.flatMap(\.values) }

    private func shard(_ key: Key) -> Int { key.hashValue & (1 << ShardedTable.shardBits - 1) }
}
