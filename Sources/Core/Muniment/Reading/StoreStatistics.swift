internal import EventLog
public import Events
internal import LMDB
internal import Permissions
internal import Projections

/// The number of entities in a store, and its size.
public struct StoreStatistics: Sendable {
    public let head: StoreHead
    public let preset: Preset
    /// Whether every user may change the permissions of the store itself (``Snapshot/isOpenToEveryone``).
    public let isOpenToEveryone: Bool
    public let events: UInt64
    /// Users and things.
    public let principals: Int
    public let roles: Int
    /// Classes that are not built in.
    public let classes: Int
    /// Objects of those classes.
    public let objects: Int
    /// Refused commands.
    public let refusals: UInt64
    /// The size of the log's file in bytes.
    public let logBytes: Int
    /// The size of the index's file in bytes.
    public let indexBytes: Int
    /// The tables of the index.
    public let tables: [TableSize]

    public struct TableSize: Hashable, Sendable {
        public let name: String
        public let rows: Int
        public let bytes: Int
    }
}

extension Store {
    /// Counts the content of the store. Linear in the number of objects and principals.
    public func statistics() throws -> StoreStatistics {
        let tables = try index.statistics().map {
            StoreStatistics.TableSize(
                name: $0.name, rows: $0.statistics.rows, bytes: $0.statistics.pages * Environment.pageBytes)
        }
        let (head, refusals) = (try head, try refusalCount)
        let isOpenToEveryone = try read { try $0.isOpenToEveryone }
        return try withReader { reader in
            let classes = try reader.definedClasses()
            return StoreStatistics(
                head: head, preset: reader.state.preset, isOpenToEveryone: isOpenToEveryone, events: reader.state.eventCount,
                principals: try reader.objects(of: .user).count + reader.objects(of: .thing).count,
                roles: try reader.objects(of: .role).count, classes: classes.count,
                objects: try classes.reduce(0) { try $0 + reader.objects(of: $1).count },
                refusals: refusals, logBytes: Environment.fileBytes(in: folder.log) ?? 0,
                indexBytes: Environment.fileBytes(in: folder.index) ?? 0,
                tables: tables)
        }
    }
}

extension Snapshot {
    /// Whether every user may change the permissions of the store itself, as in a store with the preset `open` that was never
    /// locked.
    public var isOpenToEveryone: Bool {
        get throws { try check(.everyone, ["setPermissions"], on: .store).isAllowed }
    }
}
