import Foundation
import MunimentClient

// IdentityDemo SERVICE OUTBOX: started by Tools/identity-demo with the addresses of the service and of the folder for its mails.
guard CommandLine.arguments.count == 3 else {
    FileHandle.standardError.write(Data("usage: Tools/identity-demo [--data DIR]\n".utf8))
    exit(2)
}
do {
    let service = CommandLine.arguments[1]
    let configuration = AuthConfiguration(service: try ServiceAddress(service), device: "demonstration")
    let outbox = MailFolder(path: CommandLine.arguments[2])
    try await Demonstration(manager: AuthManager(configuration), outbox: outbox, service: service).run()
} catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(1)
}
