internal import Events
internal import HTTPServer
internal import Muniment

extension Call {
    /// Answers with a JSON object that is about a revision, which the head of the answer says too.
    func answer(_ members: JSONObject, at revision: Revision, status: Int = 200, headers: [HTTPHeader] = []) -> HTTPResponse {
        answer(members, status: status, headers: [Call.header(revision)] + headers)
    }

    static func header(_ revision: Revision) -> HTTPHeader { HTTPHeader("Muniment-Revision", revision.description) }
}
