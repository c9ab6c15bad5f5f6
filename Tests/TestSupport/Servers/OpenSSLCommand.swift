public import Foundation

/// The command `openssl`, which makes keys and signatures for tests without any code of ours.
public enum OpenSSLCommand {
    /// Runs the command in a folder and returns its output.
    ///
    /// - Throws: where it does not end well.
    @discardableResult
    public static func run(_ arguments: [String], in folder: String) throws -> Data {
        let result = try ChildProcess(["openssl"] + arguments, in: folder).finish()
        guard result.exitCode == 0 else { throw Failed(arguments: arguments) }
        return Data(result.bytes)
    }

    public struct Failed: Error { public let arguments: [String] }
}
