#if canImport(UIKit)
    public import UIKit

    /// Where the work store lies: in the app's own container, never in a group's (a store that is open when the system
    /// suspends the app would cost its life there).
    public enum ProtectedFolder {
        /// Makes the folder if need be: readable from the first unlock on, in no backup. Returns the store's path in it.
        public static func storePath(in folder: URL) throws -> String {
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true,
                attributes: [.protectionKey: FileProtectionType.completeUntilFirstUserAuthentication])
            var values = URLResourceValues()
            values.isExcludedFromBackup = true
            var folder = folder
            try folder.setResourceValues(values)
            return folder.appendingPathComponent("delivery.sqlite").path
        }
    }
#endif
