import Credentials
import Events
import NetworkClient
import Permissions

extension Command {
    static let ready = Command(
        "ready", "check that the service of a data directory accepts requests and changes", options: [.data, .json],
        example: Example("ready --data data", "ready: http://127.0.0.1:43210")
    ) { call in
        let directory = try call.dataDirectory
        guard let service = RunningService(dataDirectory: directory) else {
            return try call.answer(
                .object(["ready": .bool(false)]),
                lines: ["not ready: no service that this user may ask is ready on `\(directory)`"], .failure)
        }
        let (status, body) = try service.send(.get, "/readyz")
        let isReady = status == 200
        let detail = isReady ? nil : (try? JSONText.decode(body))?.text("detail")
        return try call.answer(
            .object(["ready": .bool(isReady), "address": .string(service.address)]),
            lines: ["\(isReady ? "ready" : "not ready"): \(service.address)\(detail.map { ", " + $0 } ?? "")"],
            isReady ? .success : .failure)
    }
}
