/// A walk over the headers where the library keeps them, which finds what it has cut off or put together.
///
/// The library ends a text at its first zero byte, takes a carriage return alone for the end of a line, and joins folded lines: a
/// server behind or before this one may read such a head otherwise. All of it shows between the end of one header and the
/// beginning of the next, where two bytes that ended a line are zero now, and nothing else belongs.
@safe struct HeaderWalk {
    var framing: Framing
    /// Where the header before ended.
    var end: UnsafePointer<CChar>

    /// Looks at what lies between the last header and the next one, or the end of the head.
    ///
    /// - Parameters:
    ///   - start: where the next one begins.
    ///   - lineEnds: how many lines end in between.
    mutating func pass(to start: UnsafePointer<CChar>, lineEnds: Int = 1) {
        // A joined value lies behind all others.
        guard unsafe end < start else { return framing.refuse("a header goes on in a second line") }
        if unsafe start - end < 2 * lineEnds { framing.refuse("a line of the head does not end with CR LF") }
        while unsafe end < start {
            let byte = unsafe end.pointee
            guard byte == 0 || byte == 0x0D || byte == 0x0A else {
                return framing.refuse("the head has a zero byte, or a line that is not a header")
            }
            unsafe end += 1
        }
    }
}
