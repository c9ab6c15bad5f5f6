internal import Files
internal import Hashing
internal import Secrets
internal import Synchronization

/// Announces a running service on a data directory to the tool on the same machine.
///
/// The service holds a lock during its lifetime, which the system releases however the process ends. So the note of a crashed
/// process is not mistaken for a running service.
public final class ServicePresence: Sendable {
    private let place: ServicePlace
    private let lock: FileLock
    private let isEnded = Atomic(false)
    /// The secret that the tool sends instead of a token. Valid for this run only, with all permissions.
    public let secret: String

    /// Locks the data directory for this process.
    ///
    /// - Parameter dataDirectory: the folder of the stores. It must exist.
    /// - Throws: ``ServiceAlreadyRuns`` if another process has it, or a file error.
    public init(dataDirectory: String) throws {
        place = ServicePlace(dataDirectory: dataDirectory)
        secret = LocalSecret.random()
        try makePrivateFolder(place.folder)
        do { lock = try FileLock(path: place.lock, holder: processDescription()) } catch let held as FileLock.Held {
            throw ServiceAlreadyRuns(dataDirectory: dataDirectory, holder: held.holder)
        }
        do { try removeFile(place.note) } catch {
            lock.release()
            throw error
        }
    }

    /// Tells the tool where the service listens.
    ///
    /// - Parameters:
    ///   - host: the address that it listens on; a wildcard address is replaced with this machine's own.
    ///   - port: the port that it listens on.
    ///   - certificatePEM: the certificate of the service; nil without TLS.
    /// - Throws: ``ServicePresenceError/noCertificate`` for a text that is not a certificate, or a file error.
    public func announce(host: String, port: UInt16, certificatePEM: String? = nil) throws {
        var keyDigest: [UInt8]?
        if let certificatePEM {
            guard let digest = Certificate(pem: certificatePEM)?.keyDigest else { throw ServicePresenceError.noCertificate }
            keyDigest = digest.bytes
        }
        let own = ["0.0.0.0": "127.0.0.1", "::": "::1"][host] ?? host
        let scheme = if case nil = keyDigest { "http" } else { "https" }
        let address = "\(scheme)://\(own.contains(":") ? "[\(own)]" : own):\(port)"
        let note = ServiceNote(address: address, secret: secret, keyDigest: keyDigest)
        try replaceFile(place.note, with: note.bytes)
        lock.announceReady()
    }

    /// Removes the note, and unlocks the data directory. Later calls do nothing, because the note may belong to another service by
    /// then.
    public func end() {
        guard !isEnded.exchange(true, ordering: .acquiringAndReleasing) else { return }
        try? removeFile(place.note)
        lock.release()
    }
}

/// Another process uses the data directory.
public struct ServiceAlreadyRuns: Error, Hashable, Sendable, CustomStringConvertible {
    public let dataDirectory: String
    public let holder: String

    public var description: String {
        "`\(dataDirectory)` already has a running service, \(holder): stop that service first, or use it"
    }
}

/// Why a service cannot be announced to the tool.
public enum ServicePresenceError: Error, Hashable, Sendable, CustomStringConvertible {
    case noCertificate

    public var description: String { "the certificate cannot be read; give a file in PEM" }
}

/// The files of a data directory that announce a running service.
struct ServicePlace {
    let folder: String
    var lock: String { folder + "/service.lock" }
    var note: String { folder + "/service.json" }

    init(dataDirectory: String) { folder = dataDirectory + "/.muniment" }
}

/// The secret that a service shares with the tool for one run.
enum LocalSecret {
    static let prefix = "local_"

    static func random() -> String { prefix + Base64URL.encode(Secrets.randomBytes(32)) }
}
