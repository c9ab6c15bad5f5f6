/// The limits of an explanation: roles and links can lead to an object in very many ways. Paths beyond the limits are left out,
/// and the explanation says that it is incomplete.
public enum ExplanationLimits {
    /// Paths at one level.
    public static let pathsPerLevel = 256
    /// Chains of links to one object.
    public static let chainsOfLinks = 64
    /// Proposals for one denial.
    public static let proposals = 16
    /// Roles examined to propose a membership.
    public static let rolesConsidered = 64
    /// Roles considered for proposals of several memberships together.
    public static let rolesCombined = 12
}
