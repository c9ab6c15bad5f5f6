internal import Dispatch
public import Events
internal import HTTPServer
internal import Synchronization

extension MunimentService {
    /// Runs a request of the tool in this process with all access, for when no service is running.
    ///
    /// - Parameters:
    ///   - method: the method of the request.
    ///   - target: its path, percent-encoded, with the query.
    /// - Returns: the status of the response and its body; null if that is empty or not JSON.
    public func carryOut(_ method: String, _ target: String) -> (status: Int, body: JSONValue) {
        let answered = DispatchSemaphore(value: 0)
        let response = Mutex<HTTPResponse?>(nil)
        let request = HTTPRequest(
            method: method, target: target, headers: [HTTPHeader("Authorization", "Bearer " + secretOfTool)], body: []
        ) { answer in
            response.withLock { $0 = answer }
            answered.signal()
        }
        switch admit(request) {
        case .refused(let refusal): request.respond(refusal)
        case .body: if case .now(let answer) = answer(request) { request.respond(answer) }
        }
        answered.wait()
        guard let response = response.withLock({ $0 }), case .bytes(let bytes) = response.body else { return (500, .null) }
        return (response.status, (try? JSONText.decode(bytes)) ?? .null)
    }
}
