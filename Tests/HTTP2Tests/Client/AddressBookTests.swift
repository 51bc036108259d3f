import Testing

@testable import HTTP2

struct AddressBookTests {
    private func addresses(_ hosts: String...) throws -> [SocketAddress] {
        try hosts.flatMap { try SocketAddress.lookUp(host: $0, port: 443).get() }
    }

    @Test func `families alternate, beginning with the system's choice`() throws {
        let found = try addresses("::1", "::2", "127.0.0.1", "127.0.0.2", "127.0.0.3")
        var book = AddressBook()
        #expect(book.order(found) == [0, 2, 1, 3, 4].map { found[$0] })
    }

    @Test func `connections spread over the addresses`() throws {
        let found = try addresses("127.0.0.1", "127.0.0.2", "127.0.0.3")
        var book = AddressBook()
        var used: [SocketAddress] = []
        for _ in 0..<6 {
            let next = try #require(book.order(found).first)
            book.opened(next)
            used.append(next)
        }
        #expect(used == found + found)
    }

    @Test func `the place of a closed connection is the next to be taken`() throws {
        let found = try addresses("127.0.0.1", "127.0.0.2")
        var book = AddressBook()
        for address in found { book.opened(address) }
        book.closed(found[1])
        #expect(book.order(found).first == found[1])
    }

    @Test func `an address that failed comes last until it works again`() throws {
        let found = try addresses("127.0.0.1", "127.0.0.2")
        var book = AddressBook()
        book.failed(found[0])
        #expect(book.order(found) == [found[1], found[0]])
        book.worked(found[0])
        #expect(book.order(found) == found)
    }

    @Test func `a family without a way out loses its head start`() throws {
        let found = try addresses("::1", "127.0.0.1")
        var book = AddressBook()
        book.failed(found[0])
        #expect(book.order(found) == [found[1], found[0]])
    }

    @Test func `addresses that the name has no more are forgotten`() throws {
        let found = try addresses("127.0.0.1", "127.0.0.2")
        var book = AddressBook()
        book.failed(found[0])
        _ = book.order([found[1]])
        #expect(book == AddressBook())
    }
}
