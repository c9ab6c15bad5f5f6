internal import Events
internal import HTTPServer
internal import Muniment

/// An argument of a route: its description in the API, and the function that reads it from a request.
struct Argument<Value: Sendable>: Sendable {
    /// The members of the body, or the parameters of the address, that the argument consists of.
    let parameters: [ParameterDescription]
    /// A rule about several members, for the schema of the body.
    var rule: JSONObject = [:]
    let read: @Sendable (inout Arguments, RequestContext) throws -> Value
}

extension Argument {
    /// Creates an argument of one parameter.
    ///
    /// - Parameter text: its meaning, for the description of an address.
    init(
        _ name: String, _ text: String = "", _ schema: JSONValue = Schema.text, isRequired: Bool = false,
        read: @escaping @Sendable (inout Arguments) throws -> Value
    ) {
        self.init(parameters: [.query(name, text, schema, isRequired: isRequired)]) { arguments, _ in try read(&arguments) }
    }

    /// Creates an argument from several others.
    init<each Part: Sendable>(_ parts: repeat Argument<each Part>, make: @escaping @Sendable (repeat each Part) -> Value) {
        let list = ArgumentList(repeat each parts)
        self.init(parameters: list.parameters, rule: list.rule) { arguments, call in
            let values = try list.values(&arguments, call)
            return make(repeat each values)
        }
    }
}

/// Arguments that are read together, in order.
///
/// Reading is inlined: otherwise the compiler does not specialize it, and each request takes a microsecond longer.
struct ArgumentList<each Value: Sendable>: Sendable {
    private let arguments: (repeat Argument<each Value>)
    private(set) var parameters: [ParameterDescription] = []
    private(set) var rule: JSONObject = [:]

    init(_ arguments: repeat Argument<each Value>) {
        self.arguments = (repeat each arguments)
        for argument in repeat each arguments {
            parameters += argument.parameters
            rule = rule.with(argument.rule)
        }
    }

    /// The schema of an object with these members.
    var schema: JSONValue {
        func members(isRequired: Bool) -> JSONObject {
            JSONObject(parameters.filter { $0.isRequired == isRequired }.map { ($0.name, $0.schema) })
        }
        return Schema.object(members(isRequired: true), optional: members(isRequired: false)).with(rule)
    }

    @inline(__always) func values(_ reader: inout Arguments, _ call: RequestContext) throws -> (repeat each Value) {
        (repeat try (each arguments).read(&reader, call))
    }

    /// Returns the values of all arguments.
    ///
    /// - Parameter arguments: the arguments of the request; an empty list does not look at them.
    /// - Throws: a `Problem` for an invalid argument, and for one that is not in the list.
    @inline(__always) func read(_ arguments: @autoclosure () throws -> Arguments, _ call: RequestContext) throws -> (
        repeat each Value
    ) {
        var reader = parameters.isEmpty ? Arguments([:]) : try arguments()
        let values = try values(&reader, call)
        try reader.finish()
        return values
    }
}

/// A handler of a route, and the arguments whose values it receives.
struct Operation: Sendable {
    let handler: Route.Handler
    let parameters: [ParameterDescription]
    /// The schema of a body with the arguments.
    let schema: JSONValue

    init<each Value>(_ arguments: ArgumentList<repeat each Value>, _ handler: Route.Handler) {
        (self.handler, parameters, schema) = (handler, arguments.parameters, arguments.schema)
    }

    @inline(__always) static func immediate<each Value: Sendable>(
        _ arguments: repeat Argument<each Value>,
        run: @escaping @Sendable (RequestContext, repeat each Value) throws -> HTTPResponse
    ) -> Operation {
        let list = ArgumentList(repeat each arguments)
        return Operation(list, .immediate(list.reading(run)))
    }

    static func queued<each Value: Sendable>(
        _ arguments: repeat Argument<each Value>,
        run: @escaping @Sendable (RequestContext, repeat each Value) throws -> HTTPResponse
    ) -> Operation {
        let list = ArgumentList(repeat each arguments)
        return Operation(list, .queued(list.reading(run)))
    }

    /// A change of a store: every one takes an idempotency key. An invalid key is refused before the request's preconditions are
    /// compared, so that a malformed request is never reported as outdated.
    static func asynchronous<each Value: Sendable>(
        _ arguments: repeat Argument<each Value>,
        run: @escaping @Sendable (RequestContext, repeat each Value) async throws -> HTTPResponse
    ) -> Operation {
        let list = ArgumentList(repeat each arguments)
        let handler = Route.Handler.asynchronous { call in
            _ = try call.idempotencyKey
            let values = try list.read(call.arguments(), call)
            return try await run(call, repeat each values)
        }
        return Operation(list, handler)
    }
}

extension ArgumentList {
    @inline(__always) fileprivate func reading(
        _ run: @escaping @Sendable (RequestContext, repeat each Value) throws -> HTTPResponse
    ) -> @Sendable (RequestContext) throws -> HTTPResponse {
        { call in
            let values = try read(call.arguments(), call)
            return try run(call, repeat each values)
        }
    }
}
