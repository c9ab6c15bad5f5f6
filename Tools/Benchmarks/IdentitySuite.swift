import Foundation
import Muniment
import TestSupport

/// Measures accounts: how sign-ins affect permission checks on the same service, and how the token of a session compares with other
/// tokens.
struct IdentitySuite {
    let folder: String
    let seconds: Int
    static let signInsPerSecond = 200.0

    struct Result {
        /// Evaluations without sign-ins, during wrong sign-ins from one address, and during wrong sign-ins from one address each.
        var alone: Wrk
        var besideOne: Wrk
        var besideMany: Wrk
        var answers: [Int: Int]
        /// Checks of a principal's own access.
        var byToken: Wrk
        var bySession: Wrk
    }

    func run() throws -> Result {
        // The service registers the account in the store.
        let data = try GeneratedStore.make(entries: 10_000, in: folder, clock: nil)
        let directory = folder + "/data"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try FileManager.default.moveItem(atPath: data.path, toPath: directory + "/default")
        let settings = folder + "/accounts.json"
        try Data(#"{"mail":{"outbox":"outbox"}}"#.utf8).write(to: URL(filePath: settings))
        let token = try ServiceSuite.token(directory, ["ask"])
        return try ServiceProcess.with(
            ServiceSuite.tool, ["serve", "--data", directory, "--accounts", settings, "--listen", "127.0.0.1:0"]
        ) { service in try measure(service, data, directory, token) }
    }

    private func measure(
        _ service: ServiceProcess, _ data: GeneratedStore, _ directory: String, _ token: String
    ) throws -> Result {
        // Must come before the wrong passwords, which are sent from the same address.
        let (principal, access) = try signUp(service)
        let bodies = (data.generator.questions(.direct, count: 5_000) + data.generator.questions(.nested, count: 5_000)).shuffled()
            .map(ServiceSuite.evaluation)
        func wrk(_ path: String, _ token: String, _ bodies: [String]) throws -> Wrk {
            try Wrk.run(
                service.address, path, token: token, bodies: bodies, connections: ServiceSuite.connections, seconds: seconds,
                folder: folder)
        }
        func evaluations() throws -> Wrk { try wrk("/access/v1/evaluation", token, bodies) }
        _ = try evaluations()
        let before = try evaluations()
        let one = WrongSignIns(port: service.port, perSecond: Self.signInsPerSecond, from: .one)
        let besideOne = try evaluations()
        _ = one.stop()
        let many = WrongSignIns(port: service.port, perSecond: Self.signInsPerSecond, from: .many)
        let besideMany = try evaluations()
        let answers = many.stop()
        let after = try evaluations()
        let own = try ServiceSuite.token(directory, ["act", "--as", principal])
        let questions = data.generator.questions(.direct, count: 5_000).map {
            #"{"subject":"\#(principal)","privilege":"read","object":"\#($0.object)"}"#
        }
        let path = "/v1/stores/default/check"
        _ = try wrk(path, own, questions)
        return Result(
            alone: before.requestsPerSecond > after.requestsPerSecond ? before : after, besideOne: besideOne,
            besideMany: besideMany,
            answers: answers, byToken: try wrk(path, own, questions), bySession: try wrk(path, access, questions))
    }

    /// Signs a user up, with the code from the mail.
    private func signUp(_ service: ServiceProcess) throws -> (principal: String, access: String) {
        let script = """
            post() { curl -sS --json "$2" \(service.address)/v1/accounts/$1; }
            field() { sed -n "s/.*\\"$1\\":\\"\\([^\\"]*\\)\\".*/\\1/p"; }
            attempt=$(post sign-up '{"provider":"password","evidence":{"email":"ann@example.com","password":"a long password"}}' \
            | field attempt)
            until mail=$(grep -l 'To: ann@' \(folder)/outbox/*.eml 2>/dev/null); do sleep 0.1; done
            code=$(sed -n 's/^The code is:  //p' $mail | tr -d '\\r')
            session=$(post sign-up/confirm "{\\"attempt\\":\\"$attempt\\",\\"code\\":\\"$code\\"}")
            echo "$session" | field principal
            echo "$session" | field accessToken
            echo "$session"
            """
        let lines = try ChildProcess(["bash", "-c", script], errors: .inherited).finish().output.split(separator: "\n")
        guard lines.count == 3 else {
            throw BenchmarkFailure("the service created no account. Its response was: \(lines.joined(separator: "\n"))")
        }
        return (String(lines[0]), String(lines[1]))
    }
}

func measureIdentity(_ arguments: Arguments) throws -> Table {
    let pace = Int(IdentitySuite.signInsPerSecond)
    var table = Table("Accounts: checks with \(pace) wrong sign-ins a second, \(ServiceSuite.connections) connections")
    note("accounts")
    let folder = arguments.folder + "/identity"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let result = try IdentitySuite(folder: folder, seconds: arguments.isQuick ? 5 : 30).run()
    let alone = Figure.perSecond(result.alone.requestsPerSecond)
    for (name, wrk) in [("one address", result.besideOne), ("as many addresses", result.besideMany)] {
        table.add(
            Row(
                "AuthZEN evaluation with sign-ins from \(name), vs. without", .perSecond(wrk.requestsPerSecond), raw: alone,
                goal: .ratioAtLeast(0.8)))
        table.add(Row("the same, p99", .nanoseconds(wrk.p99Nanoseconds), raw: .nanoseconds(result.alone.p99Nanoseconds)))
    }
    for (status, count) in result.answers.sorted(by: { $0.key < $1.key }) {
        note("sign-ins from many addresses answered \(status): \(count)")
    }
    table.add(
        Row(
            "check with a session, vs. a token", .perSecond(result.bySession.requestsPerSecond),
            raw: .perSecond(result.byToken.requestsPerSecond)))
    return table
}
