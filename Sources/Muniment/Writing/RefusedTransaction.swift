internal import Events
internal import Hashing
internal import Permissions

/// A transaction that was refused, until it is recorded.
struct RefusedTransaction {
    let transaction: Transaction
    let refusal: Refusal
    /// The time that it would have had.
    let time: Instant
    /// The last commit when it was refused.
    let head: Revision
}

extension RecordedRefusal {
    /// What the log keeps of a refused transaction: every text of it cut, so that the record stays small.
    init(_ refused: RefusedTransaction, number: RefusalNumber) {
        let (transaction, refusal) = (refused.transaction, refused.refusal)
        let changes = transaction.changes
        self.init(
            number: number, time: refused.time, head: refused.head,
            caller: transaction.caller.text.prefix(utf8Bytes: Limits.refusedCallerBytes), origin: transaction.origin.cut,
            code: refusal.code.rawValue, message: refusal.message.prefix(utf8Bytes: Limits.refusalMessageBytes),
            change: refusal.change, changeCount: changes.count,
            tried: (refusal.change.map { changes[$0] } ?? changes.first).map { TriedChange($0) })
    }
}

extension TriedChange {
    /// A change as JSON, of which only the beginning is kept where it is long. Linear in the change; holds no copy of it.
    init(_ change: Change) {
        var kept: [UInt8] = []
        var count = 0
        var digest = DigestStream()
        var writer = JSONWriter { piece in
            // One byte more than the limit tells whether there is more.
            for index in piece.indices.prefix(Limits.triedChangeBytes + 1 - kept.count) { kept.append(piece[index]) }
            count += piece.count
            digest.update(piece)
        }
        change.write(into: &writer)
        writer.finish()
        let text = String(decoding: kept, as: UTF8.self)
        let isWhole = count <= Limits.triedChangeBytes
        self.init(
            json: isWhole ? text : text.prefix(utf8Bytes: Limits.triedChangeBytes),
            whole: isWhole ? nil : Whole(byteCount: UInt64(count), digest: digest.finish().bytes))
    }
}

extension Origin {
    /// The origin with each text cut to what a commit would take.
    fileprivate var cut: Origin {
        var origin = self
        origin.requestID = requestID?.prefix(utf8Bytes: Limits.originBytes)
        origin.idempotencyKey = idempotencyKey?.prefix(utf8Bytes: Limits.originBytes)
        origin.comment = comment?.prefix(utf8Bytes: Limits.originBytes)
        origin.credential = credential?.prefix(utf8Bytes: Limits.originBytes)
        origin.requestDigest = Array(requestDigest.prefix(Digest.byteCount))
        return origin
    }
}
