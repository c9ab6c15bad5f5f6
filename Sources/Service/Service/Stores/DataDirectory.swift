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

    /// Removes access of other users to the data directory, the service's own files and all stores. Other files in the folder do
    /// not change. If every user may create files in the data directory, such as `/tmp`, the directory does not change either.
    ///
    /// - Returns: lines for the log about each success and failure.
    func closeToOtherUsers() throws -> [String] {
        var changes = ModeChanges()
        if let mode = fileMode(path), mode & 0o1000 == 0 { closeToOthers(path, isDeep: false, noting: &changes) }
        closeToOthers(ownFolder, noting: &changes)
        for name in try names() { closeToOthers(folder(of: name), noting: &changes) }
        var lines = changes.failures.map { "other users may be able to open the data: \($0)" }
        if let first = changes.closed.min() {
            lines.append(
                "other users could open \(changes.closed.count) files and folders of the data directory, for example `\(first)`: "
                    + "they now belong to their owner alone (modes 0600 and 0700)")
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

    /// Returns the names of the recorded stores without a folder, sorted.
    func missingNames() throws -> [StoreName] {
        let names = try DataDirectorySurvey.missingNames(in: path)
        state.withLock { $0.missing = names }
        return names
    }

    /// The stores that are not served, because their files are damaged or missing, or their log was rolled back.
    var unserved: [StoreName] {
        let (refused, missing) = state.withLock { ($0.refused, $0.missing) }
        let isMissing = { (name: StoreName) in (try? Store.isMissing(at: self.folder(of: name))) ?? true }
        let names = refused.compactMap { name, store in StoreName(name).map { ($0, store.isUnchanged) } }
        return names.filter { $1 || isMissing($0) }.map(\.0) + missing.filter(isMissing)
    }

    /// The folder with the recorded head of each store.
    private var heads: String { ownFolder + "/heads" }

    /// Returns a store; nil if it does not exist. Opens it if needed, which can take long.
    ///
    /// - Throws: `StoreDamageError`, ``StoreError``, ``StoreError/closed`` after the folder was closed, or file errors.
    func store(_ name: StoreName) throws -> HostedStore? {
        if let found = openStore(name.text) { return found }
        // Asked before the turn, so that an engine that does not answer delays no other store.
        let isShared = try !Store.exists(at: folder(of: name)) && sharedNames?.read().contains(name) ?? false
        return try opening.withLock { _ in
            if let found = openStore(name.text) { return found }
            try checkOpen()
            let options = options(of: name)
            if isShared, !Store.exists(at: folder(of: name)) {
                _ = try Store.join(at: folder(of: name), options: options)
            }
            guard Store.hasFiles(at: folder(of: name)) else {
                guard try Store.isMissing(at: folder(of: name)) else { return nil }
                throw StoreError.missing(path: folder(of: name))
            }
            if let refused = state.withLock({ $0.refused[name.text] }), refused.isUnchanged { throw refused.reason }
            do {
                let store = try Store.open(at: folder(of: name), .writing, options: options)
                state.withLock { $0.refused[name.text] = nil }
                return try add(name, store)
            } catch {
                guard let damage = StoreDamageError(error, at: folder(of: name)) else { throw error }
                state.withLock { $0.refused[name.text] = RefusedStore(damage, folder(of: name), record: "\(heads)/\(name)") }
                throw damage
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
        state.withLock { $0.stores[name.text] = hosted }
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

/// A store that stays closed because its files are damaged, or its log was rolled back. Opening it again reads much of its log. So the
/// reason is kept until a file changes that a repair replaces.
private struct RefusedStore {
    let reason: StoreDamageError
    private let paths: [String]
    private let files: [FileVersion?]

    init(_ reason: StoreDamageError, _ folder: String, record: String) {
        self.reason = reason
        paths = [folder + "/head", folder + "/log/data.mdb", folder + "/log/seal", record]
        files = paths.map { FileVersion($0) }
    }

    var isUnchanged: Bool { paths.map { FileVersion($0) } == files }
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
    private let state = Mutex(State())

    private struct State {
        var result: Result<[StoreName], any Error>?
        var time = ContinuousClock.now
        var isReading = false
    }

    init(_ logs: any SharedLogs) { self.logs = logs }

    /// Returns the names.
    ///
    /// - Throws: `SharedLogError`.
    func read() throws -> [StoreName] {
        let known = state.withLock { state -> Result<[StoreName], any Error>? in
            if let known = state.result, state.isReading || state.time.duration(to: .now) < .seconds(1) { return known }
            state.isReading = true
            return nil
        }
        if let known { return try known.get() }
        let result = Result { try logs.names().compactMap { StoreName($0) } }
        state.withLock { $0 = State(result: result) }
        return try result.get()
    }

    /// Makes the next call of ``read()`` ask the engine.
    func forget() { state.withLock { $0 = State() } }
}
