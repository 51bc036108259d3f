/// Text for a page.
enum HTML {
    static func escaped(_ text: String) -> String {
        var escaped = ""
        for character in text {
            switch character {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            default: escaped.append(character)
            }
        }
        return escaped
    }

    /// The first row is the header; the first column names the rows.
    static func table(_ rows: [[String]], named name: String = "plain") -> String {
        let head = rows.first.map { row in "<tr>" + row.map { "<th>\(escaped($0))</th>" }.joined() + "</tr>" } ?? ""
        let body = rows.dropFirst().map { row in
            "<tr>" + row.enumerated().map { $0 == 0 ? "<th>\(escaped($1))</th>" : "<td>\(escaped($1))</td>" }.joined()
                + "</tr>"
        }
        return
            #"<div class="scroll"><table class="\#(name)"><thead>\#(head)</thead><tbody>\#(body.joined(separator: "\n"))</tbody></table></div>"#
    }
}
