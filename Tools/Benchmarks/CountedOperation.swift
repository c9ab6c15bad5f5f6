import Events
import Foundation
import Muniment

/// An operation of the library, which ``InstructionSuite`` runs in a process of its own under valgrind.
enum CountedOperation: String, CaseIterable {
    /// Creates the transactions of a generated company: the part of ``import`` that is not the library's work.
    case generate
    case `import`
    case rebuild
    case commit
    case query
    case audit

    static let word = "--count"
    /// The number of entries of the company for ``rebuild``, of objects for ``query``, and of records for ``audit``.
    static let size = 100_000

    /// Makes the store that the operation uses.
    func prepare(in folder: String) throws {
        switch self {
        case .rebuild: _ = try GeneratedStore.make(entries: Self.size, in: folder)
        case .query: try QuerySuite(objects: Self.size, folder: folder).makeStore().close()
        case .audit: try AuditSuite(records: Self.size, folder: folder).makeStore().0.close()
        case .generate, .import, .commit: break
        }
    }

    /// Runs the operation `count` times; returns how many times its unit was done: an event, a commit or a page.
    private func run(_ count: Int, in folder: String) throws -> Int {
        switch self {
        case .generate:
            let transactions = Generator(entries: count).transactions(of: GeneratedStore.changesPerTransaction)
            return transactions.reduce(0) { $0 + $1.map(\.change).count }
        case .import: return Int(try GeneratedStore.make(entries: count, in: folder, memory: nil).events)
        case .rebuild:
            for _ in 0..<count { try Store.rebuild(at: folder + "/store") }
            return try use(folder + "/store") { Int(try $0.statistics().events) } * count
        case .commit:
            let store = try WriteSuite(folder: folder, commits: count).makeStore()
            _ = try WriteSuite(folder: folder, commits: count).concurrent(store)
            try store.close()
            return count / 4 * WriteSuite.writers
        case .query:
            return try use(folder + "/query") { store in
                for call in 0..<count { _ = try store.query(QuerySuite.narrowed(call), as: QuerySuite.caller) }
                return count
            }
        case .audit:
            return try use(folder + "/audit") { store in
                for _ in 0..<count { _ = try store.audit(AuditFilter(), limit: AuditSuite.pageSize) }
                return count
            }
        }
    }

    private func use<R>(_ path: String, _ body: (Store) throws -> R) throws -> R {
        let store = try Store.open(at: path)
        defer { try? store.close() }
        return try body(store)
    }

    /// Runs an operation, and prints how many times its unit was done.
    ///
    /// - Parameter arguments: the name of the operation, a count and a folder.
    static func run(_ arguments: [String]) throws {
        guard arguments.count == 3, let operation = CountedOperation(rawValue: arguments[0]), let count = Int(arguments[1]) else {
            throw BenchmarkFailure("\(word) needs an operation, a count and a folder")
        }
        print(try operation.run(count, in: arguments[2]))
    }
}
