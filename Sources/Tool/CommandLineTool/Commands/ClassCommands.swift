import Events
import Muniment
import Permissions

/// The options of a class.
extension Option {
    fileprivate static let acl = Option("acl", value: "none|required", "whether its objects have their own entries")
    fileprivate static let inherits = Option(
        "inherits", value: "all|none|PRIVILEGE,…", "the privileges that objects inherit from their parents")
    fileprivate static let widening = Option("widening", "the class level or the object gives access (default: both must)")
    fileprivate static let creator = Option(
        "creator-privileges", value: "PRIVILEGE,…", "the privileges of an object's creator on it; the default is none")
    fileprivate static let creatorPermanent = Option("creator-permanent", "the creator's privileges cannot be revoked")
    fileprivate static let readThroughLinks = Option("read-through-links", "an object is readable if a readable object links to it")
    fileprivate static let privileges = Option("privileges", value: "PRIVILEGE,…", "the custom privileges of the class")
    fileprivate static let addedPrivileges = Option("add-privileges", value: "PRIVILEGE,…", "custom privileges to add")
    fileprivate static let removedPrivileges = Option(
        "remove-privileges", value: "PRIVILEGE,…", "custom privileges to remove: grants of them have no effect from then on")
    fileprivate static let properties = Option("properties", value: "PROPERTY,…", "the properties for queries")
    fileprivate static let aliases = Option(
        "aliases", value: "ACTION=PRIVILEGE[+PRIVILEGE],…", "its action names for AuthZEN")

    fileprivate static let classOptions: [Option] = [
        .acl, .inherits, .widening, .creator, .creatorPermanent, .readThroughLinks, .properties, .aliases,
    ]
}

extension Command {
    static let classDefine = Command.change(
        "class define", "define a class of objects", sentence: "CLASS", options: Option.classOptions + [.privileges],
        example: Example(
            "class define doc --inherits all --creator-privileges read,query,update --privileges approve --properties title",
            "revision 2")
    ) { try .defineClass($0.className(), ClassSettings($0.options)) }

    static let classChange = Command.change(
        "class change", "change some options of a class; =no clears a flag", sentence: "CLASS",
        options: Option.classOptions + [.addedPrivileges, .removedPrivileges],
        example: Example("class change doc --creator-privileges read,update --read-through-links=no", "revision 21")
    ) { call in
        let name = try call.className()
        var settings = try ClassSettings(call.options)
        settings.privileges = try call.changedPrivileges(ofClass: name)
        return .changeClass(name, settings)
    }
}

extension Invocation {
    /// Returns the custom privileges of a class after the additions and removals of this call; nil without them. Tells which are lost.
    fileprivate func changedPrivileges(ofClass name: String) throws -> [String]? {
        let added = options[.addedPrivileges].map(Values.list)
        let removed = options[.removedPrivileges].map(Values.list) ?? []
        guard added != nil || !removed.isEmpty else { return nil }
        // An unknown class is refused by the change.
        let present = try withStore(.reading) { try $0.read { try $0.customPrivileges(ofClass: name) } } ?? removed
        if let absent = removed.first(where: { !present.contains($0) }) {
            let all = present.isEmpty ? "no custom privileges" : present.joined(separator: ", ")
            throw UsageError("--remove-privileges: the class `\(name)` does not have `\(absent)`; it has \(all)")
        }
        if !removed.isEmpty {
            let (lost, them) = (removed.joined(separator: ", "), removed.count == 1 ? "it" : "them")
            note("`\(name)` loses \(lost): grants of \(them) have no effect until the class has \(them) again")
        }
        return present.filter { !removed.contains($0) } + (added ?? []).filter { !present.contains($0) }
    }
}

extension ClassSettings {
    /// Reads the class options in a call. Missing options remain unchanged.
    fileprivate init(_ options: ParsedArguments) throws {
        self.init(
            objectACL: try options[.acl].map(ClassSettings.objectACL),
            composition: options.flag(.widening).map { $0 ? .widening : .narrowing },
            inherits: options[.inherits].map(ClassSettings.inheritance),
            creatorPrivileges: options[.creator].map(Values.list),
            creatorPermanent: options.flag(.creatorPermanent),
            readThroughLinks: options.flag(.readThroughLinks),
            privileges: options[.privileges].map(Values.list),
            properties: options[.properties].map(Values.list), aliases: try options[.aliases].map(ClassSettings.aliases))
    }

    /// Parses `can_read=read,can_edit=read+update`.
    private static func aliases(_ text: String) throws -> [Alias] {
        try Values.list(text).map { item in
            guard let equals = item.lastIndex(of: "=") else {
                throw UsageError(
                    "`--aliases` takes names and privileges like can_read=read,can_edit=read+update, not `\(item)`")
            }
            let privileges = item[item.index(after: equals)...].split(separator: "+", omittingEmptySubsequences: false)
            return Alias(String(item[..<equals]), for: privileges.map(String.init))
        }
    }

    private static func objectACL(_ text: String) throws -> ObjectACL {
        switch text {
        case "none": ObjectACL.none
        case "required": ObjectACL.required
        default: throw UsageError("`--acl` takes none or required, not `\(text)`")
        }
    }

    private static func inheritance(_ text: String) -> Inheritance {
        switch text {
        case "all": .everything
        case "none": .nothing
        default: .only(Values.list(text))
        }
    }
}
