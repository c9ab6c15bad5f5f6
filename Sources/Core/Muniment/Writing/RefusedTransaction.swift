internal import Events
internal import Hashing
internal import Permissions

/// A refused transaction that is not recorded yet.
struct RefusedTransaction {
    let transaction: Transaction
    let refusal: Refusal
    /// The time that its commit would have had.
    let time: Instant
    /// The last commit when it was refused.
    let head: Revision
    /// The digest of the request if the refusal is the answer to its idempotency key; otherwise empty.
    let requestDigest: [UInt8]
}

extension RecordedRefusal {
    /// Creates the log record of a refused transaction. Truncates all of its texts, so that the record stays small.
    init(_ refused: RefusedTransaction, number: RefusalNumber) {
        let (transaction, refusal) = (refused.transaction, refused.refusal)
        let changes = transaction.changes
        self.init(
            number: number, time: refused.time, head: refused.head,
            caller: transaction.caller.text.prefix(utf8Bytes: Limits.refusedCallerBytes),
            origin: transaction.origin.cut(requestDigest: refused.requestDigest),
            code: refusal.code.rawValue, message: refusal.message.prefix(utf8Bytes: Limits.refusalMessageBytes),
            change: refusal.change, changeCount: changes.count,
            tried: (refusal.change.map { changes[$0] } ?? changes.first).map { RefusedChange($0) })
    }
}

extension RefusedChange {
    /// Encodes a change as JSON and truncates it if it is long. Linear in the change; does not copy it.
    init(_ change: Change) {
        var kept: [UInt8] = []
        var count = 0
        var digest = DigestStream()
        var writer = JSONWriter { piece in
            // One byte more than the limit shows that the text continues.
            for index in piece.indices.prefix(Limits.triedChangeBytes + 1 - kept.count) { kept.append(piece[index]) }
            count += piece.count
            digest.update(piece)
        }
        change.write(into: &writer)
        writer.finish()
        let text = String(decoding: kept, as: UTF8.self)
        let isWhole = count <= Limits.triedChangeBytes
        let names = { (names: [Name]) in names.map { $0.text.prefix(utf8Bytes: Limits.refusedCallerBytes) } }
        self.init(
            operation: change.operation, objects: names(change.mentionedObjects), subjects: names(change.mentionedSubjects),
            json: isWhole ? text : text.prefix(utf8Bytes: Limits.triedChangeBytes),
            whole: isWhole ? nil : FullTextDigest(byteCount: UInt64(count), digest: digest.finish().bytes))
    }
}

extension Origin {
    /// The origin with each text truncated to the limit of a commit.
    fileprivate func cut(requestDigest: [UInt8]) -> Origin {
        var origin = self
        origin.requestID = requestID?.prefix(utf8Bytes: Limits.originBytes)
        origin.idempotencyKey = idempotencyKey?.prefix(utf8Bytes: Limits.originBytes)
        origin.comment = comment?.prefix(utf8Bytes: Limits.originBytes)
        origin.credential = credential?.prefix(utf8Bytes: Limits.originBytes)
        origin.requestDigest = requestDigest
        return origin
    }
}
