import Events
import Muniment
import Permissions
import Wire

/// Options of these commands only.
extension Option {
    fileprivate static let parent = Option("parent", value: "OBJECT", "its parent object")
    fileprivate static let value = Option("value", value: "JSON", "its value")
    fileprivate static let owner = Option("owner", value: "PRINCIPAL", "its owner (default: the caller)")
    fileprivate static let merge = Option(
        "merge", value: "JSON", "a merge patch for its value: members replace, null removes (RFC 7396)")
    fileprivate static let unchangedSince = Option(
        "unchanged-since", value: "REVISION", "refuse if the object has a later change than this revision")
}

extension Command {
    static let objectCreate = Command.change(
        "object create", "create an object", sentence: "OBJECT", options: [.parent, .value, .owner],
        example: Example(#"object create doc:plan --parent folder:top --value '{"title":"Plan"}'"#, "revision 8")
    ) { call in
        .createObject(
            try call.name("the object"), parent: try call.name(.parent), value: try call.options.value(of: .value, Values.json),
            owner: try call.name(.owner))
    }

    static let objectWrite = Command.change(
        "object write", "change the value of an object", sentence: "OBJECT (--value JSON | --merge JSON)",
        options: [.value, .merge, .unchangedSince],
        example: Example(#"object write doc:plan --merge '{"pages":3}'"#, "revision 12")
    ) { call in
        let object = try call.name("the object")
        let content: Change.Content
        switch (try call.options.value(of: .value, Values.json), try call.options.value(of: .merge, Values.json)) {
        case (let value?, nil): content = .value(value)
        case (nil, let value?): content = .merge(value)
        case (nil, nil): throw UsageError("the value is missing; write `--value JSON` or `--merge JSON`")
        case (_?, _?): throw UsageError("`--value` and `--merge` exclude each other; write one of them")
        }
        return .writeObject(object, content, expectedRevision: try call.options.value(of: .unchangedSince, Values.revision))
    }

    static let objectMove = Command.change(
        "object move", "move an object into another object, or to the top", sentence: "OBJECT [to] (OBJECT | top)",
        example: Example("object move doc:plan to top", "revision 13")
    ) { call in
        let object = try call.name("the object")
        call.skip("to")
        let place = try call.word("the new parent, or `top`,")
        return .moveObject(object, parent: place == "top" ? nil : try Values.name(place))
    }

    static let objectDelete = Command.change(
        "object delete", "delete an object and everything in it", sentence: "OBJECT",
        example: Example("object delete doc:plan", "revision 24")
    ) { try .deleteObject($0.name("the object")) }

    static let objectOwner = Command.change(
        "object owner", "change the owner of an object", sentence: "OBJECT [to] PRINCIPAL",
        example: Example("object owner doc:plan to user:bob", "revision 14")
    ) { try .setOwner($0.name("the object"), owner: $0.name("the owner", after: "to")) }

    static let objectValue = Command(
        "object value", "print the value of an object, as JSON", sentence: "[of] OBJECT", options: [.reader] + Option.question,
        example: Example("object value doc:plan", #"{"pages":3,"title":"Plan"}"#)
    ) { call in
        let object = try call.name("the object", after: "of")
        try call.end()
        let caller = try call.caller
        let (value, when) = try call.ask { (try $0.value(of: object, as: caller), $0.members) }
        try call.output.json(call.isJSON ? .object(QueryMembers(object: object).answer(value: value, when)) : value)
        return .success
    }
}
