import Foundation
import Muniment
import Permissions
import Testing

@Suite("What-if and the tool")
struct WhatIfTests {
    @Test("E12: It prints each gained and lost access, and does not change any byte of the store's files")
    func differences() throws {
        try BuiltTool.inFreshFolder { tool in
            try tool.makeDemo()
            try tool.write(
                """
                {"format":"scenario/1","title":"Staff read what Ann reads"}
                {"as":"user:root","do":[{"op":"createRole","role":"staff"},{"op":"addMember","role":"staff","member":"user:bob"}]}
                # The role is there by now.
                [{"op":"grant","subject":"role:staff","object":"doc:plan","privileges":["read"]}]
                {"op":"revoke","subject":"user:ann","object":"doc:plan"}

                """, to: "draft.jsonl")
            let before = try tool.files()
            let result = try tool.make("what-if draft.jsonl")
            let everything = "create, delete, modifySchema, query, read, setOwner, setPermissions, update"
            #expect(
                result.lines == [
                    "everyone  role:staff  + \(everything)", "user:ann  doc:plan  - read", "user:bob  doc:plan  + read",
                ])
            let listed = try #require(try tool.object("what-if draft.jsonl --json")["differences"] as? [[String: Any]])
            #expect(
                listed.map { "\($0["subject"] ?? "") \($0["object"] ?? "")" } == [
                    "everyone role:staff", "user:ann doc:plan", "user:ann role:staff", "user:bob doc:plan", "user:bob role:staff",
                    "user:root role:staff",
                ])
            #expect(try tool.files() == before)
            #expect(before.keys.contains("demo/log/data.mdb"))
            #expect(try tool.run("check user:bob read doc:plan").code == 1)
        }
    }

    @Test("E12: A refused draft is printed with line and reason, gets exit code 1, and is not recorded")
    func refusals() throws {
        try BuiltTool.inFreshFolder { tool in
            try tool.makeDemo()
            try tool.write(
                """
                {"op":"grant","subject":"user:bob","object":"doc:plan","privileges":["read"]}
                {"as":"user:bob","mode":"each","do":[{"op":"deleteObject","object":"doc:plan"},{"op":"register","principal":"user:cat"}]}

                """, to: "draft.jsonl")
            let result = try tool.run("what-if draft.jsonl")
            #expect(result.code == 1)
            #expect(
                result.lines == [
                    "user:bob  doc:plan  + read",
                    "refused: line 2, change 0: noPrivilege: the caller lacks `delete` on `doc:plan`: "
                        + "somebody who may set permissions there can grant it",
                ])
            #expect(try tool.make("refusals").output.isEmpty)
            let object = try tool.object("what-if draft.jsonl --as user:bob --json")
            let refused = try #require(object["refused"] as? [[String: Any]])
            #expect(refused.map { $0["line"] as? Int } == [1, 2])
            #expect(refused.map { $0["code"] as? String } == ["noPrivilege", "noPrivilege"])
            #expect(object["complete"] as? Bool == true)
        }
    }

    @Test("E12: An invalid draft is a usage error that names its line")
    func malformed() throws {
        try BuiltTool.inFreshFolder { tool in
            try tool.makeDemo()
            for text in [#"{"ask":"members","role":"x"}"#, #"{"op":"fly"}"#, "[1]", #"{"mark":"x"}"#, "{"] {
                try tool.write("\n" + text + "\n", to: "draft.jsonl")
                let result = try tool.run("what-if draft.jsonl")
                #expect(result.code == 2, "\(text): \(result.errors)")
                #expect(result.errors.contains("draft.jsonl:2: "), "\(text): \(result.errors)")
            }
        }
    }

    @Test("E12: It works while another process has the store open for writing")
    func besideAWriter() throws {
        try BuiltTool.inFreshFolder { tool in
            try tool.makeDemo()
            try tool.write(#"{"op":"grant","subject":"user:bob","object":"doc:plan","privileges":["read"]}"#, to: "draft.jsonl")
            let writer = try Store.open(at: tool.store, .writing)
            defer { try? writer.close() }
            #expect(try tool.make("what-if draft.jsonl").lines == ["user:bob  doc:plan  + read"])
            try writer.commit(Transaction("user:root", [.grant("user:bob", on: "doc:plan", ["read"])]))
            #expect(try tool.make("what-if draft.jsonl").lines == [])
        }
    }
}

extension BuiltTool {
    /// Returns every file of the store except LMDB's reader tables, which change with each reader.
    fileprivate func files() throws -> [String: Data] {
        var files: [String: Data] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
            guard name.hasPrefix("demo/"), !name.hasSuffix("lock.mdb") else { continue }
            files[name] = FileManager.default.contents(atPath: folder.appending(path: name).path) ?? Data()
        }
        return files
    }
}
