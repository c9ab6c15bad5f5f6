import Foundation
import PackagePlugin

/// Writes a Swift file with the commit that the tool is built from: `MUNIMENT_COMMIT`, or Git's HEAD, or an empty text.
@main struct RecordCommit: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) -> [Command] {
        let package = context.package.directoryURL
        let file = context.pluginWorkDirectoryURL.appending(path: "BuiltCommit.swift")
        // Git appends a line to this file when HEAD moves.
        let headLog = package.appending(path: ".git/logs/HEAD")
        let script = """
            commit=${MUNIMENT_COMMIT:-$(git -C "$0" rev-parse --short=12 HEAD 2>/dev/null)}
            echo "/// The commit that the tool is built from; empty if unknown."
            echo "let builtCommit = \\"$commit\\""
            """
        return [
            .buildCommand(
                displayName: "Recording the commit", executable: URL(filePath: "/bin/sh"),
                arguments: ["-c", "{\n\(script)\n} > \"$1\"", package.path(), file.path()],
                inputFiles: FileManager.default.fileExists(atPath: headLog.path()) ? [headLog] : [], outputFiles: [file])
        ]
    }
}
