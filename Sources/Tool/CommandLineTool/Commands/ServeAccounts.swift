import Events
import Files
import Foundation
import Identity
import Service

extension Option {
    static let accounts = Option(
        "accounts", value: "FILE", "allow accounts and sign-in, with the settings in this file (default: no accounts)")
}

extension Call {
    /// The account options of the service; nil for a service without accounts.
    var accountsOptions: AccountsOptions? {
        get throws {
            guard let path = options[.accounts] else { return nil }
            do {
                let file = try AccountsFile(at: path)
                return AccountsOptions(
                    stores: file.stores, providers: try file.openProviders(), mailer: try file.openMailer(), settings: file.settings
                )
            } catch let problem as SettingsProblem {
                throw UsageError("`\(path)`: \(problem)")
            } catch let problem as FileError {
                throw UsageError("`\(path)`: \(problem)")
            }
        }
    }
}

extension AccountsFile {
    /// Reads a settings file. Paths in it are relative to its folder.
    init(at path: String) throws {
        let folder = URL(filePath: path).deletingLastPathComponent().path(percentEncoded: false)
        try self.init(try readFile(path), relativeTo: folder.hasSuffix("/") ? String(folder.dropLast()) : folder)
    }
}
