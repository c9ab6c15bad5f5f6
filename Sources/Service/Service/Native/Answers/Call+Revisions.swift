internal import Events
internal import HTTPServer
internal import Muniment

extension Call {
    /// Returns a response of a JSON object about a revision. The response's head contains the revision as well.
    func answer(_ members: JSONObject, at revision: Revision, status: Int = 200, headers: [HTTPHeader] = []) -> HTTPResponse {
        answer(members, status: status, headers: [Call.header(revision)] + headers)
    }

    static func header(_ revision: Revision) -> HTTPHeader { HTTPHeader("Muniment-Revision", revision.description) }
}
