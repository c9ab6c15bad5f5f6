import Foundation

// OfflineDemo SERVICE FOLDER ADMINISTRATOR ANN BEN: runs the demonstration with these tokens. Started by Tools/offline-demo.
// OfflineDemo client SERVICE FILE USER TOKEN: a client process of it, with commands on its standard input.
let arguments = Array(CommandLine.arguments.dropFirst())
do {
    if arguments.first == "client", arguments.count == 5 {
        try await DemoClient(service: arguments[1], file: arguments[2], user: arguments[3], token: arguments[4]).run()
    } else if arguments.count == 5 {
        try await OfflineDemonstration(
            service: arguments[0], folder: arguments[1], administrator: arguments[2], ann: arguments[3], ben: arguments[4]
        ).run()
    } else {
        FileHandle.standardError.write(Data("usage: Tools/offline-demo [--data DIR]\n".utf8))
        exit(2)
    }
} catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(1)
}
