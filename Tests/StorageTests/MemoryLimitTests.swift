import Files
import Foundation
import TestSupport
import Testing

@Suite("The memory that a process may use")
struct MemoryLimitTests {
    let folder: ScratchFolder

    init() throws { folder = try ScratchFolder() }

    /// Returns the limit of a process with these lines in `/proc/self/cgroup` and these files of control groups.
    private func limit(_ lines: String, _ files: [String: String]) throws -> Int {
        try FileManager.default.createDirectory(atPath: folder.path + "/process", withIntermediateDirectories: true)
        try replaceFile(folder.path + "/process/cgroup", with: Array(lines.utf8))
        for (path, content) in files {
            let file = folder.path + "/groups/" + path
            try FileManager.default.createDirectory(
                atPath: (file as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
            try replaceFile(file, with: Array(content.utf8))
        }
        return memoryLimit(process: folder.path + "/process", groups: folder.path + "/groups")
    }

    private var machine: Int { Int(ProcessInfo.processInfo.physicalMemory) }

    @Test("Without a limit, it is the memory of the machine")
    func noLimit() throws {
        #expect(memoryLimit(process: folder.path + "/none") == machine)
        #expect(try limit("0::/\n", ["memory.max": "max\n"]) == machine)
        #expect(try limit("4:memory:/a\n", ["memory/a/memory.limit_in_bytes": "9223372036854771712\n"]) == machine)
    }

    @Test("The limit of a systemd unit applies, and that of the groups above it")
    func version2() throws {
        let lines = "0::/system.slice/muniment.service\n"
        #expect(try limit(lines, ["system.slice/muniment.service/memory.max": "536870912\n"]) == 536_870_912)
        #expect(try limit(lines, ["system.slice/memory.max": "268435456\n"]) == 268_435_456)
    }

    @Test("In a container the limit is at the root of what it sees")
    func container() throws {
        #expect(try limit("0::/../other\n", ["memory.max": "1073741824\n"]) == 1_073_741_824)
    }

    @Test("The limit of a control group of version 1 applies")
    func version1() throws {
        let lines = "5:cpu,memory:/docker/x\n1:cpuset:/\n0::/\n"
        #expect(try limit(lines, ["memory/docker/x/memory.limit_in_bytes": "134217728\n"]) == 134_217_728)
    }
}
