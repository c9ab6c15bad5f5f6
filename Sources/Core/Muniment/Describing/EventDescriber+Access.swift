internal import Events

/// Events about entries and permissions.
extension EventDescriber {
    func describe(_ event: AccessGranted) throws -> EventDescription {
        let (subject, object) = (try name(event.subject), try name(event.object))
        var sentence = "\(subject) was granted \(words(event.privileges)) on \(object)"
        var members: JSONObject = [
            "subject": .string(subject), "object": .string(object), "privileges": list(event.privileges),
        ]
        if event.until != .forever {
            sentence += " until \(event.until)"
            members["until"] = .time(event.until)
        }
        let cause: String
        switch event.cause {
        case .granted: cause = "granted"
        case .preset:
            cause = "preset"
            sentence += ", as in every open store"
        case .creator:
            cause = "creator"
            sentence += ", as its owner"
        case .permanentCreator:
            cause = "permanentCreator"
            sentence += ", as its owner, permanently"
        }
        members["cause"] = .string(cause)
        return EventDescription("AccessGranted", sentence, members)
    }

    func describe(_ event: AccessRevoked) throws -> EventDescription {
        try loss("AccessRevoked", of: event.privileges, event.subject, event.object) { "\($0) lost \($1) on \($2)" }
    }

    func describe(_ event: AccessExpired) throws -> EventDescription {
        try loss("AccessExpired", of: event.privileges, event.subject, event.object) {
            "the access of \($0) for \($1) on \($2) expired"
        }
    }

    private func loss(
        _ kind: String, of privileges: Privileges, _ subject: PrincipalID, _ object: ObjectID,
        sentence: (_ subject: String, _ privileges: String, _ object: String) -> String
    ) throws -> EventDescription {
        let (subject, object) = (try name(subject), try name(object))
        return EventDescription(
            kind, sentence(subject, words(privileges), object),
            ["subject": .string(subject), "object": .string(object), "privileges": list(privileges)])
    }

    func describe(
        _ kind: String, _ verb: String, _ permission: Introduction<PermissionID>, _ subject: PrincipalID, _ privileges: Privileges
    ) throws -> EventDescription {
        let (permission, subject) = (try name(permission), try name(subject))
        return EventDescription(
            kind, "\(permission) \(verb): \(words(privileges)) for \(subject)",
            ["permission": .string(permission), "subject": .string(subject), "privileges": list(privileges)])
    }

    func attachment(
        _ kind: String, _ permission: PermissionID, _ verb: String, _ object: ObjectID
    ) throws -> EventDescription {
        let (permission, object) = (try name(permission), try name(object))
        return EventDescription(
            kind, "\(permission) \(verb) \(object)", ["permission": .string(permission), "object": .string(object)])
    }
}
