import Foundation
import Testing

/// A service with accounts in the folder of a tool, and users who sign up there.
final class AccountsSite {
    let tool: BuiltTool
    private let service: ServingTool

    /// Starts the service on a data directory, with mails in `outbox`.
    init(_ tool: BuiltTool, data: String = "site") throws {
        self.tool = tool
        try tool.write(#"{"mail":{"outbox":"outbox"}}"#, to: "accounts.json")
        service = try ServingTool(tool, call: "serve --data \(data) --listen 127.0.0.1:0 --accounts accounts.json", lineCount: 1)
    }

    /// Signs a user up with the code from the mail, and returns the principal.
    @discardableResult
    func signUp(_ email: String, name: String) throws -> String {
        let result = try tool.shell(signingUp(email, name: name))
        return try #require(result.lines.first, "nobody signed up: \(result.errors)")
    }

    /// The shell script that signs a user up and prints the principal.
    func signingUp(_ email: String, name: String) -> String {
        """
        \(functions)
        attempt=$(post sign-up '{"provider":"password","evidence":{"email":"\(email)","password":"a long password"},\
        "displayName":"\(name)"}' | field attempt)
        mail() { grep -l "To: \(email)" outbox/*.eml 2>/dev/null | tail -n 1; }
        tries=0
        until test -n "$(mail)"; do
            test -n "$attempt" && test $((tries += 1)) -le 24000 || { echo "no mail to \(email) came" >&2; exit 1; }
            sleep 0.05
        done
        code=$(sed -n 's/^The code is:  //p' "$(mail)" | tr -d '\\r')
        post sign-up/confirm "{\\"attempt\\":\\"$attempt\\",\\"code\\":\\"$code\\"}" | field principal

        """
    }

    /// Signs a user in, and returns the principal.
    func signIn(_ email: String) throws -> String {
        let result = try tool.shell(
            """
            \(functions)
            post sign-in '{"provider":"password","evidence":{"email":"\(email)","password":"a long password"}}' | field principal
            """)
        return try #require(result.lines.first, "nobody signed in: \(result.errors)")
    }

    private var functions: String {
        """
        post() { curl -sS --max-time 1200 --json "$2" \(service.address)/v1/accounts/$1; }
        field() { sed -n "s/.*\\"$1\\":\\"\\([^\\"]*\\)\\".*/\\1/p"; }
        """
    }

    func stop() throws { #expect(try service.stop().code == 0) }
}
