import Delivery

/// What a phone can ask for: table of `docs/device-api.md`.
enum DeviceCall: Equatable {
    case enrol
    case registerToken
    case removeToken
    case putKey(String)
    case fetch(Identifier)
    case claim(Identifier)
    case acquire(Identifier)
    case renew(Identifier, epoch: Int64)
    case release(Identifier, epoch: Int64)
    case submit(Identifier, epoch: Int64)
    case stagePart(Identifier, epoch: Int64, recipient: String)
    case ack(Identifier)
    case nack(Identifier)
    case sync
    case wait

    /// Stands for the call in metrics.
    var name: String {
        switch self {
        case .enrol: "enrol"
        case .registerToken: "register_token"
        case .removeToken: "remove_token"
        case .putKey: "put_key"
        case .fetch: "fetch"
        case .claim: "claim"
        case .acquire: "acquire_lease"
        case .renew: "renew_lease"
        case .release: "release_lease"
        case .submit: "submit"
        case .stagePart: "stage_part"
        case .ack: "ack"
        case .nack: "nack"
        case .sync: "sync"
        case .wait: "wait"
        }
    }

    /// Of every call.
    static let names: [String] = {
        let any = Identifier(high: 0, low: 0)
        let all: [DeviceCall] = [
            .enrol, .registerToken, .removeToken, .putKey(""), .fetch(any), .claim(any), .acquire(any),
            .renew(any, epoch: 1), .release(any, epoch: 1), .submit(any, epoch: 1),
            .stagePart(any, epoch: 1, recipient: "a"), .ack(any), .nack(any), .sync,
            .wait,
        ]
        return all.map(\.name)
    }()

    /// The job that the call is about.
    var job: Identifier? {
        switch self {
        case .fetch(let job), .claim(let job), .acquire(let job), .renew(let job, _), .release(let job, _),
            .submit(let job, _), .stagePart(let job, _, _), .ack(let job), .nack(let job):
            job
        case .enrol, .registerToken, .removeToken, .putKey, .sync, .wait: nil
        }
    }
}
