import Delivery
import FoundationEssentials
import LocalStack

/// Reads from the phones' own lines when they had and stored a job.
enum PhoneLog {
    static func read(_ path: String, into table: inout HintTable, epoch: Int64) {
        let bytes = FileManager.default.contents(atPath: path) ?? Data()
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n").compactMap({ JSONLine($0) }) {
            guard let event = line.texts["event"], let at = line.numbers["at"],
                let job = line.texts["job"].flatMap({ Identifier($0) }),
                let device = line.texts["device"].flatMap({ Identifier($0) }),
                let place = table.place(job, device: device)
            else { continue }
            let instant = max(1, at * 1000 - epoch)
            if event == "fetched", table.hints[place].fetched == 0 { table.hints[place].fetched = instant }
            if event == "persisted", table.hints[place].persisted == 0 { table.hints[place].persisted = instant }
        }
    }
}
