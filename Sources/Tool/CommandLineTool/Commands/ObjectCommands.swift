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
    static let objectCreate = Command(
        "object create", "create an object", sentence: "OBJECT", options: [.parent, .value, .owner] + Option.change,
        example: Example(#"object create doc:plan --parent folder:top --value '{"title":"Plan"}'"#, "revision 8")
    ) { call in
        let object = try call.name("the object")
        try call.end()
        let value = try call.options[.value].map(Values.json)
        return try call.make(
            .createObject(object, parent: try call.name(.parent), value: value, owner: try call.name(.owner)))
    }

    static let objectWrite = Command(
        "object write", "change the value of an object", sentence: "OBJECT (--value JSON | --merge JSON)",
        options: [.value, .merge, .unchangedSince] + Option.change,
        example: Example(#"object write doc:plan --merge '{"pages":3}'"#, "revision 12")
    ) { call in
        let object = try call.name("the object")
        try call.end()
        let content: Change.Content
        switch (call.options[.value], call.options[.merge]) {
        case (let text?, nil): content = .value(try Values.json(text))
        case (nil, let text?): content = .merge(try Values.json(text))
        case (nil, nil): throw UsageError("the value is missing; write `--value JSON` or `--merge JSON`")
        case (_?, _?): throw UsageError("`--value` and `--merge` exclude each other; write one of them")
        }
        let expected = try call.options[.unchangedSince].map(Values.revision)
        return try call.make(.writeObject(object, content, expectedRevision: expected))
    }

    static let objectMove = Command(
        "object move", "move an object into another object, or to the top", sentence: "OBJECT [to] (OBJECT | top)",
        options: Option.change, example: Example("object move doc:plan to top", "revision 13")
    ) { call in
        let object = try call.name("the object")
        call.skip("to")
        let place = try call.word("the new parent, or `top`,")
        try call.end()
        return try call.make(.moveObject(object, parent: place == "top" ? nil : try Values.name(place)))
    }

    static let objectDelete = Command(
        "object delete", "delete an object and everything in it", sentence: "OBJECT", options: Option.change,
        example: Example("object delete doc:plan", "revision 24")
    ) { call in
        let object = try call.name("the object")
        try call.end()
        return try call.make(.deleteObject(object))
    }

    static let objectOwner = Command(
        "object owner", "change the owner of an object", sentence: "OBJECT [to] PRINCIPAL", options: Option.change,
        example: Example("object owner doc:plan to user:bob", "revision 14")
    ) { call in
        let object = try call.name("the object")
        call.skip("to")
        let owner = try call.name("the owner")
        try call.end()
        return try call.make(.setOwner(object, owner: owner))
    }

    static let objectValue = Command(
        "object value", "print the value of an object, as JSON", sentence: "[of] OBJECT", options: [.reader] + Option.question,
        example: Example("object value doc:plan", #"{"pages":3,"title":"Plan"}"#)
    ) { call in
        call.skip("of")
        let object = try call.name("the object")
        try call.end()
        let caller = try call.caller
        let (value, when) = try call.ask { (try $0.value(of: object, as: caller), $0.members) }
        try call.output.json(call.isJSON ? .object(Asked(object: object).answer(value: value, when)) : value)
        return .success
    }
}
