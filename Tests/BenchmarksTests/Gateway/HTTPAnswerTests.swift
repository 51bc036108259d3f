import Testing

@testable import Benchmarks

@Suite struct HTTPAnswerTests {
    private func answer(_ text: String) -> HTTPAnswer? { HTTPAnswer(Array(text.utf8)) }

    @Test func `status and lengths are read from a head that is whole`() {
        let answer = answer("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc")
        #expect(answer?.status == 200)
        #expect(answer?.head == 38)
        #expect(answer?.length == 41)
    }

    @Test func `a name of a field may have any case`() {
        #expect(answer("HTTP/1.1 404 Not Found\r\ncontent-length:10\r\n\r\n")?.status == 404)
    }

    @Test(arguments: ["", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n", "HTTP/1.1 200 OK\r\n\r\n"])
    func `a head that is not whole or tells no length is none`(text: String) {
        #expect(answer(text) == nil)
    }

    @Test func `the rate of pgbench is read from its last lines`() {
        let output = "latency average = 0.4 ms\ntps = 18234.512345 (without initial connection time)\n"
        #expect(GatewayParts.rate(output) == 18234.512345)
        #expect(GatewayParts.rate("tps: none") == nil)
    }
}
