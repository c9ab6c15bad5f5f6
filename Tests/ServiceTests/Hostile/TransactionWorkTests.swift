import Credentials
import Events
import Foundation
import Muniment
import Permissions
import ServiceSupport
import TestSupport
import Testing

@testable import Service

@Suite("Hostile: a tenant sends small transactions that need much work")
struct TransactionWorkTests {
    private static let transactions = "/v1/stores/default/transactions"

    private static func body(_ changes: [String], as caller: String? = nil) -> String {
        let caller = caller.map { "\"as\":\"\($0)\"," } ?? ""
        return "{\(caller)\"do\":[\(changes.joined(separator: ","))]}"
    }

    @Test("E2: changing a permission 2,000 times is refused as tooMuchWork while another user's commits and checks succeed")
    func changePermission() async throws {
        try await withService { settings in
            _ = try? Store.create(at: settings.dataDirectory + "/default", preset: .open).close()
        } _: { fixture in
            let curl = try fixture.live()
            let (root, eve, ben) = (
                try fixture.administrator(), try fixture.token(.act(as: "user:eve")), try fixture.token(.act(as: "user:ben"))
            )
            let world =
                [
                    #"{"op":"defineClass","class":"doc","objectACL":"none"}"#, #"{"op":"register","principal":"user:eve"}"#,
                    #"{"op":"definePermission","permission":"permission:p","subject":"user:eve","privileges":["read"]}"#,
                ]
                + (0..<1000).flatMap { number in
                    [
                        #"{"op":"createObject","object":"doc:\#(number)"}"#,
                        #"{"op":"attachPermission","permission":"permission:p","object":"doc:\#(number)"}"#,
                    ]
                }
            let made = try await curl.send("POST", Self.transactions, token: root, json: Self.body(world, as: "user:root"))
            #expect(made.status == 200, "\(made.text)")
            let attack = Self.body(
                (0..<2000).map { number in
                    #"{"op":"changePermission","permission":"permission:p","subject":"user:eve","#
                        + #""privileges":["\#(number % 2 == 0 ? "update" : "read")"]}"#
                })
            try await OrdinaryCallers(curl, writer: ben, asker: root).served(during: "2,000 changes of a wide permission") {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<2 {
                        group.addTask {
                            for _ in 0..<4 {
                                let answer = try await curl.send("POST", Self.transactions, token: eve, json: attack)
                                #expect(answer.status == 422, "\(answer.text)")
                                #expect(try answer.json["code"] == .string("tooMuchWork"))
                            }
                        }
                    }
                    try await group.waitForAll()
                }
            }
        }
    }
}
