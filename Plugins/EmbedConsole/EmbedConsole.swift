import Foundation
import PackagePlugin

/// Writes a Swift file with the files of the console: each as text, and compressed with gzip in base 64.
@main struct EmbedConsole: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let folder = target.directoryURL.appending(path: "Files")
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .sorted { $0.path() < $1.path() }
        let output = context.pluginWorkDirectoryURL.appending(path: "EmbeddedFiles.swift")
        // A raw literal needs more number signs than any run of them after three quotes in a file.
        let script = #####"""
            set -e
            echo "/// The files of the console: the name, the text, and the text compressed with gzip, in base 64."
            echo "let embeddedFiles: [(name: String, text: String, gzip: String)] = ["
            for file; do
                printf '("%s", ####"""\n' "$(basename "$file")"
                cat "$file"
                printf '\n"""####, "%s"),\n' "$(gzip -9 -n -c "$file" | base64 -w 0)"
            done
            echo "]"
            """#####
        return [
            .buildCommand(
                displayName: "Embedding the console", executable: URL(filePath: "/bin/sh"),
                arguments: ["-c", "out=$1; shift; {\n\(script)\n} > \"$out\"", "embed", output.path()] + files.map { $0.path() },
                inputFiles: files, outputFiles: [output])
        ]
    }
}
