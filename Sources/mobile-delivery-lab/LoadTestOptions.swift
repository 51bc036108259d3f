import Daemon

extension Command {
    static let loadTestOptions: [CommandOption] = [
        .value(
            "arrivals", "SHAPE",
            "jobs a second (100), or ramp:FROM,TO, steps:R1,R2,…, bursts:BASE,JOBS,EVERY, foreground:RATE"),
        .flag("even", "jobs at equal distances instead of by chance"),
        .value("duration", "TIME", "of the arrivals (30s)"),
        .value("seed", "N", "the same seed has the same arrivals, accounts, ids and provider faults (1)"),
        .flag("find-max", "searches for the highest constant rate that meets the objective, from --arrivals on"),
        .value("objective", "TEXT", "latency to the acceptance, with loss 0 (p99<2s)"),
        .value("probe", "TIME", "how long each rate is tried (10s)"),
        .value("accounts", "N", "accounts (64)"),
        .value("devices", "SPREAD", "devices of an account: a number (2), or zipf:EXPONENT,MOST"),
        .value("routes", "WEIGHTS", "of devices: apns-production=1,fcm=1 (so), apns-sandbox=N"),
        .value("skew", "EXPONENT", "0: all accounts alike (so); 1: the n-th gets 1/n of the first"),
        .value("body", "BYTES", "ciphertext of a job (1024)"),
        .value("phones", "N", "phones that fetch, open and acknowledge, beside the accounts (0)"),
        .value("outsiders", "N", "further queues on events, with a reader each (0)"),
        .value("instances", "LIST", "processes of a service, such as relay=2,apns-sender=4 (one each)"),
        .value(
            "provider-latency", "TIME", "40ms, uniform:A,B, exponential:MEAN, normal:MEAN,SD, lognormal:MEDIAN,P99 (0)"),
        .value("provider-faults", "SHARE", "requests that fail and may be tried again, such as 5% (0)"),
        .value("unregistered", "SHARE", "requests whose token is called dead (0)"),
        .value("plant-loss", "SHARE", "hints that the simulator swallows and claims to have accepted (0)"),
        .value("plant-double", "SHARE", "hints that the simulator accepts twice (0)"),
        .value("kill", "LIST", "kill -9 of services at times, such as relay@10s,ack-recorder@20s"),
        .flag("kill-each", "kill -9 of each service once, spread over the time"),
        .value("setting", "NAME=VALUE", "a variable of every service; may be repeated"),
        .value("producers", "N", "connections that commit (4)"),
        .value("patience", "TIME", "how long hints may take to end after the last arrival (2m)"),
        .flag("no-publish-stamps", "no copy of each hint is taken from the broker: one stage less in the report"),
        .value("database", "URL", "an existing system, which has to carry the load-test mark; with the next four"),
        .value("amqp", "URL", "its broker, as an administrator"),
        .value("providers", "URL", "its simulator's control port"),
        .value("apps-file", "FILE", "its apps file"),
        .value("token-keys-file", "FILE", "its token keys"),
        .value("json", "FILE", "where the report goes as JSON"),
        .value("html", "FILE", "where it goes as a page"),
    ]
}
