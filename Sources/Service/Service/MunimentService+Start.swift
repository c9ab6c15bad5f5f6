internal import Events
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
}
