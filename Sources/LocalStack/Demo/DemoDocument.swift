/// The two documents of the demonstration, as a shop's backend would write them. They leave it only encrypted.
enum DemoDocument: String, CaseIterable {
    case receipt = "RECEIPT"
    case creditNote = "CREDIT_NOTE"

    var json: String {
        switch self {
        case .receipt:
            #"{"number":"R-2026-0001","shop":"Corner Bakery","currency":"EUR","total":"7.40","#
                + #""lines":[{"text":"Sourdough loaf","amount":"4.90"},{"text":"Croissant","amount":"2.50"}]}"#
        case .creditNote:
            #"{"number":"C-2026-0001","shop":"Corner Bakery","currency":"EUR","total":"-2.50","#
                + #""corrects":"R-2026-0001","lines":[{"text":"Croissant","amount":"-2.50"}]}"#
        }
    }

    /// Who gets a downstream message each, opaque to the server.
    static let recipients = ["ledger", "archive"]
}
