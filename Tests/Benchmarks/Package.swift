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
    // Compiled without the compiler's own knowledge of the functions that it replaces.
    .target(name: "CMemoryCount", cSettings: [.unsafeFlags(["-fno-builtin"])]),
    .target(name: "BenchmarkTools", swiftSettings: settings),
    .executableTarget(
      name: "EngineBenchmarks",
      dependencies: [
        "BenchmarkTools", "CMalloc",
        product("ALSASoundCard"), product("AudioCore"), product("AudioPlayerClient"),
        product("AudioPlayerClientLive"), product("AudioRecorderClient"),
        product("AudioRecorderClientLive"), product("AudioThreads"),
        product("ClientDependencies"), product("SoundCard"), product("VirtualSoundCard"),
      ],
      swiftSettings: settings),
    .executableTarget(
      name: "ReducerBenchmarks",
      dependencies: [
        "BenchmarkTools", "CMalloc", product("ClientDependencies"), product("Reducers"),
        product("ReducersMacros"),
      ],
      swiftSettings: settings),
    .executableTarget(
      name: "SpeechBenchmarks",
      dependencies: [
        "BenchmarkTools", "CMemoryCount",
        product("AudioCore"), product("AudioRecorderClient"), product("AudioRecorderClientLive"),
        product("ClientDependencies"), product("MoonshineEngine"), product("PocketSphinxEngine"),
        product("Resampling"), product("SileroDetector"), product("SoundCard"),
        product("SoundFile"), product("SpeechClient"), product("SpeechClientLive"),
        product("SpeechEngine"), product("Transcripts"), product("VirtualSoundCard"),
      ],
      swiftSettings: settings),
    .executableTarget(
      name: "ToolBenchmarks",
      dependencies: [
        "BenchmarkTools", "CLoudness",
        product("AudioCore"), product("SoundFile"),
      ],
      swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
