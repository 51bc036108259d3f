import Delivery
import DeviceKit

/// What a request of the device API is about.
struct DeviceCall {
    var action: String
    var job: Identifier?
    var epoch: Int64?
    var isFirstPage: Bool
    var line: String

    init(_ request: TransportRequest) {
        let parts = request.path.split(separator: "/" as Character).map(String.init)
        job = parts.count > 2 && parts[1] == "jobs" ? Identifier(parts[2]) : nil
        epoch = parts.count > 4 ? Int64(parts[4]) : nil
        isFirstPage = !request.query.contains("after=")
        line = "\(request.method) \(request.path)"
        action =
            switch (request.method, parts.count > 3 ? parts[3] : parts.count > 1 ? parts[1] : "") {
            case ("GET", "jobs"): "fetch"
            case ("POST", "fanout-lease"): "acquire"
            case ("PUT", "fanout"): "submit"
            case (_, let name): name
            }
    }
}
