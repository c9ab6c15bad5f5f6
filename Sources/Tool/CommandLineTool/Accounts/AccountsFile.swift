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
        var allowsPrivateEndpoints = false
    }

    var stores: [StoreName]
    var mail: Mail
    var providers: [Provider]
    var settings: AccountSettings

    static let limitBytes = 1 << 20

    /// - Parameters:
    ///   - bytes: the text of the file.
    ///   - folder: the base folder of relative paths in the file.
    init(_ bytes: [UInt8], relativeTo folder: String) throws(SettingsError) {
        let value: JSONValue
        do { value = try JSONText.decode(bytes, limit: AccountsFile.limitBytes) } catch {
            throw SettingsError("it is not JSON: \(error)")
        }
        var members = try Settings(value)
        stores = try AccountsFile.stores(&members)
        let mailRemedy = "write {\"outbox\": \"FOLDER\"}, or {\"smtp\": {\"address\": \"smtps://…\", \"from\": \"…\"}}"
        let mail = try members.optional("mail") { value throws(MemberProblem) in try Mail(value, folder, remedy: mailRemedy) }
        guard let mail else { throw members.wrong("mail", "is missing, so users could not confirm an email", mailRemedy) }
        self.mail = mail
        providers = []
        let listed = try members.optional("providers") { value throws(MemberProblem) in
            try value.readList("a list") { value throws(MemberProblem) in try Provider(value, folder) }
        }
        for (index, read) in (listed ?? []).enumerated() {
            let place = "providers[\(index)]"
            guard read.id != .password, !providers.contains(where: { $0.id == read.id }) else {
                throw members.wrong(place + ".id", "`\(read.id)` is taken", "choose another name")
            }
            for other in providers {
                guard let address = read.redirectURIs.first(where: other.redirectURIs.contains) else { continue }
                throw members.wrong(
                    place + ".redirectURIs", "has `\(address)`, which the provider `\(other.id)` uses already",
                    "write a different address: the service uses it to find the provider that sent a code")
            }
            providers.append(read)
        }
        settings = try AccountsFile.settings(&members)
        try members.finish()
    }

    private static func stores(_ members: inout Settings) throws(SettingsError) -> [StoreName] {
        var stores: [StoreName] = []
        for text in try members.optionalFilledTexts("stores") ?? [StoreName.default.text] {
            guard let name = StoreName(text) else {
                throw members.wrong(
                    "stores", "has `\(text)`, which is not a store name",
                    "write the name of its folder in the data directory")
            }
            stores.append(name)
        }
        return stores
    }

    private static func settings(_ members: inout Settings) throws(SettingsError) -> AccountSettings {
        var settings = AccountSettings()
        if let name = try members.optionalFilledText("serviceName") {
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

/// Reads the members of an object in a settings file.
private typealias Settings = ObjectReader<SettingsError>
private typealias InnerSettings = ObjectReader<MemberProblem>

/// A problem in a settings file and its remedy, without the file name.
struct SettingsError: MemberFailure, Hashable, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }

    init(_ problem: MemberProblem) {
        description = problem.path == nil ? "the file \(problem.problem); \(problem.remedy)" : problem.description
    }
}

extension ObjectReader {
    fileprivate mutating func filledText(_ name: String) throws(Failure) -> String {
        try required(name, try optionalFilledText(name))
    }

    fileprivate mutating func optionalFilledText(_ name: String) throws(Failure) -> String? {
        let text = try optionalText(name)
        if text == "" { throw wrong(name, "is empty", "write a string in quotes, or omit it") }
        return text
    }

    fileprivate mutating func optionalFilledTexts(_ name: String) throws(Failure) -> [String]? {
        guard let texts = try optionalTexts(name) else { return nil }
        guard !texts.isEmpty, !texts.contains("") else { throw wrong(name, "is empty", "write a list like [\"…\"]") }
        for (index, text) in texts.enumerated() where texts[..<index].contains(text) {
            throw wrong(name, "has `\(text)` twice", "write it once")
        }
        return texts
    }
}

extension AccountsFile.Mail {
    fileprivate init(_ value: JSONValue, _ folder: String, remedy: String) throws(MemberProblem) {
        var mail = try InnerSettings(value)
        let outbox = try mail.optionalFilledText("outbox")
        let smtp = try mail.optional("smtp") { value throws(MemberProblem) in try AccountsFile.SMTP(value, folder) }
        try mail.finish()
        switch (outbox, smtp) {
        case (let outbox?, nil): self = .outbox(folder: AccountsFile.absolute(outbox, folder))
        case (nil, let smtp?): self = .smtp(smtp)
        default: throw MemberProblem(problem: "must have exactly one member", remedy: remedy)
        }
    }
}

extension AccountsFile.SMTP {
    fileprivate init(_ value: JSONValue, _ folder: String) throws(MemberProblem) {
        var members = try InnerSettings(value)
        address = try members.filledText("address")
        let from = try members.filledText("from")
        guard let sender = MailSender(from) else {
            throw members.wrong("from", "`\(from)` is not a mail sender", "write one like `Example <no-reply@example.com>`")
        }
        self.sender = sender
        user = try members.optionalFilledText("user")
        passwordFile = try members.optionalFilledText("passwordFile").map { AccountsFile.absolute($0, folder) }
        if (user == nil) != (passwordFile == nil) {
            throw members.wrong("user", "requires `passwordFile`, and `passwordFile` requires it", "give both, or neither")
        }
        try members.finish()
    }
}

extension AccountsFile.Provider {
    fileprivate init(_ value: JSONValue, _ folder: String) throws(MemberProblem) {
        var members = try InnerSettings(value)
        let text = try members.filledText("id")
        guard let id = ProviderID(text) else {
            throw members.wrong(
                "id", "`\(text)` is not a provider name", "write up to 32 lowercase letters, digits and `-`, with a letter first")
        }
        self.id = id
        let kind = try members.filledText("kind")
        guard kind == "openid" else { throw members.wrong("kind", "`\(kind)` is unknown", "write `openid`") }
        issuer = try members.filledText("issuer")
        clientID = try members.filledText("clientID")
        clientSecretFile = try members.optionalFilledText("clientSecretFile").map { AccountsFile.absolute($0, folder) }
        guard let redirectURIs = try members.optionalFilledTexts("redirectURIs") else {
            throw members.wrong("redirectURIs", "is missing", "list the addresses that the provider may redirect users to")
        }
        self.redirectURIs = redirectURIs
        trustsEmail = try members.flag("trustsEmail")
        priority = Int(try members.optionalNumber("priority", 0...1_000) ?? 10)
        allowsPrivateEndpoints = try members.flag("allowPrivateEndpoints")
        try members.finish()
    }
}
