import TestSupport
import Testing

@Suite struct LayerTests {
    private let table: LayerTable
    private let sources: [SourceFile]

    init() throws {
        table = try LayerTable()
        sources = try SourceFile.all(under: "Sources").filter { $0.target != "C" }
    }

    @Test func `every target of the manifest has a row that allows its dependencies`() throws {
        let manifest = try PackageManifest()
        #expect(manifest.modules.count > 20)
        for (target, dependencies) in manifest.modules {
            let row = try #require(table.row(target), "\(target) is missing in docs/architecture.md")
            for dependency in dependencies {
                #expect(row.modules.contains(dependency), "\(target) must not depend on \(dependency)")
            }
        }
    }

    @Test func `every target of the table has its folder`() {
        let folders = Set(sources.map(\.target))
        for row in table.rows where row.layer != "C" { #expect(folders.contains(row.target), "\(row.target)") }
    }

    @Test func `every import is allowed by its target's row`() throws {
        for file in sources {
            let row = try #require(table.row(file.target), "\(file.target) is missing in docs/architecture.md")
            for module in file.imports {
                #expect(
                    row.modules.contains(module) || row.toolchain.contains(module), "\(file) must not import \(module)")
            }
        }
    }

    @Test func `a row names only targets of a lower layer, and services none of their own kind`() throws {
        for row in table.rows {
            for module in row.modules {
                let other = try #require(table.row(module), "\(row.target) names \(module), which has no row")
                #expect(!table.targets("service").contains(module) || row.layer == "executable")
                #expect(other.target != row.target)
            }
        }
        #expect(table.targets("service").count >= 6)
    }

    @Test func `a C module has one face, but for what the toolchain itself lacks`() {
        let faces = ["face", "phone"]
        for row in table.rows where !faces.contains(row.layer) {
            let foreign = row.modules.intersection(table.targets("C")).subtracting(["CLinux"])
            #expect(foreign.isEmpty, "\(row.target) is no face of \(foreign)")
        }
    }

    @Test func `no target but the opener, the phone and the lab names the opener`() {
        for row in table.rows where row.modules.contains("ReceiptOpening") {
            #expect(["phone", "lab"].contains(row.layer), "\(row.target)")
        }
    }
}
