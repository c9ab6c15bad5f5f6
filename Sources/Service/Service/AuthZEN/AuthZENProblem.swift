internal import Events

/// Why a request is refused: it is invalid as a whole. This excludes denials, and errors in one of several evaluations, which are
/// part of the response.
package struct AuthZENProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The HTTP status: 400, or 403 if the caller may not send this query.
    package let status: Int
    /// The problem, and its solution.
    package let message: String

    package init(status: Int = 400, _ message: String) {
        self.status = status
        self.message = message
    }

    init(_ error: JSONError) {
        self.init("the body is not valid JSON: \(error)")
    }

    package var description: String { message }
}
