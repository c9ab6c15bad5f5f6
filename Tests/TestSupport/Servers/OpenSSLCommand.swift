public import Foundation

/// The command `openssl`, which makes keys and signatures for tests without any code of ours.
public enum OpenSSLCommand {
    /// Runs it in a folder and returns what it prints.
    ///
    /// - Throws: where it does not end well.
    @discardableResult
    public static func run(_ arguments: [String], in folder: String) throws -> Data {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        process.currentDirectoryURL = URL(filePath: folder)
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.run(endingWithinSeconds: 600)
        let printed = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failed(arguments: arguments) }
        return printed
    }

    public struct Failed: Error { public let arguments: [String] }
}
