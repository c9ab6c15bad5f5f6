internal import CPostgreSQL
internal import EventLog
internal import Foundation
internal import Synchronization

/// A connection to PostgreSQL, for one thread at a time. Parameters and results are binary.
///
/// Each call has a time limit. After an error of the connection, the next call connects again.
@safe final class PostgreSQLConnection: @unchecked Sendable {
    /// The rows of the result of a statement.
    typealias Rows = [[[UInt8]?]]

    /// A parameter, with its type and its binary form.
    struct Parameter {
        let type: Oid
        let bytes: [UInt8]

        static func int64(_ value: Int64) -> Parameter { Parameter(type: 20, bytes: value.bigEndianBytes) }
        static func text(_ value: String) -> Parameter { Parameter(type: 25, bytes: Array(value.utf8)) }
        static func bytes(_ value: [UInt8]) -> Parameter { Parameter(type: 17, bytes: value) }
        static func uuid(_ value: UUID) -> Parameter {
            unsafe Parameter(type: 2950, bytes: withUnsafeBytes(of: value.uuid) { unsafe Array($0) })
        }

        /// An array of byte strings, without nulls.
        static func arrays(_ values: some Collection<[UInt8]>) -> Parameter { array(1001, of: 17, values) }

        /// An array of texts, without nulls.
        static func texts(_ values: [String]) -> Parameter { array(1009, of: 25, values.map { Array($0.utf8) }) }

        private static func array(_ type: Oid, of element: Int32, _ values: some Collection<[UInt8]>) -> Parameter {
            var bytes = Int32(values.isEmpty ? 0 : 1).bigEndianBytes + Int32(0).bigEndianBytes + element.bigEndianBytes
            if !values.isEmpty { bytes += Int32(values.count).bigEndianBytes + Int32(1).bigEndianBytes }
            bytes.reserveCapacity(bytes.count + values.reduce(0) { $0 + $1.count + 4 })
            for value in values {
                bytes += Int32(value.count).bigEndianBytes
                bytes += value
            }
            return Parameter(type: type, bytes: bytes)
        }
    }

    private let address: PostgreSQLAddress
    private let isProtected: Bool
    private let prepare: (PostgreSQLConnection) throws -> Void
    private var connection: OpaquePointer?
    /// Whether a statement since the last look ended with a warning, such as a cancelled wait for the standbys.
    private let warnings = WarningFlag()

    /// - Parameters:
    ///   - address: the address of the database.
    ///   - isProtected: whether the password is kept from a server that only listens at the address.
    ///   - prepare: called after connecting.
    init(
        _ address: PostgreSQLAddress, isProtected: Bool = true, prepare: @escaping (PostgreSQLConnection) throws -> Void = { _ in }
    ) {
        self.address = address
        self.isProtected = isProtected
        self.prepare = prepare
    }

    deinit { close() }

    func close() {
        if let connection = unsafe connection { unsafe PQfinish(connection) }
        unsafe connection = nil
    }

    /// The descriptor to wait for notifications on; nil without a connection.
    var descriptor: Int32? { unsafe connection.map { unsafe PQsocket($0) } }

    /// Whether a warning arrived since the last call.
    func takeWarning() -> Bool { warnings.take() }

    /// Runs a statement.
    ///
    /// - Throws: `SharedLogError`: `unprepared` for missing tables, and `unreachable` for each other error. The connection is closed.
    func run(_ statement: String, _ parameters: [Parameter] = [], within seconds: Double = 5) throws -> Rows {
        do {
            let connection = unsafe try connected()
            return unsafe try run(statement, parameters, on: connection, until: .now + .seconds(seconds))
        } catch {
            close()
            throw error
        }
    }

    /// Runs a statement that writes. The server commits it only after the standbys have it; a wait that was cancelled is an error.
    func runDurably(_ statement: String, _ parameters: [Parameter] = []) throws -> Rows {
        _ = takeWarning()
        let rows = try run(statement, parameters)
        if takeWarning() { throw SharedLogError.unreachable("the server could not ask its standbys") }
        return rows
    }

    /// Throws unless the standbys follow this server. A server that was replaced can lack records without being wrong about the others.
    func confirm() throws { _ = try runDurably("SELECT muniment.confirm()") }

    /// An error that the server reported: missing tables, or that it cannot answer now.
    private static func error(_ state: String, _ message: String) -> SharedLogError {
        switch state {
        case "42883", "42P01", "3F000", "42501": .unprepared("\(message): run the output of `muniment log schema`")
        default: .unreachable(message)
        }
    }

    private func connected() throws -> OpaquePointer {
        if let connection = unsafe connection { return unsafe connection }
        let protection = isProtected ? address.protection : []
        // Later values replace earlier ones.
        let settings =
            [
                ("connect_timeout", "2"), ("application_name", "muniment"), ("keepalives_idle", "2"), ("keepalives_interval", "1"),
                ("keepalives_count", "3"), ("tcp_user_timeout", "5000"), ("dbname", address.text),
            ] + protection
        let opened = unsafe settings.map(\.0).withCStrings { keywords in
            unsafe settings.map(\.1).withCStrings { values in unsafe PQconnectdbParams(keywords, values, 1) }
        }
        guard let opened = unsafe opened else {
            throw SharedLogError.unreachable("a connection could not be allocated: not enough memory")
        }
        unsafe connection = opened
        guard unsafe PQstatus(opened) == CONNECTION_OK else {
            let reason = unsafe message(of: opened)
            let isUnproved = !protection.isEmpty && ["channel binding", "SSL", "certificate"].contains(where: reason.contains)
            throw SharedLogError.unreachable(reason + (isUnproved ? Self.remedy : ""))
        }
        unsafe PQsetnonblocking(opened, 1)
        unsafe PQsetNoticeReceiver(
            opened,
            { context, result in
                let severity = unsafe PQresultErrorField(result, Int32(UInt8(ascii: "V"))).map { unsafe String(cString: $0) }
                guard severity == "WARNING", let context = unsafe context else { return }
                unsafe Unmanaged<WarningFlag>.fromOpaque(context).takeUnretainedValue().set()
            }, unsafe Unmanaged.passUnretained(warnings).toOpaque())
        try prepare(self)
        return unsafe opened
    }

    private static let remedy =
        ". The server must prove that it is the database: add `sslmode=verify-full` and `sslrootcert=FILE` to the address, or give the "
        + "server TLS and the role a SCRAM password. For trials, `--log-insecure` sends the password to any server"

    private func message(of connection: OpaquePointer) -> String {
        let text = unsafe PQerrorMessage(connection).map { unsafe String(cString: $0) } ?? "unknown error"
        return unsafe withoutSecrets(text.split(whereSeparator: \.isNewline).joined(separator: "; "), of: connection)
    }

    /// Returns a message of libpq or of the server without the password, in case it repeats it.
    private func withoutSecrets(_ text: String, of connection: OpaquePointer) -> String {
        // The password can also come from a file or from the environment.
        let used = unsafe PQpass(connection).map { unsafe String(cString: $0) } ?? ""
        return (address.secrets + [used]).filter { !$0.isEmpty }.reduce(text) { $0.replacing($1, with: "…") }
    }

    private func run(
        _ statement: String, _ parameters: [Parameter], on connection: OpaquePointer, until deadline: ContinuousClock.Instant
    ) throws -> Rows {
        let sent = unsafe withPointers(to: parameters.map(\.bytes)) { values in
            unsafe PQsendQueryParams(
                connection, statement, Int32(parameters.count), parameters.map(\.type), values,
                parameters.map { Int32($0.bytes.count) },
                parameters.map { _ in 1 }, 1)
        }
        guard sent == 1 else { throw unsafe SharedLogError.unreachable(message(of: connection)) }
        var rows = Rows()
        var failure: SharedLogError?
        while let result = unsafe try next(of: connection, until: deadline) {
            defer { unsafe PQclear(result) }
            switch unsafe PQresultStatus(result) {
            case PGRES_TUPLES_OK: unsafe rows = Self.rows(of: result)
            case PGRES_COMMAND_OK: break
            default:
                let state = unsafe PQresultErrorField(result, Int32(UInt8(ascii: "C"))).map { unsafe String(cString: $0) }
                let message = unsafe PQresultErrorField(result, Int32(UInt8(ascii: "M"))).map { unsafe String(cString: $0) }
                guard let state, let message, unsafe PQstatus(connection) == CONNECTION_OK else {
                    throw unsafe SharedLogError.unreachable(self.message(of: connection))
                }
                failure = unsafe Self.error(state, withoutSecrets(message, of: connection))
            }
        }
        if let failure { throw failure }
        return rows
    }

    /// Waits for the next result of a statement; nil after the last one.
    private func next(of connection: OpaquePointer, until deadline: ContinuousClock.Instant) throws -> OpaquePointer? {
        while unsafe PQisBusy(connection) == 1 {
            // Small statements are sent at once; a large one needs the socket to become writable.
            let isSent = unsafe PQflush(connection) == 0
            guard wait(on: unsafe PQsocket(connection), forWriting: !isSent, until: deadline) else {
                throw SharedLogError.unreachable("the server did not answer in time")
            }
            guard unsafe PQconsumeInput(connection) == 1 else { throw unsafe SharedLogError.unreachable(message(of: connection)) }
        }
        return unsafe PQgetResult(connection)
    }

    private func wait(on descriptor: Int32, forWriting: Bool, until deadline: ContinuousClock.Instant) -> Bool {
        let left = deadline - .now
        guard left > .zero else { return false }
        let milliseconds = left.components.seconds * 1000 + left.components.attoseconds / 1_000_000_000_000_000
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN | (forWriting ? POLLOUT : 0)), revents: 0)
        return unsafe poll(&entry, 1, Int32(milliseconds + 1)) > 0
    }

    /// Waits for a notification or for a time, on a connection that listens.
    ///
    /// - Throws: `SharedLogError.unreachable` if the connection failed.
    func waitForNotification(atMost seconds: Double) throws {
        let connection = unsafe try connected()
        let deadline = ContinuousClock.now + .seconds(seconds)
        while true {
            var isThere = false
            while let notification = unsafe PQnotifies(connection) {
                isThere = true
                unsafe PQfreemem(notification)
            }
            if isThere { return }
            guard wait(on: unsafe PQsocket(connection), forWriting: false, until: deadline) else { return }
            guard unsafe PQconsumeInput(connection) == 1 else {
                let reason = unsafe message(of: connection)
                close()
                throw SharedLogError.unreachable(reason)
            }
        }
    }

    private static func rows(of result: OpaquePointer) -> Rows {
        unsafe (0..<PQntuples(result)).map { row in
            unsafe (0..<PQnfields(result)).map { column in
                guard unsafe PQgetisnull(result, row, column) == 0, let value = unsafe PQgetvalue(result, row, column) else {
                    return nil
                }
                let count = unsafe Int(PQgetlength(result, row, column))
                return unsafe Array(UnsafeRawBufferPointer(start: value, count: count))
            }
        }
    }
}

/// Set by libpq's callback on the thread of the connection.
private final class WarningFlag {
    private var isSet = false

    func set() { isSet = true }

    func take() -> Bool {
        defer { isSet = false }
        return isSet
    }
}

extension FixedWidthInteger {
    var bigEndianBytes: [UInt8] { unsafe withUnsafeBytes(of: bigEndian) { unsafe Array($0) } }

    /// Reads a number from its bytes, the most significant first.
    init?(bigEndian bytes: [UInt8]?) {
        guard let bytes, bytes.count == MemoryLayout<Self>.size else { return nil }
        self = bytes.reduce(0) { $0 << 8 | Self(truncatingIfNeeded: $1) }
    }
}

extension [String] {
    /// Calls `body` with the texts as a list of C strings that ends with nil.
    fileprivate func withCStrings<R>(_ body: (UnsafePointer<UnsafePointer<CChar>?>) -> R) -> R {
        unsafe withPointers(to: map { [UInt8]($0.utf8) + [0] }, endsWithNil: true, body)
    }
}

/// Calls `body` with pointers to byte strings, which are valid during the call.
private func withPointers<R>(
    to values: [[UInt8]], endsWithNil: Bool = false, _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> R
) -> R {
    var offsets: [Int] = []
    var bytes: [UInt8] = []
    for value in values {
        offsets.append(bytes.count)
        bytes += value
    }
    // An empty list still needs an address.
    bytes.append(0)
    return unsafe bytes.withUnsafeBufferPointer { buffer in
        let base = unsafe UnsafeRawPointer(buffer.baseAddress)?.assumingMemoryBound(to: CChar.self)
        var pointers = unsafe offsets.map { offset in unsafe base.map { unsafe $0 + offset } }
        if endsWithNil || offsets.isEmpty { unsafe pointers.append(nil) }
        return unsafe pointers.withUnsafeBufferPointer { list in
            guard let start = list.baseAddress else { preconditionFailure("the list is not empty") }
            return unsafe body(start)
        }
    }
}

/// Connections that are used by one thread at a time.
final class ConnectionPool: Sendable {
    private let connect: @Sendable () -> PostgreSQLConnection
    private let idle = Mutex(Idle())

    private struct Idle {
        var connections: [PostgreSQLConnection] = []
        var isClosed = false
    }

    /// Connections that are kept for later.
    private static let keptLimit = 4

    init(_ connect: @escaping @Sendable () -> PostgreSQLConnection) { self.connect = connect }

    /// Calls `body` with a connection.
    func with<R>(_ body: (PostgreSQLConnection) throws -> R) throws -> R {
        let connection = idle.withLock { $0.connections.popLast() } ?? connect()
        do {
            let result = try body(connection)
            idle.withLock { idle in
                if !idle.isClosed, idle.connections.count < Self.keptLimit { idle.connections.append(connection) }
            }
            return result
        } catch {
            connection.close()
            throw error
        }
    }

    func close() {
        idle.withLock { idle in
            idle.isClosed = true
            idle.connections = []
        }
    }
}
