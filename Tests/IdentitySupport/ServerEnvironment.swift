import Foundation
import TestSupport

/// The Python that has the servers which tests of accounts talk to: `Tools/python/servers.txt`.
enum ServerEnvironment {
    /// Made when it is first needed, unless it is there.
    static let interpreter = Result {
        let process = Process()
        process.executableURL = URL(filePath: TestSettings.package + "Tools/prepare-python")
        process.arguments = ["servers"]
        let output = Pipe()
        process.standardOutput = output
        process.standardInput = FileHandle.nullDevice
        try process.run(endingWithinSeconds: 1800)
        let printed = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw NotMade() }
        return String(decoding: printed, as: UTF8.self).trimmingCharacters(in: .newlines) + "/bin/python"
    }

    private struct NotMade: Error, CustomStringConvertible {
        let description = "there is no environment with the servers; run `Tools/prepare-python servers` and read what it says"
    }
}
