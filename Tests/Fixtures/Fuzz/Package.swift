// swift-tools-version: 6.1
import PackageDescription

// A fuzzer for the code that reads untrusted bytes. Tests/Support/fuzz.sh builds it, with every
// module of the repository instrumented, and runs it.
func product(_ name: String) -> Target.Dependency { .product(name: name, package: "syrinx") }

let package = Package(
  name: "fuzz",
  dependencies: [.package(name: "syrinx", path: "../../..", traits: ["Command", "Plots"])],
  targets: [
    .executableTarget(
      name: "Fuzz",
      dependencies: [product("SpeechServer"), product("Syrinx"), product("SyrinxCommand")],
      swiftSettings: [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
      ])
  ],
  swiftLanguageModes: [.v6]
)
