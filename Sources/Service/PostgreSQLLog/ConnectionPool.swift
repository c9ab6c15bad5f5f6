internal import Synchronization

/// Connections that are used by one thread at a time.
final class ConnectionPool: Sendable {
    private let connect: @Sendable () -> PostgreSQLConnection
    private let idle = Mutex(Idle())

    private struct Idle: @unchecked Sendable {
        var connections: [PostgreSQLConnection] = []
        var isClosed = false
    }

    /// Connections that are kept for later.
    private static let keptLimit = 4

    init(_ connect: @escaping @Sendable () -> PostgreSQLConnection) { self.connect = connect }

    /// Calls `body` with a connection.
    func with<R>(_ body: (PostgreSQLConnection) throws -> R) throws -> R {
        let lent = idle.withLock { Lent($0.connections.popLast()) }
        let connection = lent.connection ?? connect()
        do {
            let result = try body(connection)
            giveBack(connection)
            return result
        } catch {
            connection.close()
            throw error
        }
    }

    private func giveBack(_ connection: PostgreSQLConnection) {
        let lent = Lent(connection)
        idle.withLock { idle in
            guard !idle.isClosed, idle.connections.count < Self.keptLimit, let connection = lent.connection else { return }
            idle.connections.append(connection)
        }
    }

    func close() {
        idle.withLock { idle in
            idle.isClosed = true
            idle.connections = []
        }
    }
}

/// A connection on its way between the pool and a thread.
private struct Lent: @unchecked Sendable {
    let connection: PostgreSQLConnection?

    init(_ connection: PostgreSQLConnection?) { self.connection = connection }
}
