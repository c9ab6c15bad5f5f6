import Credentials
import Foundation
import Muniment
import Permissions
import ServiceSupport
import TestSupport
import Testing

@Suite("AuthZEN: a client in Python")
struct AuthZENClientTests {
    @Test("A client in standard-library Python finds the decision point by its metadata and gets the documented responses")
    func promises() async throws {
        try await withService { fixture in
            try Store.create(at: fixture.directory + "/flat").close()
            try await Household.settleIn(fixture, store: "flat")
            let base = "http://127.0.0.1:\(try fixture.listen())/stores/flat"
            let token = try fixture.token(.ask, .named(["flat"]))
            #expect(try await python("Tests/Clients/authzen.py", [base, token]) == "8 looked at\n")
        }
    }

    /// Returns the output of a script, errors included.
    private func python(_ script: String, _ arguments: [String]) async throws -> String {
        try await ChildProcess(["/usr/bin/python3", TestSettings.package + "/" + script] + arguments, errors: .withOutput).finish()
            .output
    }
}
