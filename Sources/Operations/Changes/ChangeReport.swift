import Messages

/// What a changing command says at its end.
public struct ChangeReport: Sendable {
    public let kind: ChangeKind
    public let filter: DueFilter
    public let preview: ChangePreview
    /// Nil: a dry run.
    public let result: ChangeResult?

    public init(kind: ChangeKind, filter: DueFilter, preview: ChangePreview, result: ChangeResult?) {
        self.kind = kind
        self.filter = filter
        self.preview = preview
        self.result = result
    }

    public func text() -> String {
        guard let result else { return "nothing was changed: leave out --dry-run to do it\n" }
        return kind.words(NumberText.counted(result.changed, "hint"), done: true)
            + "; line \(result.audit) of the audit\n"
    }

    public func json() -> [UInt8] {
        JSONWriter.object { object in
            object.member("command", kind.command)
            object.member("dry_run", result == nil)
            object.key("preview")
            object.object { preview.write(to: &$0) }
            if let result { result.write(to: &object) }
        }
    }
}

extension ChangeResult {
    func write(to object: inout JSONWriter) {
        object.member("changed", changed)
        object.member("interrupted", isInterrupted)
        object.member("audit", audit)
    }

    /// The same for `outbox resend`.
    public static func json(resend preview: Resend.Preview, _ result: ChangeResult?) -> [UInt8] {
        JSONWriter.object { object in
            object.member("command", "outbox resend")
            object.member("dry_run", result == nil)
            object.key("preview")
            object.object {
                $0.member("events", preview.events)
                $0.member("dead_letters", preview.deadLetters)
                $0.member("fanouts", preview.fanouts)
            }
            result?.write(to: &object)
        }
    }
}

extension [RouteSwitch.Change] {
    /// `route pause --json`, `route resume --json`.
    public func json() -> [UInt8] {
        JSONWriter.object { object in
            object.key("routes")
            object.array { array in
                for change in self {
                    array.object {
                        $0.member("route", change.route)
                        $0.member("changed", change.changed)
                    }
                }
            }
        }
    }
}
