public import Foundation

/// The command `openssl`, which creates keys and signatures for tests independently of Muniment's code.
public enum OpenSSLCommand {
    /// Runs the command in a folder and returns its output.
    ///
    /// - Throws: if the command fails.
    @discardableResult
    public static func run(_ arguments: [String], in folder: String) throws -> Data {
        let result = try ChildProcess(["openssl"] + arguments, in: folder).finish()
        guard result.exitCode == 0 else { throw Failed(arguments: arguments) }
        return Data(result.bytes)
    }

    public struct Failed: Error { public let arguments: [String] }
}
