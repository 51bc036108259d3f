import AppArchive
import Daemon

// What the phone shows of a hint: texts by key, and the extension that its category picks.
extension AppCheck {
    func localization(_ apns: AppsFile.APNS) -> [AppFinding] {
        var findings = strings.unreadable.map {
            AppFinding(.warning, .localization, "\($0) is no compiled string table: its keys are not known")
        }
        let wanted = apns.localization.values.flatMap { [$0.title, $0.body] }.sorted()
        let home = info["CFBundleDevelopmentRegion"]?.text ?? "en"
        let outside = strings.keys[""] ?? []
        let base = (strings.keys[home] ?? []).union(strings.keys["Base"] ?? []).union(outside)
        let missing = Set(wanted).subtracting(base).sorted()
        if !missing.isEmpty {
            findings.append(
                AppFinding(
                    .missing, .localization,
                    "no text for \(missing.joined(separator: ", ")) in language \(home): people would see the key"))
        }
        for (language, keys) in strings.keys.sorted(by: { $0.key < $1.key }) where language != home {
            guard !["", "Base"].contains(language) else { continue }
            let gaps = Set(wanted).subtracting(keys).subtracting(outside).sorted()
            guard !gaps.isEmpty else { continue }
            findings.append(
                AppFinding(.warning, .localization, "\(language) has no text for \(gaps.joined(separator: ", "))"))
        }
        if findings.isEmpty {
            findings.append(
                AppFinding(.fine, .localization, "texts for \(Set(wanted).sorted().joined(separator: ", "))"))
        }
        return findings
    }

    /// A content extension is no must; one that waits for another category never shows.
    func category(_ apns: AppsFile.APNS) -> [AppFinding] {
        let served = extensions.compactMap { list -> Set<String>? in
            let definition = list["NSExtension"]
            guard definition?["NSExtensionPointIdentifier"]?.text == "com.apple.usernotifications.content-extension"
            else { return nil }
            let category = definition?["NSExtensionAttributes"]?["UNNotificationExtensionCategory"]
            return Set(category?.texts ?? []).union(category?.text.map { [$0] } ?? [])
        }
        guard !served.isEmpty else { return [] }
        guard served.contains(where: { $0.contains(apns.category) }) else {
            let names = served.reduce(into: Set()) { $0.formUnion($1) }.sorted().joined(separator: ", ")
            return [
                AppFinding(
                    .missing, .category,
                    "the notification content extension is for \(names), the apps file sends \(apns.category)")
            ]
        }
        return [AppFinding(.fine, .category, "the notification content extension is for \(apns.category)")]
    }
}
