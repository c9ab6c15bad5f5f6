/// How much an explanation says: roles and links can lead to an object in more ways than anybody would read. What is beyond is left
/// out, and an explanation says that it is.
public enum ExplanationLimits {
    /// Paths at one level.
    public static let pathsPerLevel = 256
    /// Chains of links to one object.
    public static let chainsOfLinks = 64
    /// Proposals for one denial.
    public static let proposals = 16
    /// Roles that are looked at to propose a membership.
    public static let rolesConsidered = 64
    /// Roles of which several are proposed together.
    public static let rolesCombined = 12
}
