import Events
import Files
import Foundation
import Identity
import Mail
import Muniment
import NetworkClient
import OpenIDConnect

/// Opens the mailer, secrets and providers of an accounts file.
extension AccountsFile {
    /// - Throws: ``SettingsProblem`` for invalid settings, or a file error.
    func openMailer() throws -> any Mailer {
        let clock = systemClock
        switch mail {
        case .outbox(let folder):
            guard let sender = MailSender("Muniment <no-reply@localhost>") else {
                preconditionFailure("the built-in mail sender is invalid")
            }
            do throws(MailProblem) { return try Outbox(folder: folder, sender: sender, clock: clock) } catch {
                throw SettingsProblem("`mail.outbox`: \(error)")
            }
        case .smtp(let smtp):
            guard let server = SMTPAddress(smtp.address) else {
                throw SettingsProblem(
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
    static func secret(in path: String) throws -> String {
        let text = String(decoding: try readFile(path), as: UTF8.self)
        guard let line = text.split(whereSeparator: \.isNewline).first else {
            throw SettingsProblem("`\(path)` is empty; write the secret on its first line")
        }
        return String(line)
    }

    /// - Throws: ``SettingsProblem`` for a provider that cannot be used for sign-in, or a file error.
    func openProviders() throws -> [any IdentityProvider] {
        try providers.map { provider in
            let secret = try provider.clientSecretFile.map(AccountsFile.secret)
            do throws(OpenIDSettingsError) {
                return OpenIDProvider(
                    try OpenIDSettings(
                        id: provider.id, issuer: provider.issuer, clientID: provider.clientID, clientSecret: secret,
                        redirectURIs: provider.redirectURIs, trustsEmail: provider.trustsEmail, priority: provider.priority))
            } catch { throw SettingsProblem("the provider `\(provider.id)`: \(error)") }
        }
    }
}
