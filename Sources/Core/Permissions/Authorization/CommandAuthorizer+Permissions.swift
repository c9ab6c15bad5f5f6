internal import Events

extension CommandAuthorizer {
    mutating func definePermission(_ name: Name, subject subjectName: Name, _ names: [String]) throws -> [Event] {
        try checkForm(name, is: .permission, "a permission")
        try checkForm(subjectName)
        if try existing(name) != nil { throw Refusal(.alreadyExists, "there is a permission `\(name.excerpt)` already") }
        let privileges = try privileges(names)
        try need(.create, onClass: .permission, "permission")
        let subject = try subject(subjectName)
        let introduction: Introduction<PermissionID> = try introduction(of: name)
        let object = ObjectID(introduction.id)
        created.insert(object)
        let event = PermissionDefined(permission: introduction, subject: subject, privileges: privileges)
        return [.permissionDefined(event)] + (try creatorEvents(for: object, classID: .permission, owner: caller))
    }

    func changePermission(_ name: Name, subject subjectName: Name, _ names: [String]) throws -> [Event] {
        try checkForm(name, is: .permission, "a permission")
        try checkForm(subjectName)
        let permission = try permission(name)
        let privileges = try privileges(names)
        try need(.update, on: ObjectID(permission), name)
        let objects = try state.objects(attachedTo: permission)
        for object in objects { try need(.setPermissions, on: object, name) }
        let subject = try subject(subjectName)
        for object in objects { try needAtLeast(privileges, on: object, name) }
        guard try state.permission(permission) != PermissionGrant(subject: subject, privileges: privileges) else { return [] }
        return [.permissionChanged(PermissionChanged(permission: permission, subject: subject, privileges: privileges))]
    }

    func attachPermission(_ name: Name, to objectName: Name) throws -> [Event] {
        let (permission, object) = try attachment(name, objectName)
        let attached = try state.permissions(attachedTo: object)
        let privileges = try state.permission(permission)?.privileges ?? []
        try needAtLeast(privileges, on: object, objectName)
        guard !attached.contains(permission) else { return [] }
        guard attached.count < Limits.permissionsPerObject else {
            throw Refusal(.tooLarge, "`\(objectName.excerpt)` has \(Limits.permissionsPerObject) permissions attached already")
        }
        return [.permissionAttached(PermissionAttachment(permission: permission, object: object))]
    }

    func detachPermission(_ name: Name, from objectName: Name) throws -> [Event] {
        let (permission, object) = try attachment(name, objectName)
        guard try state.permissions(attachedTo: object).contains(permission) else { return [] }
        return [.permissionDetached(PermissionAttachment(permission: permission, object: object))]
    }

    private func attachment(_ name: Name, _ objectName: Name) throws -> (PermissionID, ObjectID) {
        try checkForm(name, is: .permission, "a permission")
        try checkForm(objectName)
        let permission = try permission(name)
        let object = try object(objectName)
        try need(.setPermissions, on: object, objectName)
        return (permission, object)
    }
}
