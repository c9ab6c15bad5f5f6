/// Every limit on the input of a store. Each is checked before anything is written; input beyond it is refused as `tooLarge`.
public enum Limits {
    /// Bytes in the id part of an object's name, and in the name of a role or permission.
    public static let idBytes = 512
    /// Bytes in the name of a class.
    public static let classNameBytes = 128
    /// Bytes in the name of a custom privilege, a property or an alias.
    public static let symbolBytes = 64
    /// Bytes of an object's value, as JSON.
    public static let valueBytes = 1 << 20
    /// Levels of nesting in an object's value.
    public static let valueDepth = 64
    /// Bytes of a JSON text that encodes one value. A value of ``valueBytes`` fits with any spacing and escaping.
    public static let jsonBytes = 16 << 20
    /// Levels of nesting in any JSON that is read: far above ``valueDepth``, and far below the capacity of a thread's stack.
    public static let jsonDepth = 1024
    /// Values and names in the JSON of one request.
    public static let valuesPerRequest = 1 << 20
    /// Links (`{"$ref": …}`) in one value.
    public static let linksPerValue = 1024
    /// Links that one caller has written to one object. Further links of that caller to the object do not count; if the class of
    /// the object reads through links, they are refused. The limit applies to each caller separately.
    public static let linksPerCaller = 256
    /// Objects that one check reads for the links of one caller: the linking objects and the objects above them. Objects beyond
    /// the limit give nothing.
    public static let linkReadsPerCaller = 1024
    /// Objects that one check reads for links in total.
    public static let linkReads = 16_384
    /// Changes in one transaction.
    public static let changesPerTransaction = 10_000
    /// Steps of work in one transaction of a caller who does not administer the store: about 50 ms.
    public static let workPerTransaction = 500_000
    /// Bytes of events in one commit.
    public static let bytesPerCommit = 64 << 20
    /// Permissions attached to one object.
    public static let permissionsPerObject = 64
    /// Memberships in roles of one creator that a principal follows upwards, through all levels of nesting. Those of `everyone`
    /// count for `everyone` only. The limit applies to each creator separately, and administrators may exceed it.
    public static let membershipsPerCreator = 2048
    /// Objects above an object, following parents.
    public static let depthOfParents = 64
    /// Properties that a class names for queries.
    public static let propertiesPerClass = 64
    /// Aliases of actions that a class names.
    public static let aliasesPerClass = 64
    /// Bytes in an idempotency key, a request id or a comment.
    public static let originBytes = 1024
    /// Bytes of a caller's name in the record of a refusal: enough for every valid name.
    public static let refusedCallerBytes = classNameBytes + 1 + idBytes
    /// Bytes of a refusal's message in its record.
    public static let refusalMessageBytes = 2048
    /// Bytes of a refused change, as JSON, in its record.
    public static let triedChangeBytes = 2048
    /// Objects on one page of a query.
    public static let objectsPerPage = 1_000_000
    /// Records on one page of the audit.
    public static let recordsPerPage = 100_000
    /// Bytes after which a page of the history or of the audit takes no further record. A page has at least one record.
    public static let bytesPerPage = 4 << 20
    /// Conditions in one query, including nested ones.
    public static let conditionsPerQuery = 1000
    /// Levels of nested conditions.
    public static let depthOfConditions = 32
    /// Properties that one query orders by.
    public static let ordersPerQuery = 8
}
