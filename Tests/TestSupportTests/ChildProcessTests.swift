import Foundation
import TestSupport
import Testing

@Suite("Child processes of tests")
struct ChildProcessTests {
    private func shell(_ script: String) throws -> ChildProcess { try ChildProcess(["/bin/sh", "-c", script]) }

    @Test("a child that exits returns its exit code")
    func exitCode() async throws {
        #expect(try await shell("exit 7").finish().end == .exit(7))
        let child = try shell("exit 3")
        child.waitUntilExit()
        #expect(child.exitCode == 3 && !child.isRunning)
        child.signal(SIGKILL)
        #expect(child.exitCode == 3)
    }

    @Test("a child that a signal ends returns the signal and no exit code")
    func signal() async throws {
        let result = try await shell("kill -USR1 $$").finish()
        #expect(result.end == .signal(SIGUSR1) && result.exitCode == nil)
    }

    @Test("a child that runs for too long is killed")
    func deadline() async throws {
        let result = try await ChildProcess(["sleep", "1000"], endingWithinSeconds: 0).finish()
        #expect(result.end == .signal(SIGKILL))
    }

    @Test("output that is larger than a pipe is returned whole, with errors apart from it or in it")
    func output() async throws {
        let script = "seq 1 100000; echo wrong >&2"
        let numbers = (1...100_000).map { "\($0)\n" }.joined()
        let apart = try await shell(script).finish()
        #expect(apart.output == numbers && apart.errors == "wrong\n")
        let together = try await ChildProcess(["/bin/sh", "-c", script], errors: .withOutput).finish()
        #expect(together.output == numbers + "wrong\n" && together.errors == "")
        let piped = try ChildProcess(["/bin/sh", "-c", script], output: .pipe)
        #expect(piped.line() == "1")
        let rest: () throws -> ChildProcess.Result = piped.finish
        #expect(try rest().output == numbers.dropFirst(2))
    }

    @Test("a child reads its input, runs in its folder and has only the given environment")
    func surroundings() async throws {
        let child = try ChildProcess(
            ["/bin/sh", "-c", "cat; pwd; env"], in: "/usr", environment: ["PWD": "/usr", "A": "b=c"], hasInput: true)
        try child.write("given\n")
        try child.closeInput()
        let lines = try await child.finish().output.split(separator: "\n")
        #expect(lines.prefix(2) == ["given", "/usr"])
        #expect(lines.contains("A=b=c") && !lines.contains { $0.hasPrefix("HOME=") })
    }

    @Test("an executable or a folder that does not exist is an error")
    func missing() {
        #expect(throws: ChildProcess.CannotStart.self) { try ChildProcess(["/nowhere/to/be/found"]) }
        #expect(throws: ChildProcess.CannotStart.self) { try ChildProcess(["true"], in: "/nowhere/to/be/found") }
    }

    @Test("a child of a test with more than 2,000 open descriptors starts, and inherits none of them")
    func descriptors() async throws {
        var limit = rlimit()
        try #require(unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
        if limit.rlim_cur < 8_192 {
            limit.rlim_cur = min(8_192, limit.rlim_max)
            try #require(unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
        }
        var opened: [Int32] = []
        defer { for descriptor in opened { close(descriptor) } }
        for _ in 0..<2_100 {
            // Without O_CLOEXEC, so that an executable would inherit it.
            let descriptor = unsafe open("/dev/null", O_RDONLY)
            try #require(descriptor >= 0)
            opened.append(descriptor)
        }
        let listed = try await ChildProcess(["ls", "/proc/self/fd"]).finish()
        #expect(listed.output == "0\n1\n2\n3\n", "3 is the folder that ls reads")
    }

    @Test("a child that a Dispatch worker starts has no blocked signals, and SIGTERM ends it")
    func signals() async throws {
        let child = try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(
                    with: Swift.Result {
                        try ChildProcess(
                            ["/bin/sh", "-c", "grep -E 'Sig(Blk|Ign)' /proc/self/status; exec sleep 1000"], output: .pipe)
                    })
            }
        }
        for name in ["SigBlk", "SigIgn"] {
            let line = try #require(child.line())
            #expect(line.hasPrefix(name))
            // Signals 32 and 33 belong to the C library, which ignores them in children.
            #expect(try #require(UInt64(line.suffix(16), radix: 16)) & 0x7fff_ffff == 0, "\(line)")
        }
        child.terminate()
        #expect(try await child.finish().end == .signal(SIGTERM))
    }
}
