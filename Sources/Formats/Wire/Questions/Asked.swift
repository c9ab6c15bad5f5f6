internal import Events
package import Permissions

/// The question, as members that the response repeats, so that it is complete by itself.
package struct Asked {
    package var subject: Name?
    package var privileges: [String]?
    package var object: Name?
    package var role: Name?
    /// Without `class:`.
    package var className: String?

    package init(
        subject: Name? = nil, privileges: [String]? = nil, object: Name? = nil, role: Name? = nil, className: String? = nil
    ) {
        self.subject = subject
        self.privileges = privileges
        self.object = object
        self.role = role
        self.className = className
    }
}
