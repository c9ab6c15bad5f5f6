import Foundation
import TestSupport

/// The Python environment with the servers that the account tests use: `Tools/python/servers.txt`.
enum ServerEnvironment {
    /// Prepared at its first use, unless it exists.
    static let interpreter = Result {
        let result = try ChildProcess(
            [TestSettings.package + "Tools/prepare-python", "servers"], errors: .inherited, endingWithinSeconds: 1800
        ).finish()
        guard result.exitCode == 0 else { throw NotMade() }
        return result.output.trimmingCharacters(in: .newlines) + "/bin/python"
    }

    private struct NotMade: Error, CustomStringConvertible {
        let description = "there is no environment with the servers; run `Tools/prepare-python servers` and read what it says"
    }
}
