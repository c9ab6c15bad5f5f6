internal import Credentials
internal import EventLog
internal import Events
internal import Files
internal import Foundation
internal import Muniment
internal import Permissions
internal import Synchronization

/// A folder with one folder per store. The service's own files are in `.muniment`.
final class DataDirectory: Sendable {
    private let settings: ServiceSettings
    var path: String { settings.dataDirectory }
    private let sharedNames: SharedStoreNames?
    private let state = Mutex(State())
    /// Held while a store is opened or created, so that it is opened once, and while all are closed, so that none remains open.
    private let opening = Mutex(())
    /// The stores that were repaired at the last call of ``openRepaired()``.
    private let repairs = Mutex<[StoreName: StoreFiles]>([:])

    private struct State {
        var stores: [String: HostedStore] = [:]
        /// Stores that stay closed until a person repairs them, or accepts their rollback.
        var refused: [String: RefusedStore] = [:]
        /// The recorded stores that had no folder when the service started.
        var missing: [StoreName] = []
        var isClosed = false
    }

    /// Creates the folder if it does not exist.
    init(_ settings: ServiceSettings) throws {
        self.settings = settings
        sharedNames = settings.sharedLogs.map { SharedStoreNames($0) }
        guard !DataBackup.exists(at: path) else { throw BackupError.isNotWritable(path: path) }
        try makeFolder(path)
        try makeFolder(ownFolder)
    }

    /// Removes access of other users to the data directory.
    ///
    /// - Returns: lines for the log about each success and failure.
    func closeToOtherUsers() throws -> [String] {
        var changes = ModeChanges()
        for folder in try DataDirectorySurvey.privateFolders(in: path) {
            closeToOthers(folder.path, isDeep: folder.isWhole, noting: &changes)
        }
        var lines = changes.failures.map { "other users may be able to open the data: \($0)" }
        if let first = changes.closed.min() {
            lines.append(
                "other users could open files or folders of the data directory, for example `\(first)`: only their owner can open these "
                    + "\(changes.closed.count) now (modes 0600 and 0700)")
        }
        return lines
    }

    /// The folder of the service's own files. A store cannot have this name.
    var ownFolder: String { path + "/.muniment" }

    func folder(of name: StoreName) -> String { path + "/" + name.text }

    /// The stores that are open, by name.
    var open: [HostedStore] { state.withLock { $0.stores.values.sorted { $0.name < $1.name } } }

    /// Returns an open store; nil for any other. Does not block.
    func openStore(_ name: String) -> HostedStore? { state.withLock { $0.stores[name] } }

    /// The names of all stores in the folder, and of all shared logs, sorted.
    func names() throws -> [StoreName] {
        let own = try DataDirectorySurvey.storeNames(in: path)
        // Without an answer, this node serves its own stores.
        guard let shared = try? sharedNames?.read(), !shared.isEmpty else { return own }
        return Set(own + shared).sorted()
    }

    /// The options of a store, with its shared log.
    private func options(of name: StoreName) -> StoreOptions {
        var options = settings.storeOptions
        options.sharedLog = settings.sharedLogs?.log(of: name.text)
        return options
    }

    /// Returns the names of the recorded stores without a folder, sorted. From now on they count as unserved.
    func findMissing() throws -> [StoreName] {
        let names = try DataDirectorySurvey.missingNames(in: path)
        state.withLock { $0.missing = names }
        return names
    }

    /// The stores that are not served, sorted, and the reasons: their files are damaged, inaccessible or missing, or their log was
    /// rolled back.
    var unserved: [(name: StoreName, reason: String)] {
        let (refused, missing) = state.withLock { ($0.refused, $0.missing) }
        return Set(refused.keys.compactMap(StoreName.init) + missing).sorted().compactMap { name in
            if let absence = absence(of: name) { return (name, absence) }
            // After an accepted loss, there is no store.
            guard Store.hasFiles(at: folder(of: name)) || !mayUse(folder(of: name)) else { return nil }
            return (name, refused[name.text].map { "\($0.reason)" } ?? "its files are there again, and it will be opened soon")
        }
    }

    /// Returns why a recorded store is missing; nil if it is there, or if its folder is not accessible.
    private func absence(of name: StoreName) -> String? {
        (try? Store.absence(at: folder(of: name))).flatMap { $0 }.map { "\($0)" }
    }

    /// Opens the stores that were not served and whose files have changed since, but not between the last two calls: a repair may take
    /// several steps.
    func openRepaired() {
        let (refused, missing) = state.withLock { ($0.refused, $0.missing) }
        let repaired = refused.filter { !$0.value.isUnchanged }.keys.compactMap(StoreName.init) + missing
        let files = Dictionary(
            repaired.filter { absence(of: $0) == nil }.map { ($0, StoreFiles(folder(of: $0), record: record(of: $0))) },
            uniquingKeysWith: { first, _ in first })
        let before = repairs.withLock { repairs in
            defer { repairs = files }
            return repairs
        }
        for (name, files) in files where before[name] == files {
            // Without success it is tried again. The reason of an unusable store is among the obstacles.
            do { _ = try store(name) } catch is UnusableStoreError {} catch {
                settings.report("the store `\(name)` was repaired, but cannot be opened yet: \(error)")
            }
        }
    }

    /// The file that records the head of a store.
    private func record(of name: StoreName) -> String { "\(ownFolder)/heads/\(name)" }

    /// Returns a store; nil if it does not exist. Opens it if needed, which can take long.
    ///
    /// - Throws: `UnusableStoreError`, ``StoreError``, ``StoreError/closed`` after the folder was closed, or file errors.
    func store(_ name: StoreName) throws -> HostedStore? {
        if let found = openStore(name.text) { return found }
        // Asked before the turn, so that an engine that does not answer delays no other store.
        let isShared = try !Store.exists(at: folder(of: name)) && sharedNames?.read().contains(name) ?? false
        return try opening.withLock { _ in
            if let found = openStore(name.text) { return found }
            try checkOpen()
            let options = options(of: name)
            if let refused = state.withLock({ $0.refused[name.text] }), refused.isUnchanged { throw refused.reason }
            do {
                if isShared, !Store.exists(at: folder(of: name)) {
                    _ = try Store.join(at: folder(of: name), options: options)
                }
                guard Store.hasFiles(at: folder(of: name)) else {
                    if let absence = try Store.absence(at: folder(of: name)) { throw absence }
                    return nil
                }
                return try add(name, try Store.open(at: folder(of: name), .writing, options: options))
            } catch {
                guard let reason = UnusableStoreError(error, at: folder(of: name)) else { throw error }
                state.withLock { $0.refused[name.text] = RefusedStore(reason, folder(of: name), record: record(of: name)) }
                throw reason
            }
        }
    }

    /// Returns a store that another node has just created.
    func join(_ name: StoreName) throws -> HostedStore? {
        sharedNames?.forget()
        return try store(name)
    }

    /// Creates a store.
    ///
    /// - Throws: ``StoreError/alreadyExists(path:)``, or ``StoreError/closed`` after the folder was closed.
    func create(_ name: StoreName, preset: Preset, administrator: Name) throws -> HostedStore {
        try opening.withLock { _ in
            try checkOpen()
            // Without this check, an open store would be reported as held by this process, not as existing.
            guard openStore(name.text) == nil else { throw StoreError.alreadyExists(path: folder(of: name)) }
            return try add(
                name,
                try Store.create(
                    at: folder(of: name), preset: preset, administrator: administrator, options: options(of: name)))
        }
    }

    /// Called while holding `opening`.
    private func checkOpen() throws(StoreError) {
        if state.withLock({ $0.isClosed }) { throw .closed }
    }

    /// Called while holding `opening`.
    private func add(_ name: StoreName, _ store: Store) throws -> HostedStore {
        let decisionLog: DecisionLog?
        do { decisionLog = try openDecisionLog(of: name) } catch {
            try store.close()
            throw error
        }
        let hosted = HostedStore(name, store, decisionLog)
        state.withLock { state in
            state.stores[name.text] = hosted
            state.refused[name.text] = nil
            state.missing.removeAll { $0 == name }
        }
        return hosted
    }

    /// Returns the decision log of a store; nil if the settings give it none.
    private func openDecisionLog(of name: StoreName) throws -> DecisionLog? {
        guard let stores = settings.decisionLogs, stores.includes(name.text) else { return nil }
        return try DecisionLog(DecisionFiles(of: name.text, in: path), report: settings.report)
    }

    /// Closes all stores, after a running opening has ended. Afterwards, no store can be opened.
    func close() throws {
        let stores = opening.withLock { _ in
            state.withLock { state in
                state.isClosed = true
                defer { state.stores = [:] }
                return state.stores.values.sorted { $0.name < $1.name }
            }
        }
        var failure: (any Error)?
        for hosted in stores {
            hosted.decisionLog?.close()
            do { try hosted.store.close() } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
    }
}

/// A store that stays closed because its files are damaged or inaccessible, or its log was rolled back. Opening it again reads much of
/// its log. So the reason is kept until a file changes that a repair replaces.
private struct RefusedStore {
    let reason: UnusableStoreError
    private let folder: String
    private let record: String
    private let files: StoreFiles

    init(_ reason: UnusableStoreError, _ folder: String, record: String) {
        (self.reason, self.folder, self.record) = (reason, folder, record)
        files = StoreFiles(folder, record: record)
    }

    var isUnchanged: Bool { StoreFiles(folder, record: record) == files }
}

/// The state of the files that a repair of a store changes.
private struct StoreFiles: Equatable {
    private let versions: [FileVersion?]
    private let areUsable: [Bool]

    /// - Parameters:
    ///   - folder: the folder of the store.
    ///   - record: the file that records its head.
    init(_ folder: String, record: String) {
        let files = Store.files(at: folder) + [record]
        versions = files.map { FileVersion($0) }
        areUsable = files.map { mayUse($0) }
    }
}

/// A store that the service has open.
final class HostedStore: Sendable {
    let name: StoreName
    let store: Store

    let decisions = DecisionCounts()
    /// Nil if the store has no decision log.
    let decisionLog: DecisionLog?

    init(_ name: StoreName, _ store: Store, _ decisionLog: DecisionLog?) {
        self.name = name
        self.store = store
        self.decisionLog = decisionLog
    }

    /// The time since this node last had everything that the shared log had, in seconds; nil for a store on one machine, and infinite if
    /// it never had.
    var lagSeconds: Double? {
        store.sharedLogStatus.map { status in status.current.map { $0.duration(to: .now) / .seconds(1) } ?? .infinity }
    }

    /// Whether the store is on one machine, or has news from its shared log.
    func isCurrent(within limit: Duration) -> Bool { lagSeconds.map { $0 <= limit / .seconds(1) } ?? true }
}

/// The name of a store in a data directory, which is the name of its folder.
public struct StoreName: Hashable, Sendable, Comparable, CustomStringConvertible {
    public let text: String

    /// The store that the root paths serve.
    public static let `default` = StoreName(unchecked: "default")
    private init(unchecked text: String) { self.text = text }

    /// Creates a name that is valid for ``Credentials/StoreScope/isStoreName(_:)``; nil for any other text.
    public init?(_ text: String) {
        guard StoreScope.isStoreName(text) else { return nil }
        self.text = text
    }

    public var description: String { text }

    public static func < (left: StoreName, right: StoreName) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }
}

/// The names of the stores in the shared logs, which are read once a second at most.
///
/// While one thread waits for an engine that does not answer, the others get the last result.
final class SharedStoreNames: Sendable {
    private let logs: any SharedLogs
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state = Mutex(State())

    private struct State {
        var result: Result<[StoreName], any Error>?
        /// The time of the result.
        var time: ContinuousClock.Instant?
        var isReading = false
    }

    init(_ logs: any SharedLogs, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.logs = logs
        self.now = now
    }

    /// Returns the names.
    ///
    /// - Throws: `SharedLogError`.
    func read() throws -> [StoreName] {
        let known = state.withLock { state -> Result<[StoreName], any Error>? in
            if let known = state.result, state.isReading || state.time.map({ $0.duration(to: now()) < .seconds(1) }) ?? false {
                return known
            }
            state.isReading = true
            return nil
        }
        if let known { return try known.get() }
        let result = Result { try logs.names().compactMap { StoreName($0) } }
        state.withLock { $0 = State(result: result, time: now()) }
        return try result.get()
    }

    /// Makes the next call of ``read()`` ask the engine.
    func forget() { state.withLock { $0 = State() } }
}
