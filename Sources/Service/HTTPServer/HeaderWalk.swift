/// Checks the headers in the library's memory for text that the library has removed or joined.
///
/// The library ends a text at its first zero byte, treats a carriage return alone as a line end, and joins folded lines. A proxy or
/// another server may read such a head differently. All of these cases are visible between the end of one header and the beginning
/// of the next: in a valid head, this gap contains only two zero bytes that replaced the line end.
@safe struct HeaderWalk {
    var framing: Framing
    /// The end of the previous header.
    var end: UnsafePointer<CChar>

    /// Checks the text between the previous header and the next one, or the end of the head.
    ///
    /// - Parameters:
    ///   - start: the beginning of the next header.
    ///   - lineEnds: the number of line ends in between.
    mutating func pass(to start: UnsafePointer<CChar>, lineEnds: Int = 1) {
        // A joined value is located after all others.
        guard unsafe end < start else { return framing.refuse("a header continues on a second line") }
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
