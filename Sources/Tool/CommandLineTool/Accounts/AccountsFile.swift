import Events
import Files
import Foundation
import Identity
import Mail
import Service

/// A file of settings for accounts (`serve --accounts FILE`): the stores with accounts, the mail settings, and the sign-in
/// providers in addition to passwords.
struct AccountsFile: Hashable {
    /// How mails are sent.
    enum Mail: Hashable {
        /// Writes mails to files in a folder, for development.
        case outbox(folder: String)
        case smtp(SMTP)
    }

    struct SMTP: Hashable {
        var address: String
        var sender: MailSender
        var user: String?
        var passwordFile: String?
    }

    /// An OpenID Connect provider.
    struct Provider: Hashable {
        var id: ProviderID
        var issuer: String
        var clientID: String
        var clientSecretFile: String?
        var redirectURIs: [String]
        var trustsEmail: Bool
        var priority: Int
    }

    var stores: [StoreName]
    var mail: Mail
    var providers: [Provider]
    var settings: AccountSettings

    static let limitBytes = 1 << 20

    /// - Parameters:
    ///   - bytes: the text of the file.
    ///   - folder: the base folder of relative paths in the file.
    init(_ bytes: [UInt8], relativeTo folder: String) throws(SettingsProblem) {
        let value: JSONValue
        do { value = try JSONText.decode(bytes, limit: AccountsFile.limitBytes) } catch {
            throw SettingsProblem("it is not JSON: \(error)")
        }
        var members = try SettingsMembers(value, at: "")
        stores = try AccountsFile.stores(&members)
        mail = try AccountsFile.mail(&members, folder)
        providers = []
        for var provider in try members.objects("providers") {
            let read = try Provider(&provider, folder)
            guard read.id != .password, !providers.contains(where: { $0.id == read.id }) else {
                throw provider.wrong("id", "`\(read.id)` is taken", "choose another name")
            }
            for other in providers {
                guard let address = read.redirectURIs.first(where: other.redirectURIs.contains) else { continue }
                throw provider.wrong(
                    "redirectURIs", "has `\(address)`, which the provider `\(other.id)` uses already",
                    "write a different address: the service uses it to find the provider that sent a code")
            }
            providers.append(read)
        }
        settings = try AccountsFile.settings(&members)
        try members.finish()
    }

    private static func stores(_ members: inout SettingsMembers) throws(SettingsProblem) -> [StoreName] {
        var stores: [StoreName] = []
        for text in try members.optionalTexts("stores") ?? [StoreName.default.text] {
            guard let name = StoreName(text) else {
                throw members.wrong(
                    "stores", "has `\(text)`, which is not a store name",
                    "write the name of its folder in the data directory")
            }
            stores.append(name)
        }
        return stores
    }

    private static func mail(_ members: inout SettingsMembers, _ folder: String) throws(SettingsProblem) -> Mail {
        let remedy = "write {\"outbox\": \"FOLDER\"}, or {\"smtp\": {\"address\": \"smtps://…\", \"from\": \"…\"}}"
        guard var mail = try members.object("mail") else {
            throw members.wrong("mail", "is missing, so users could not confirm an email", remedy)
        }
        let (outbox, smtp) = (try mail.optionalText("outbox"), try mail.object("smtp"))
        try mail.finish()
        switch (outbox, smtp) {
        case (let outbox?, nil): return .outbox(folder: absolute(outbox, folder))
        case (nil, var smtp?): return .smtp(try SMTP(&smtp, folder))
        default: throw members.wrong("mail", "must have exactly one member", remedy)
        }
    }

    private static func settings(_ members: inout SettingsMembers) throws(SettingsProblem) -> AccountSettings {
        var settings = AccountSettings()
        if let name = try members.optionalText("serviceName") {
            guard !name.isEmpty, name.utf8.count <= 256,
                !name.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
            else { throw members.wrong("serviceName", "is not a valid service name", "write up to 256 bytes without line ends") }
            settings.serviceName = name
        }
        let rows: [(String, WritableKeyPath<AccountSettings, Int64>, ClosedRange<Int64>)] = [
            ("accessSeconds", \.accessSeconds, 10...86_400),
            ("idleSeconds", \.idleSeconds, 60...31_536_000),
            ("sessionSeconds", \.sessionSeconds, 60...315_360_000),
            ("recentSignInSeconds", \.recentSignInSeconds, 1...86_400),
            ("codeSeconds", \.codeSeconds, 60...86_400),
        ]
        for (name, path, range) in rows {
            if let seconds = try members.optionalNumber(name, range) { settings[keyPath: path] = seconds }
        }
        guard settings.accessSeconds <= settings.idleSeconds, settings.idleSeconds <= settings.sessionSeconds else {
            throw members.wrong(
                "sessionSeconds", "must be at least `idleSeconds`, and `idleSeconds` must be at least `accessSeconds`",
                "an access token expires first, then an unused session, then any session")
        }
        return settings
    }

    /// Returns a path relative to the folder of the file as an absolute path.
    fileprivate static func absolute(_ path: String, _ folder: String) -> String {
        path.hasPrefix("/") ? path : folder + "/" + path
    }
}

extension AccountsFile.SMTP {
    fileprivate init(_ members: inout SettingsMembers, _ folder: String) throws(SettingsProblem) {
        address = try members.text("address")
        let from = try members.text("from")
        guard let sender = MailSender(from) else {
            throw members.wrong("from", "`\(from)` is not a mail sender", "write one like `Example <no-reply@example.com>`")
        }
        self.sender = sender
        user = try members.optionalText("user")
        passwordFile = try members.optionalText("passwordFile").map { AccountsFile.absolute($0, folder) }
        if (user == nil) != (passwordFile == nil) {
            throw members.wrong("user", "requires `passwordFile`, and `passwordFile` requires it", "give both, or neither")
        }
        try members.finish()
    }
}

extension AccountsFile.Provider {
    fileprivate init(_ members: inout SettingsMembers, _ folder: String) throws(SettingsProblem) {
        let text = try members.text("id")
        guard let id = ProviderID(text) else {
            throw members.wrong(
                "id", "`\(text)` is not a provider name", "write up to 32 lowercase letters, digits and `-`, with a letter first")
        }
        self.id = id
        let kind = try members.text("kind")
        guard kind == "openid" else { throw members.wrong("kind", "`\(kind)` is unknown", "write `openid`") }
        issuer = try members.text("issuer")
        clientID = try members.text("clientID")
        clientSecretFile = try members.optionalText("clientSecretFile").map { AccountsFile.absolute($0, folder) }
        guard let redirectURIs = try members.optionalTexts("redirectURIs") else {
            throw members.wrong("redirectURIs", "is missing", "list the addresses that the provider may redirect users to")
        }
        self.redirectURIs = redirectURIs
        trustsEmail = try members.flag("trustsEmail", default: false)
        priority = Int(try members.optionalNumber("priority", 0...1_000) ?? 10)
        try members.finish()
    }
}
