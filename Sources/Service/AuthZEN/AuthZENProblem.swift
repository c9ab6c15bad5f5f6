internal import Events

/// Why a request is not answered as AuthZEN: it is at fault as a whole. A denial is none, and a fault of one of several
/// evaluations is answered in its place.
package struct AuthZENProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The status of HTTP that says so: 400, or 403 where the caller may not ask this.
    package let status: Int
    /// What is wrong, and what to do about it.
    package let message: String

    package init(status: Int = 400, _ message: String) {
        self.status = status
        self.message = message
    }

    init(_ error: JSONError) {
        self.init("the body is no JSON that can be read: \(error)")
    }

    package var description: String { message }
}
