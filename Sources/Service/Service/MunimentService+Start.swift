internal import Credentials
internal import Events
internal import Files
internal import Muniment

/// The steps of a start that concern the stores of the data directory.
extension MunimentService {
    /// Opens every store, and creates the store `default` in an empty data directory.
    func openStores() throws {
        let (names, missing) = (try data.names(), try data.findMissing())
        // A shared log also names stores whose copies are missing here.
        for name in names where !missing.contains(name) {
            // The other stores are served even if one store is unusable.
            do { _ = try data.store(name) } catch is UnusableStoreError {}
        }
        if names.isEmpty, missing.isEmpty {
            do { _ = try data.create(StoreName.default, preset: .locked, administrator: "user:root") } catch StoreError
                .alreadyExists where settings.sharedLogs != nil
            {
                // Another node was first.
                _ = try data.join(.default)
            }
        }
    }

    /// Registers every account in each of its stores, except in stores that are not served.
    ///
    /// - Throws: ``AccountStoreError`` if the accounts name a store that does not exist.
    func registerAccounts() throws {
        let (stores, unserved) = (settings.accounts?.stores ?? [], data.unserved.map(\.name))
        for name in stores where try !unserved.contains(name) && data.store(name) == nil {
            throw AccountStoreError(store: name, dataDirectory: settings.dataDirectory)
        }
        do { try accounts?.enrollAll() } catch let error where stores.contains(where: unserved.contains) {
            settings.report("not every account is registered in each of its stores; restart the service after the repair: \(error)")
        }
    }

    /// Creates a token with all rights, if no token was ever created and every store is empty. Writes it to a file that only the owner
    /// of the data directory can read. Reports such a file from an earlier start. Creates none while a store is not served, because that
    /// store may not be empty.
    ///
    /// - Returns: the path of the file; nil if no token was created.
    public func makeFirstToken() throws -> String? {
        // Not on standard output, which is often stored in a journal that several people read.
        let path = data.ownFolder + "/first-token"
        guard try tokens.list().isEmpty, data.unserved.isEmpty, try data.open.allSatisfy({ try $0.store.head.revision == .genesis })
        else {
            if fileExists(path) {
                settings.note(
                    .warning,
                    "`\(path)` still contains a token with all rights. Store the token elsewhere and remove the file")
            }
            return nil
        }
        do {
            _ = try tokens.create(
                stores: .all, right: .administer, comment: "made at the first start", at: settings.clock(),
                keep: { try replaceFile(path, with: Array(($0 + "\n").utf8)) })
        } catch {
            try? removeFile(path)
            throw error
        }
        return path
    }
}
