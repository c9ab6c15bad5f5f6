/// How much of a data file a check covers.
public struct PageUse: Hashable, Sendable {
    /// The bytes that were checked.
    public let checkedBytes: Int
    /// The bytes of the file.
    public let fileBytes: Int
}
