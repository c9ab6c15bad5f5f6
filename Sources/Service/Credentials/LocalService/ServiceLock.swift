internal import Events
internal import Files
internal import Hashing
internal import Secrets
internal import Synchronization

/// Announces a running service on a data directory to the tool on the same machine.
///
/// The service holds a lock during its lifetime, which the system releases however the process ends. So the note of a crashed
/// process is not mistaken for a running service.
public final class ServiceLock: Sendable {
    private let place: ServicePresenceFiles
    private let lock: FileLock
    private let isEnded = Atomic(false)
    /// The secret that the tool sends instead of a token. Valid for this run only, with all permissions.
    public let secret: String

    /// Locks the data directory for this process.
    ///
    /// - Parameter dataDirectory: the folder of the stores. It must exist.
    /// - Throws: ``ServiceLockError`` if another process has it, or a file error.
    public init(dataDirectory: String) throws {
        place = ServicePresenceFiles(dataDirectory: dataDirectory)
        secret = "local_" + Base64URL.encode(Secrets.randomBytes(32))
        try makePrivateFolder(place.folder)
        do { lock = try FileLock(path: place.lock, holder: processDescription()) } catch let held as FileLock.HeldError {
            throw ServiceLockError.alreadyRuns(dataDirectory: dataDirectory, holder: held.holder)
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
    /// - Throws: ``ServiceLockError/noCertificate`` for a text that is not a certificate, or a file error.
    public func announce(host: String, port: UInt16, certificatePEM: String? = nil) throws {
        var keyDigest: [UInt8]?
        if let certificatePEM {
            guard let digest = Certificate(pem: certificatePEM)?.keyDigest else { throw ServiceLockError.noCertificate }
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

/// Why a service cannot start on a data directory, or cannot be announced to the tool.
public enum ServiceLockError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Another process uses the data directory.
    case alreadyRuns(dataDirectory: String, holder: String)
    case noCertificate

    public var description: String {
        switch self {
        case .alreadyRuns(let dataDirectory, let holder):
            "`\(dataDirectory)` already has a running service, \(holder): stop that service first, or use it"
        case .noCertificate: "the certificate cannot be read; give a file in PEM"
        }
    }
}

/// The files of a data directory that announce a running service.
struct ServicePresenceFiles {
    let folder: String
    var lock: String { folder + "/service.lock" }
    var note: String { folder + "/service.json" }

    init(dataDirectory: String) { folder = dataDirectory + "/.muniment" }
}

/// The contents of `service.json`.
struct ServiceNote: Equatable {
    /// The address for the tool.
    let address: String
    let secret: String
    /// The SHA-256 of the service's key, for TLS.
    let keyDigest: [UInt8]?

    private static let format = "muniment-service/1"
    private static let limitBytes = 4_096
}

extension ServiceNote {
    /// Returns nil for any other text.
    init?(_ bytes: [UInt8]) {
        guard case .object(let members)? = try? JSONText.decode(bytes, limit: ServiceNote.limitBytes),
            members.text("format") == ServiceNote.format, let address = members.text("address"), let secret = members.text("secret")
        else { return nil }
        var keyDigest: [UInt8]?
        if let text = members.text("keyDigest") {
            guard let digest = Base64URL.decode(text.utf8), digest.count == 32 else { return nil }
            keyDigest = digest
        }
        self.init(address: address, secret: secret, keyDigest: keyDigest)
        // A damaged note could send the secret to another address, or to a service without the right key.
        guard self.bytes == bytes else { return nil }
    }

    var bytes: [UInt8] {
        var members: JSONObject = [
            "format": .string(ServiceNote.format), "address": .string(address), "secret": .string(secret),
        ]
        if let keyDigest { members["keyDigest"] = .string(Base64URL.encode(keyDigest)) }
        members["checksum"] = .string("\(Digest(of: ServiceNote.line(members).span))")
        return ServiceNote.line(members)
    }

    private static func line(_ members: JSONObject) -> [UInt8] {
        var writer = JSONWriter()
        writer.write(.object(members))
        return Array((writer.text + "\n").utf8)
    }
}
