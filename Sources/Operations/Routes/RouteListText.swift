import Messages

/// `route list`: both halves of every route.
extension OutboxStatus {
    public func routeList(style: Style) -> String {
        let routes = lines.filter { $0.route != nil }
        guard !routes.isEmpty else {
            return "no routes: name apps in the apps file, then run `mobile-delivery topology apply`\n"
        }
        var table = TextTable(["route", "by hand", "seen", "waiting"])
        for line in routes {
            table.add([
                line.name, line.hand.isPaused ? "paused" : "open", line.seen.isPaused ? "paused" : "running",
                NumberText.format(line.waiting),
            ])
        }
        var printed = table.lines()
        var text = printed.removeFirst().map(style.heading)
        for (line, cells) in zip(routes, printed) {
            text += line.hand.isPaused || line.seen.isPaused ? cells.map(style.warning) : cells
            text += StatusText.pauses(of: line, at: now).flatMap { $0.wrapped(to: style.width, indent: 4) }
        }
        return text.joined(separator: "\n") + "\n"
    }

    public func routeListJSON() -> [UInt8] {
        JSONWriter.object { object in
            object.key("routes")
            object.array { array in
                for line in lines where line.route != nil {
                    array.object {
                        $0.member("route", line.name)
                        $0.member("waiting", line.waiting)
                        line.writeHalves(to: &$0)
                    }
                }
            }
        }
    }
}
