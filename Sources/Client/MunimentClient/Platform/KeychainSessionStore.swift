#if canImport(Security)
    internal import Foundation
    public import Primitives
    internal import Security

    /// Stores a session in the keychain of this device. It is readable after the first unlock, and is not copied to other devices.
    public struct KeychainSessionStore: SessionStore {
        /// The name of the keychain item.
        public let service: String

        /// - Parameter service: the name of the keychain item, such as the identifier of the application.
        public init(service: String) { self.service = service }

        /// - Throws: ``KeychainError`` if the keychain is not available, or the item contains no session.
        public func load() throws -> StoredSession? {
            var query = item
            query[kSecReturnData] = true
            var found: CFTypeRef?
            let status = unsafe SecItemCopyMatching(query as CFDictionary, &found)
            if status == errSecItemNotFound { return nil }
            guard status == errSecSuccess, let data = found as? Data, let session = StoredSession(encoded: Array(data)) else {
                throw KeychainError(service: service, status: status)
            }
            return session
        }

        /// - Throws: ``KeychainError``. The item is then unchanged.
        public func save(_ session: StoredSession?) throws {
            guard let session else {
                let status = SecItemDelete(item as CFDictionary)
                guard status == errSecSuccess || status == errSecItemNotFound else {
                    throw KeychainError(service: service, status: status)
                }
                return
            }
            let values: [CFString: Any] = [
                kSecValueData: Data(try session.encoded), kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
            ]
            var status = SecItemUpdate(item as CFDictionary, values as CFDictionary)
            if status == errSecItemNotFound {
                status = SecItemAdd(item.merging(values) { $1 } as CFDictionary, nil)
            }
            guard status == errSecSuccess else { throw KeychainError(service: service, status: status) }
        }

        private var item: [CFString: Any] {
            [
                kSecClass: kSecClassGenericPassword, kSecAttrService: service, kSecAttrAccount: "muniment-session",
                kSecUseDataProtectionKeychain: true,
            ]
        }
    }

    /// The keychain did not read or store the session.
    public struct KeychainError: Error, Hashable, Sendable, CustomStringConvertible {
        public let service: String
        /// The status of the Security framework.
        public let status: Int32

        public var description: String {
            "the keychain item `\(service)` cannot be used (status \(status)); check that the device was unlocked since its start, "
                + "and sign in again"
        }
    }
#endif
