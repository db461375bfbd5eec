import Testing

@Suite struct PackageManifestTests {
  @Test func `each folder of sources and tests is a target and each target has a folder`() throws {
    let repository = Repository()
    let declared = PackageManifest.folders(in: try repository.text(of: "Package.swift"))
    let sources = try repository.folders(in: "Sources").map { "Sources/\($0)" }
    let tests = try repository.folders(in: "Tests").map { "Tests/\($0)" }
      .filter { !Self.withoutTarget.contains($0) }
    #expect(
      declared.filter(Self.isInUsualPlace).sorted()
        == (sources + tests + Self.sharedByTests).sorted())
  }

  /// Folders that hold material for tests, or a separate package, and no target.
  private static let withoutTarget: Set = ["Tests/Benchmarks", "Tests/Fixtures", "Tests/Support"]

  /// The modules that several test targets share.
  private static let sharedByTests = ["Tests/Support/ONNXTestTools", "Tests/Support/TestTools"]

  private static func isInUsualPlace(_ folder: String) -> Bool {
    folder.hasPrefix("Sources/") || folder.hasPrefix("Tests/")
  }

  @Test func `nothing but tests links what is for tests`() throws {
    let mentions = PackageManifest.mentions(in: try Repository().text(of: "Package.swift"))
    let forTests: Set = [
      "ClientDependenciesTestSupport", "ONNXTestTools", "TestTools", "issueReportingTestSupport",
    ]
    let linking = mentions.filter { !$0.value.isDisjoint(with: forTests) }.keys
    #expect(linking.contains("Tests/ClientDependenciesTests"))
    #expect(
      linking.filter { !$0.hasSuffix("Tests") }.sorted()
        == ["Sources/ClientDependenciesTestSupport"] + Self.sharedByTests)
  }

  @Test func `nothing but the macros and what shows them depends on SwiftSyntax`() throws {
    let mentions = PackageManifest.mentions(in: try Repository().text(of: "Package.swift"))
    let syntax: Set = [
      "swiftSyntax", "swiftSyntaxTestSupport", "swift-syntax", "ClientDependenciesMacros",
      "ClientDependenciesMacrosPlugin", "ReducersMacros", "ReducersMacrosPlugin",
    ]
    let dependent = mentions.filter { !$0.value.isDisjoint(with: syntax) }.keys
    #expect(
      dependent.sorted() == [
        "Samples/SpeechToText", "Samples/SpeechToTextFeature", "Samples/VoiceMemos",
        "Samples/VoiceMemosFeature",
        "Sources/ClientDependenciesMacros", "Sources/ClientDependenciesMacrosPlugin",
        "Sources/ReducersMacros", "Sources/ReducersMacrosPlugin",
        "Tests/ClientDependenciesMacrosPluginTests", "Tests/ClientDependenciesMacrosTests",
        "Tests/DocumentationTests", "Tests/ReducersMacrosPluginTests", "Tests/ReducersMacrosTests",
      ])
  }

  @Test func `a target's dependencies are read from its declaration alone`() {
    let manifest = """
      func library(_ name: String) -> Target { .target(name: name) }
      targets: [library("A", ["B", c]), .target(name: "D", dependencies: [.product(name: "E")])]
      """
    let mentions = PackageManifest.mentions(in: manifest)
    #expect(mentions["Sources/A"] == ["A", "B", "c"])
    #expect(mentions["Sources/D"]?.isSuperset(of: ["D", "E"]) == true)
    #expect(mentions["Sources/D"]?.contains("B") == false)
  }

  @Test func `targets are read from a manifest, products and dependencies are not`() {
    let manifest = """
      func library(_ name: String) -> Target { .target(name: name, path: "x") }
      func tests(_ name: String) -> Target { .testTarget(name: "\\(name)Tests") }
      func other(_ name: String) -> Target.Dependency { .product(name: name, package: "o") }
      let package = Package(
        name: "p",
        products: [.library(name: "Product", targets: ["A"]), .executable(name: "E", targets: [])],
        dependencies: [.package(url: "u", from: "1.0.0")],
        targets: [
          library("A"), // library("No")
          library("G", [other("No")]),
          .systemLibrary(name: "CB", pkgConfig: "b"), .executableTarget(name: "tool"),
          .macro(name: "M"), tests("A"), .testTarget(name: "OtherTests"),
          .target(name: "F", dependencies: [.product(name: "P", package: "p")], path: "Samples/F"),
        ])
      """
    #expect(
      PackageManifest.folders(in: manifest) == [
        "Sources/A", "Sources/CB", "Sources/tool", "Sources/M", "Tests/ATests", "Tests/OtherTests",
        "Samples/F", "Sources/G",
      ])
  }
}
