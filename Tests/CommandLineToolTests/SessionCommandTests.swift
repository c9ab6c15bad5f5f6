import Foundation
import TestSupport
import Testing

@Suite("Command line: browser sessions")
struct SessionCommandTests {
    @Test("The tool lists the browser sessions of a running service, and ends one at once")
    func listAndRevoke() throws {
        try BuiltTool.inFreshFolder { tool in
            try tool.make("init --store default")
            let withoutService = try tool.run("session list --data .")
            #expect(withoutService.code == 2 && withoutService.errors.contains("no service runs on"))
            let token = try tool.make("token create --data . --store default --can act --as user:ann").lines[0]
            let service = try ServingTool(tool)
            let (address, cookies) = (service.address, tool.folder.path + "/cookies")
            let made = try tool.shell(
                "curl -sS -X POST -c \(cookies) -H 'Authorization: Bearer \(token)' \(address)/v1/browser-sessions")
            let key = try #require(made.output.firstMatch(of: /"key":"([^"]+)"/)?.1)
            let stores = "curl -sS -o /dev/null -w '%{http_code}' -b \(cookies) -H 'Muniment-Session: \(key)' \(address)/v1/stores"
            #expect(try tool.shell(stores).output == "200")
            let listed = try tool.make("session list --data .").lines
            #expect(listed.count == 1 && listed[0].hasPrefix("1  token t1  user:ann  127.0.0.1  made "), "\(listed)")
            let table = try tool.make("session list --data . --format csv").output
            #expect(table.contains("\r\n1,token t1,user:ann,127.0.0.1,"), "\(table)")
            #expect(try tool.run("session revoke 7 --data .").code == 1)
            #expect(try tool.run("session revoke x --data .").code == 2)
            #expect(try tool.make("session revoke 1 --data .").output == "revoked 1\n")
            #expect(try tool.shell(stores).output == "401")
            #expect(try tool.make("session list --data .").lines.filter { !$0.isEmpty } == [])
            #expect(try service.stop().code == 0)
        }
    }
}
