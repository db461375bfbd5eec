// swift-tools-version: 6.1
import PackageDescription

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

func product(_ name: String) -> Target.Dependency { .product(name: name, package: "syrinx") }

let package = Package(
  name: "benchmarks",
  dependencies: [.package(name: "syrinx", path: "../..", traits: ["Macros", "Reducers"])],
  targets: [
    .executableTarget(
      name: "DependencyBenchmarks", dependencies: [product("ClientDependencies")],
      swiftSettings: settings),
    .systemLibrary(name: "CLoudness"),
    .systemLibrary(name: "CMalloc"),
    // The compiler must not treat the replaced functions as built-in functions.
    .target(name: "CMemoryCount", cSettings: [.unsafeFlags(["-fno-builtin"])]),
    .target(name: "BenchmarkTools", swiftSettings: settings),
    .executableTarget(
      name: "EngineBenchmarks",
      dependencies: ["BenchmarkTools", "CMalloc", product("Syrinx")],
      swiftSettings: settings),
    .executableTarget(
      name: "ReducerBenchmarks",
      dependencies: [
        "BenchmarkTools", "CMalloc", product("ClientDependencies"), product("Reducers"),
        product("ReducersMacros"),
      ],
      swiftSettings: settings),
    .executableTarget(
      name: "ServerBenchmarks", dependencies: ["BenchmarkTools"], swiftSettings: settings),
    .executableTarget(
      name: "SpeechBenchmarks",
      dependencies: ["BenchmarkTools", "CMemoryCount", product("Syrinx")],
      swiftSettings: settings),
    .executableTarget(
      name: "ToolBenchmarks",
      dependencies: ["BenchmarkTools", "CLoudness", product("Syrinx")],
      swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
