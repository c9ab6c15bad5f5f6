import Secrets
import Testing

@Suite("Message authentication codes")
struct MACTests {
    /// RFC 4231, test cases 1, 2, 3 and 6: keys shorter and longer than a block.
    @Test(
        "HMAC-SHA-256 gives the test vectors of RFC 4231",
        arguments: [
            (
                [UInt8](repeating: 0x0B, count: 20), "Hi There",
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
            ),
            (
                Array("Jefe".utf8), "what do ya want for nothing?",
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
            ),
            (
                [UInt8](repeating: 0xAA, count: 131), "Test Using Larger Than Block-Size Key - Hash Key First",
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
            ),
        ])
    func vectors(key: [UInt8], message: String, code: String) {
        #expect(MAC.sha256(Array(message.utf8), key: key) == bytes(code))
    }

    @Test("Bytes that are not UTF-8 are used unchanged")
    func binary() {
        #expect(
            MAC.sha256([UInt8](repeating: 0xDD, count: 50), key: [UInt8](repeating: 0xAA, count: 20))
                == bytes("773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"))
    }

    @Test("An empty message with an empty key has a code")
    func empty() {
        #expect(MAC.sha256([], key: []) == bytes("b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"))
    }
}
