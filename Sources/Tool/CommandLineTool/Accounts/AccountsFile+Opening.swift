import Events
import Files
import Foundation
import Identity
import Mail
import Muniment
import NetworkClient
import OpenIDConnect
import Service

/// Opens the mailer, secrets and providers of an accounts file.
extension AccountsFile {
    /// - Throws: ``SettingsError`` for invalid settings, or a file error.
    func openMailer() throws -> any Mailer {
        let clock = systemClock
        switch mail {
        case .outbox(let folder):
            guard let sender = MailSender("Muniment <no-reply@localhost>") else {
                preconditionFailure("the built-in mail sender is invalid")
            }
            do throws(MailError) { return try FolderMailer(folder: folder, sender: sender, clock: clock) } catch {
                throw SettingsError("`mail.outbox`: \(error)")
            }
        case .smtp(let smtp):
            guard let server = SMTPAddress(smtp.address) else {
                throw SettingsError(
                    "`mail.smtp.address` `\(smtp.address)` is not the address of a mail server; write `smtps://HOST:465`, or "
                        + "`smtp://HOST:587`")
            }
            var login: SMTPLogin?
            if let user = smtp.user, let file = smtp.passwordFile {
                login = SMTPLogin(user: user, password: try AccountsFile.secret(in: file))
            }
            return SMTPMailer(server: server, sender: smtp.sender, login: login, clock: clock)
        }
    }

    /// Returns the secret in a file: its first line.
    ///
    /// - Throws: ``SettingsError`` if other users can open the file, or it is empty; a file error.
    static func secret(in path: String) throws -> String {
        do { try requirePrivateFile(path) } catch let exposed as ExposedFileError { throw SettingsError("\(exposed)") }
        let text = String(decoding: try readFile(path), as: UTF8.self)
        guard let line = text.split(whereSeparator: \.isNewline).first else {
            throw SettingsError("`\(path)` is empty; write the secret on its first line")
        }
        return String(line)
    }

    /// - Throws: ``SettingsError`` for a provider that cannot be used for sign-in, or a file error.
    func openProviders() throws -> [any IdentityProvider] {
        try providers.map { provider in
            let secret = try provider.clientSecretFile.map(AccountsFile.secret)
            do throws(OpenIDSettingsError) {
                return OpenIDProvider(
                    try OpenIDSettings(
                        id: provider.id, issuer: provider.issuer, clientID: provider.clientID, clientSecret: secret,
                        redirectURIs: provider.redirectURIs, trustsEmail: provider.trustsEmail, priority: provider.priority,
                        allowsPrivateEndpoints: provider.allowsPrivateEndpoints))
            } catch { throw SettingsError("the provider `\(provider.id)`: \(error)") }
        }
    }
}

extension Option {
    static let accounts = Option(
        "accounts", value: "FILE", "allow accounts and sign-in, with the settings in this file (default: no accounts)")
}

extension Invocation {
    /// The account options of the service; nil for a service without accounts.
    func accountsOptions() throws -> AccountServiceSettings? {
        try readingAccounts { file in
            AccountServiceSettings(
                stores: file.stores, providers: try file.openProviders(), mailer: try file.openMailer(), settings: file.settings
            )
        }
    }

    /// Checks the settings of accounts and the files that they name. Changes nothing.
    ///
    /// - Returns: the stores with accounts.
    func checkAccounts() throws -> [StoreName] {
        try readingAccounts { file in
            _ = try file.openProviders()
            // Opening an outbox creates its folder.
            if case .smtp = file.mail { _ = try file.openMailer() }
            return file.stores
        } ?? []
    }

    private func readingAccounts<R>(_ body: (AccountsFile) throws -> R) throws -> R? {
        guard let path = options[.accounts] else { return nil }
        do { return try body(try AccountsFile(at: path)) } catch let problem as SettingsError {
            throw UsageError("`\(path)`: \(problem)")
        } catch let problem as FileError {
            throw UsageError("--\(Option.accounts.name): \(problem)")
        }
    }
}

extension AccountsFile {
    /// Reads a settings file. Paths in it are relative to its folder.
    init(at path: String) throws {
        do { try requireUnchangeableFile(path) } catch let problem as ChangeableFileError { throw SettingsError("\(problem)") }
        let folder = URL(filePath: path).deletingLastPathComponent().path(percentEncoded: false)
        try self.init(try readFile(path), relativeTo: folder.hasSuffix("/") ? String(folder.dropLast()) : folder)
    }
}
