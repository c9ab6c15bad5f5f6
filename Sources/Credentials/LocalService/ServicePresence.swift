internal import Files
internal import Hashing
internal import Secrets
internal import Synchronization

/// That a service runs on a data directory, for the tool on the same machine to know.
///
/// The service holds a lock for as long as it lives, which the system takes back however it ends. So a note that was left behind
/// by a process that died is not taken for a service.
public final class ServicePresence: Sendable {
    private let place: ServicePlace
    private let lock: FileLock
    private let isEnded = Atomic(false)
    /// What the tool shows in place of a token: of this run alone, and good for everything.
    public let secret: String

    /// Takes the data directory for this process.
    ///
    /// - Parameter dataDirectory: the folder that the stores are in. It has to be there.
    /// - Throws: ``ServiceAlreadyRuns`` where another process has it, or a file's error.
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
    ///   - host: the address that it listens on; one that stands for all of them becomes this machine's own.
    ///   - port: the port that it listens on.
    ///   - certificatePEM: the certificate that it shows; nil where it does without TLS.
    /// - Throws: ``ServicePresenceError/noCertificate`` for a text that is none, or a file's error.
    public func announce(host: String, port: UInt16, certificatePEM: String? = nil) throws {
        var keyDigest: [UInt8]?
        if let certificatePEM {
            guard let digest = Certificate.keyDigest(pem: certificatePEM) else { throw ServicePresenceError.noCertificate }
            keyDigest = digest.bytes
        }
        let own = ["0.0.0.0": "127.0.0.1", "::": "::1"][host] ?? host
        let scheme = if case nil = keyDigest { "http" } else { "https" }
        let address = "\(scheme)://\(own.contains(":") ? "[\(own)]" : own):\(port)"
        let note = ServiceNote(address: address, secret: secret, keyDigest: keyDigest)
        try replaceFile(place.note, with: note.bytes)
        lock.announceReady()
    }

    /// Takes the note away, and lets go of the data directory. Later calls do nothing: the note may be another service's by then.
    public func end() {
        guard !isEnded.exchange(true, ordering: .acquiringAndReleasing) else { return }
        try? removeFile(place.note)
        lock.release()
    }
}

/// Another process has the data directory.
public struct ServiceAlreadyRuns: Error, Hashable, Sendable, CustomStringConvertible {
    public let dataDirectory: String
    public let holder: String

    public var description: String {
        "a service runs on `\(dataDirectory)` already, \(holder): stop that one first, or use it"
    }
}

/// What a service cannot tell the tool.
public enum ServicePresenceError: Error, Hashable, Sendable, CustomStringConvertible {
    case noCertificate

    public var description: String { "the certificate is none that can be read; give a file in PEM" }
}

/// The files of a data directory that say that a service runs.
struct ServicePlace {
    let folder: String
    var lock: String { folder + "/service.lock" }
    var note: String { folder + "/service.json" }

    init(dataDirectory: String) { folder = dataDirectory + "/.muniment" }
}

/// The secret that a service and the tool beside it share for one run.
enum LocalSecret {
    static let prefix = "local_"

    static func random() -> String { prefix + Base64URL.encode(Secrets.randomBytes(32)) }
}
