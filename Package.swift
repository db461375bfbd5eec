// swift-tools-version: 6.1
import CompilerPluginSupport
import PackageDescription

/// Every target is built the same way: Swift 6 mode, explicit `any`, imports that stay internal
/// unless they say otherwise, and only the members of modules that the file itself imports.
let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

func library(
  _ name: String, _ dependencies: [Target.Dependency] = [], path: String? = nil
) -> Target {
  .target(name: name, dependencies: dependencies, path: path, swiftSettings: settings)
}

func tests(
  _ name: String, _ dependencies: [Target.Dependency] = [], path: String? = nil
) -> Target {
  .testTarget(
    name: "\(name)Tests", dependencies: dependencies, path: path, swiftSettings: settings)
}

func sample(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .executableTarget(
    name: name, dependencies: dependencies, path: "Samples/\(name)", swiftSettings: settings)
}

/// A product of a package that only a part of the products needs: without the trait, nobody fetches the package.
func product(_ name: String, _ package: String, trait: String) -> Target.Dependency {
  .product(name: name, package: package, condition: .when(traits: [trait]))
}

let argumentParser = product("ArgumentParser", "swift-argument-parser", trait: "Command")
let yaml: Target.Dependency = .target(name: "CLibYAML", condition: .when(traits: ["Command"]))
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let issueReporting = product("IssueReporting", "xctest-dynamic-overlay", trait: "Foundation")
let issueReportingTestSupport = product(
  "IssueReportingTestSupport", "xctest-dynamic-overlay", trait: "Foundation")

/// For whoever draws: only with the trait.
let plots: Target.Dependency = .target(name: "AudioPlots", condition: .when(traits: ["Plots"]))

/// For the Wyoming server alone: nobody else waits for it to be built.
let serving: [Target.Dependency] =
  ["NIOCore", "NIOHTTP1", "NIOPosix"].map { product($0, "swift-nio", trait: "Server") }
  + [product("CoreMetrics", "swift-metrics", trait: "Server")]

/// A product of Point-Free's package.
func pointFree(_ name: String) -> Target.Dependency {
  product(name, "swift-dependencies", trait: "PointFreeDependencies")
}

/// What reads and writes Swift takes minutes to build: no target but the macros depends on it.
let swiftSyntax: [Target.Dependency] = [
  "SwiftCompilerPlugin", "SwiftDiagnostics", "SwiftSyntax", "SwiftSyntaxBuilder",
  "SwiftSyntaxMacros",
].map { product($0, "swift-syntax", trait: "Macros") }
let swiftSyntaxTestSupport: [Target.Dependency] = [
  "SwiftDiagnostics", "SwiftSyntax", "SwiftSyntaxMacroExpansion", "SwiftSyntaxMacros",
  "SwiftSyntaxMacrosGenericTestSupport",
].map { product($0, "swift-syntax", trait: "Macros") }

let package = Package(
  name: "syrinx",
  products: [
    .library(name: "ALSASoundCard", targets: ["ALSASoundCard"]),
    .library(name: "AudioCore", targets: ["AudioCore"]),
    .library(name: "AudioPlots", targets: ["AudioPlots"]),
    .library(name: "AudioPlayerClient", targets: ["AudioPlayerClient"]),
    .library(name: "AudioPlayerClientLive", targets: ["AudioPlayerClientLive"]),
    .library(name: "AudioRecorderClient", targets: ["AudioRecorderClient"]),
    .library(name: "AudioRecorderClientLive", targets: ["AudioRecorderClientLive"]),
    .library(name: "AudioThreads", targets: ["AudioThreads"]),
    .library(name: "ClientDependencies", targets: ["ClientDependencies"]),
    .library(name: "ClientDependenciesMacros", targets: ["ClientDependenciesMacros"]),
    .library(
      name: "ClientDependenciesTestSupport", targets: ["ClientDependenciesTestSupport"]),
    .library(name: "Conversion", targets: ["Conversion"]),
    .library(name: "Loudness", targets: ["Loudness"]),
    .library(name: "MoonshineEngine", targets: ["MoonshineEngine"]),
    .library(name: "ONNXRuntime", targets: ["ONNXRuntime"]),
    .library(name: "PocketSphinxEngine", targets: ["PocketSphinxEngine"]),
    .library(name: "Reducers", targets: ["Reducers"]),
    .library(name: "ReducersMacros", targets: ["ReducersMacros"]),
    .library(name: "Resampling", targets: ["Resampling"]),
    .library(name: "SileroDetector", targets: ["SileroDetector"]),
    .library(name: "SoundCard", targets: ["SoundCard"]),
    .library(name: "SoundFile", targets: ["SoundFile"]),
    .library(name: "SpeechClient", targets: ["SpeechClient"]),
    .library(name: "SpeechClientLive", targets: ["SpeechClientLive"]),
    .library(name: "SpeechEngine", targets: ["SpeechEngine"]),
    // For Tests/Fixtures/Fuzz only.
    .library(name: "SyrinxCommand", targets: ["SyrinxCommand"]),
    .library(name: "SyrinxTestSupport", targets: ["SyrinxTestSupport"]),
    .library(name: "Transcripts", targets: ["Transcripts"]),
    .library(name: "VirtualSoundCard", targets: ["VirtualSoundCard"]),
    .library(name: "VoskEngine", targets: ["VoskEngine"]),
    .library(name: "Wyoming", targets: ["Wyoming"]),
    .library(name: "WyomingEngine", targets: ["WyomingEngine"]),
    .library(name: "WyomingServer", targets: ["WyomingServer"]),
    .executable(name: "syrinx", targets: ["syrinx"]),
  ],
  traits: [
    .default(enabledTraits: ["Command", "Foundation", "Macros", "Plots", "Reducers"]),
    .trait(
      name: "Command", description: "The command, and what parses its arguments and settings.",
      enabledTraits: ["Server"]),
    .trait(name: "Macros", description: "The macros, and SwiftSyntax."),
    .trait(
      name: "Reducers", description: "Reducers and ReducersMacros.", enabledTraits: ["Foundation"]),
    .trait(name: "Server", description: "WyomingServer, on SwiftNIO and swift-metrics."),
    .trait(
      name: "Plots", description: "The command draws plots, and links cairo, kissfft, and libpng."),
    .trait(
      name: "Foundation",
      description: "Issues fail tests, and ClientDependencies has what needs all of Foundation."),
    .trait(
      name: "PointFreeDependencies",
      description: "ClientDependencies re-exports Point-Free's swift-dependencies.",
      enabledTraits: ["Foundation"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
    .package(url: "https://github.com/pointfreeco/swift-custom-dump", from: "1.7.0"),
    .package(url: "https://github.com/pointfreeco/swift-dependencies", from: "1.9.0"),
    .package(url: "https://github.com/pointfreeco/xctest-dynamic-overlay", from: "1.13.0"),
    .package(url: "https://github.com/swiftlang/swift-syntax", from: "603.0.1"),
  ],
  targets: [
    // C libraries: a module map and a shim, one importing target each.
    .systemLibrary(name: "CALSA", pkgConfig: "alsa", providers: [.apt(["libasound2-dev"])]),
    .systemLibrary(name: "CCairo", pkgConfig: "cairo", providers: [.apt(["libcairo2-dev"])]),
    .systemLibrary(
      name: "CEBUR128", pkgConfig: "libebur128", providers: [.apt(["libebur128-dev"])]),
    // The flags of its pkg-config file are not allowed; the module map names what is needed.
    .systemLibrary(name: "CKissFFT", providers: [.apt(["libkissfft-dev"])]),
    .systemLibrary(name: "CLinux"),
    // Its pkg-config file would link libsphinxad and libpulse; the module map names what is needed.
    .systemLibrary(
      name: "CPocketSphinx",
      providers: [.apt(["libpocketsphinx-dev", "libsphinxbase-dev", "pocketsphinx-en-us"])]),
    .systemLibrary(
      name: "CSndFile", pkgConfig: "sndfile", providers: [.apt(["libsndfile1-dev"])]),
    .systemLibrary(name: "CFLAC", pkgConfig: "flac", providers: [.apt(["libflac-dev"])]),
    .systemLibrary(
      name: "CMPG123", pkgConfig: "libmpg123", providers: [.apt(["libmpg123-dev"])]),
    .systemLibrary(name: "CPNG", pkgConfig: "libpng", providers: [.apt(["libpng-dev"])]),
    .systemLibrary(name: "CSoxr", pkgConfig: "soxr", providers: [.apt(["libsoxr-dev"])]),
    .systemLibrary(name: "CVorbis", pkgConfig: "vorbisenc", providers: [.apt(["libvorbis-dev"])]),
    // C++ with a C interface, because TagLib's own has neither pictures nor chapters: libtag1-dev.
    .target(name: "CTagLib", linkerSettings: [.linkedLibrary("tag")]),
    .systemLibrary(name: "CLibYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),

    // The vocabulary.
    library("AudioCore"),
    library("AudioThreads", ["CLinux", logging]),
    library("FilePaths"),

    // Dependencies that a feature controls.
    library("ClientDependencies", [issueReporting, pointFree("Dependencies")]),
    library(
      "ClientDependenciesMacros",
      ["ClientDependencies", "ClientDependenciesMacrosPlugin", pointFree("DependenciesMacros")]),
    .macro(
      name: "ClientDependenciesMacrosPlugin", dependencies: swiftSyntax, swiftSettings: settings),
    library(
      "ClientDependenciesTestSupport",
      ["ClientDependencies", issueReportingTestSupport, pointFree("DependenciesTestSupport")]),

    // The seams.
    library("SoundCard", ["AudioCore", "AudioThreads", "ClientDependencies"]),
    library("SpeechEngine", ["AudioCore", "AudioThreads", "ClientDependencies", "FilePaths"]),

    // One owner per C library.
    library(
      "ALSASoundCard",
      [
        "AudioCore", "AudioThreads", "CALSA", "ClientDependencies", "FilePaths", "SoundCard",
        logging,
      ]),
    library(
      "PocketSphinxEngine",
      ["AudioCore", "ClientDependencies", "CPocketSphinx", "FilePaths", "SpeechEngine", logging]),
    library("AudioPlots", ["AudioCore", "CCairo", "CKissFFT", "CPNG"]),
    library("Loudness", ["AudioCore", "CEBUR128"]),
    // Features: nothing of audio in them.
    library(
      "Reducers",
      [
        "ClientDependencies", product("CustomDump", "swift-custom-dump", trait: "Reducers"),
        issueReporting, product("OrderedCollections", "swift-collections", trait: "Reducers"),
      ]),
    library("ReducersMacros", ["ClientDependenciesMacros", "Reducers", "ReducersMacrosPlugin"]),
    .macro(name: "ReducersMacrosPlugin", dependencies: swiftSyntax, swiftSettings: settings),
    library("Resampling", ["AudioCore", "CSoxr"]),
    library(
      "SoundFile",
      [
        "AudioCore", "AudioThreads", "CFLAC", "CMPG123", "CSndFile", "CTagLib", "CVorbis",
        "FilePaths", logging,
      ]),

    // Files converted into others.
    library(
      "Conversion",
      ["AudioCore", "AudioThreads", "FilePaths", "Loudness", "Resampling", "SoundFile"]),

    // Libraries that are loaded at run time, and engines that use them.
    library("ONNXRuntime", ["AudioThreads", "FilePaths", "SpeechEngine", logging]),
    library("SileroDetector", ["AudioCore", "FilePaths", "ONNXRuntime", "SpeechEngine"]),
    library("VoskEngine", ["AudioCore", "FilePaths", "SpeechEngine", logging]),
    library(
      "MoonshineEngine",
      [
        "AudioCore", "AudioThreads", "FilePaths", "ONNXRuntime", "PocketSphinxEngine",
        "SpeechEngine", logging,
      ]),

    // The Wyoming protocol, and an engine that is somebody else's server.
    library("Wyoming", ["AudioCore"]),
    library(
      "WyomingEngine", ["AudioCore", "AudioThreads", "FilePaths", "SpeechEngine", "Wyoming"]),

    // The clients' interfaces.
    library("AudioPlayerClient", ["AudioCore", "ClientDependencies", "FilePaths"]),
    library("AudioRecorderClient", ["AudioCore", "ClientDependencies", "FilePaths"]),
    library("SpeechClient", ["AudioCore", "AudioRecorderClient", "ClientDependencies"]),

    // Transcriptions as subtitles, and the measure of their errors.
    library("Transcripts", ["AudioCore", "SpeechClient"]),

    // The clients' engines.
    library(
      "AudioPlayerClientLive",
      [
        "AudioCore", "AudioPlayerClient", "AudioThreads", "ClientDependencies", "FilePaths",
        "Resampling", "SoundCard", "SoundFile",
      ]),
    library(
      "AudioRecorderClientLive",
      [
        "AudioCore", "AudioRecorderClient", "AudioThreads", "ClientDependencies", "FilePaths",
        "Resampling", "SoundCard", "SoundFile",
      ]),
    library(
      "SpeechClientLive",
      [
        "AudioCore", "AudioThreads", "ClientDependencies", "FilePaths", "Resampling", "SoundCard",
        "SoundFile", "SpeechClient", "SpeechEngine", "Transcripts",
      ]),

    // Our recognizer for others.
    library(
      "WyomingServer",
      [
        "AudioCore", "AudioThreads", "ClientDependencies", "FilePaths", "SpeechClient",
        "SpeechEngine", "Transcripts", "Wyoming",
      ] + serving),

    // Without hardware: for the command's virtual device, and for the tests of users.
    library("VirtualSoundCard", ["AudioCore", "AudioThreads", "ClientDependencies", "SoundCard"]),
    library(
      "SyrinxTestSupport",
      [
        "AudioCore", "AudioRecorderClient", "AudioThreads", "ClientDependencies", "FilePaths",
        "SoundCard", "SoundFile", "SpeechClient", "SpeechEngine", "VirtualSoundCard",
      ]),

    // The command: its work, and the executable that chooses the live values.
    library(
      "SyrinxCommand",
      [
        "AudioCore", "AudioPlayerClient", "AudioRecorderClient", "AudioThreads",
        "ClientDependencies", "Conversion", "FilePaths", "Loudness", "ONNXRuntime", "SoundCard",
        "SoundFile", "SpeechClient", "SpeechEngine", "Transcripts", "VirtualSoundCard", "Wyoming",
        "WyomingServer", plots, argumentParser, logging, yaml,
      ]),
    .executableTarget(
      name: "syrinx",
      dependencies: [
        "ALSASoundCard", "AudioPlayerClientLive", "AudioRecorderClientLive", "FilePaths",
        "MoonshineEngine", "ONNXRuntime", "PocketSphinxEngine", "SileroDetector",
        "SpeechClientLive", "SpeechEngine", "SyrinxCommand", "VoskEngine", "Wyoming",
        "WyomingEngine",
      ],
      swiftSettings: settings),
    // Samples: what a user's own programs look like.
    sample(
      "PlayFile",
      [
        "ALSASoundCard", "AudioCore", "AudioPlayerClient", "AudioPlayerClientLive",
        "ClientDependencies", "SoundCard", "VirtualSoundCard",
      ]),
    sample(
      "TranscribeFile",
      ["AudioCore", "ClientDependencies", "PocketSphinxEngine", "SpeechClient", "SpeechClientLive"]),
    sample(
      "RecordSpeech",
      [
        "ClientDependencies", "PocketSphinxEngine", "SpeechClient", "SpeechClientLive",
        "SyrinxTestSupport",
      ]),
    // Features with a terminal front end.
    library("TerminalScreen", ["AudioThreads", "Reducers"], path: "Samples/TerminalScreen"),
    library(
      "VoiceMemosFeature",
      [
        "AudioCore", "AudioPlayerClient", "AudioRecorderClient", "AudioThreads",
        "ClientDependencies", "ClientDependenciesMacros", "ReducersMacros", "SoundFile",
      ],
      path: "Samples/VoiceMemosFeature"),
    sample(
      "VoiceMemos",
      [
        "ALSASoundCard", "AudioCore", "AudioPlayerClientLive", "AudioRecorderClientLive",
        "ClientDependencies", "ReducersMacros", "SoundCard", "TerminalScreen", "VirtualSoundCard",
        "VoiceMemosFeature",
      ]),
    tests(
      "VoiceMemos",
      [
        "AudioPlayerClientLive", "AudioRecorderClientLive", "ClientDependenciesTestSupport",
        "SyrinxTestSupport", "VoiceMemosFeature",
      ],
      path: "Samples/VoiceMemosTests"),
    library(
      "SpeechToTextFeature",
      ["AudioCore", "AudioRecorderClient", "ClientDependencies", "ReducersMacros", "SpeechClient"],
      path: "Samples/SpeechToTextFeature"),
    sample(
      "SpeechToText",
      [
        "ALSASoundCard", "AudioCore", "AudioRecorderClientLive", "ClientDependencies",
        "PocketSphinxEngine", "ReducersMacros", "SoundCard", "SoundFile", "SpeechClientLive",
        "SpeechToTextFeature", "TerminalScreen", "VirtualSoundCard",
      ]),
    tests(
      "SpeechToText",
      [
        "AudioRecorderClientLive", "ClientDependenciesTestSupport", "SpeechClientLive",
        "SpeechEngine", "SpeechToTextFeature", "SyrinxTestSupport",
      ],
      path: "Samples/SpeechToTextTests"),
    library(
      "Dictation", ["ClientDependencies", "SpeechClient"], path: "Samples/Dictation"),
    tests(
      "Dictation",
      [
        "AudioThreads", "ClientDependenciesTestSupport", "Dictation", "SpeechClientLive",
        "SpeechEngine", "SyrinxTestSupport",
      ],
      path: "Samples/DictationTests"),
    library(
      "RoomMonitor", ["AudioCore", "AudioRecorderClient", "ClientDependencies"],
      path: "Samples/RoomMonitor"),
    tests(
      "RoomMonitor",
      ["AudioRecorderClientLive", "RoomMonitor", "SoundCard", "SyrinxTestSupport"],
      path: "Samples/RoomMonitorTests"),

    // What the tests share.
    library(
      "TestTools", ["AudioCore", "AudioThreads", "ClientDependencies", "SoundCard"],
      path: "Tests/Support/TestTools"),
    library(
      "ONNXTestTools", ["FilePaths", "ONNXRuntime"], path: "Tests/Support/ONNXTestTools"),

    // Tests.
    tests(
      "ALSASoundCard",
      [
        "ALSASoundCard", "AudioCore", "AudioPlayerClientLive", "AudioRecorderClientLive",
        "AudioThreads", "ClientDependencies", "SoundCard", "SoundFile",
      ]),
    tests("Architecture"),
    tests("AudioCore", ["AudioCore", "ClientDependencies", "SyrinxTestSupport"]),
    tests("AudioPlots", ["AudioCore", "AudioPlots", "TestTools"]),
    tests("AudioPlayerClient", ["AudioPlayerClient", "ClientDependenciesTestSupport"]),
    tests(
      "AudioPlayerClientLive",
      [
        "AudioPlayerClientLive", "ClientDependenciesTestSupport", "TestTools", "VirtualSoundCard",
      ]),
    tests("AudioRecorderClient", ["AudioRecorderClient", "ClientDependenciesTestSupport"]),
    tests(
      "AudioRecorderClientLive",
      [
        "AudioRecorderClientLive", "ClientDependenciesTestSupport", "TestTools", "VirtualSoundCard",
      ]),
    tests("AudioThreads", ["AudioThreads"]),
    tests("Conversion", ["AudioCore", "Conversion", "Loudness", "SoundFile", "TestTools"]),
    tests("ClientDependencies", ["ClientDependencies", "ClientDependenciesTestSupport"]),
    tests(
      "ClientDependenciesMacros",
      ["ClientDependencies", "ClientDependenciesMacros", "ClientDependenciesTestSupport"]),
    tests(
      "ClientDependenciesMacrosPlugin",
      ["ClientDependenciesMacrosPlugin"] + swiftSyntaxTestSupport),
    tests("ClientDependenciesTestSupport", ["ClientDependenciesTestSupport"]),
    tests(
      "Documentation",
      [
        "ALSASoundCard", "AudioCore", "AudioPlayerClient", "AudioPlayerClientLive",
        "AudioRecorderClient", "ClientDependencies", "ClientDependenciesMacros",
        "ClientDependenciesTestSupport", "Conversion", "Dictation", "Loudness", "MoonshineEngine",
        "PocketSphinxEngine", "ReducersMacros", "SileroDetector", "SoundCard", "SoundFile",
        "SpeechClient", "SpeechEngine", "TestTools", "Transcripts", "VirtualSoundCard",
        "VoskEngine", plots,
      ]),
    tests("FilePaths", ["FilePaths", "TestTools"]),
    tests("Loudness", ["AudioCore", "CEBUR128", "Loudness", "SoundFile", "TestTools"]),
    tests(
      "MoonshineEngine",
      [
        "AudioCore", "ClientDependencies", "FilePaths", "MoonshineEngine", "ONNXRuntime",
        "ONNXTestTools", "PocketSphinxEngine", "SoundFile", "SpeechClient",
        "SpeechClientLive", "SpeechEngine", "TestTools", "Transcripts",
      ]),
    tests(
      "ONNXRuntime",
      [
        "AudioThreads", "FilePaths", "ONNXRuntime", "ONNXTestTools", "SpeechEngine", "TestTools",
      ]),
    tests(
      "PocketSphinxEngine",
      [
        "AudioCore", "CPocketSphinx", "PocketSphinxEngine", "SoundFile", "SpeechEngine",
        "TestTools", logging,
      ]),
    tests(
      "Resampling",
      [
        "AudioCore", "Resampling", "SyrinxTestSupport", "TestTools",
      ]),
    tests(
      "SoundFile",
      [
        "AudioCore", "AudioThreads", "CTagLib", "Resampling", "SoundFile", "TestTools",
      ]),
    tests(
      "SpeechClient",
      [
        "AudioCore", "AudioRecorderClient", "ClientDependencies", "ClientDependenciesTestSupport",
        "SpeechClient",
      ]),
    tests(
      "SpeechClientLive",
      [
        "AudioCore", "AudioRecorderClient", "AudioRecorderClientLive", "AudioThreads",
        "ClientDependencies", "ClientDependenciesTestSupport", "PocketSphinxEngine", "Resampling",
        "SileroDetector", "SoundCard", "SoundFile", "SpeechClient", "SpeechClientLive",
        "SpeechEngine", "SyrinxTestSupport", "TestTools", "Transcripts", "VoskEngine",
      ]),
    tests(
      "SpeechEngine",
      ["AudioCore", "ClientDependencies", "ClientDependenciesTestSupport", "SpeechEngine"]),
    tests(
      "SyrinxCommand",
      [
        "AudioCore", "AudioPlayerClient", "AudioRecorderClient", "AudioThreads",
        "ClientDependencies", "Conversion", "FilePaths", "Loudness", "ONNXRuntime", "SoundCard",
        "SoundFile", "SpeechClient", "SpeechEngine", "SyrinxCommand", "TestTools", "Transcripts",
        "VirtualSoundCard", "Wyoming", "WyomingEngine", "syrinx", plots, argumentParser,
      ]),
    tests(
      "Samples",
      [
        "AudioThreads", "PlayFile", "RecordSpeech", "SpeechToText", "TerminalScreen", "TestTools",
        "TranscribeFile",
        "VoiceMemos",
      ]),
    tests(
      "SyrinxTestSupport",
      [
        "AudioCore", "AudioPlayerClient", "AudioPlayerClientLive", "AudioRecorderClient",
        "AudioRecorderClientLive", "ClientDependencies", "ClientDependenciesTestSupport",
        "SoundCard", "SoundFile", "SpeechClient", "SpeechClientLive", "SpeechEngine",
        "SyrinxTestSupport", "TestTools",
      ]),
    tests(
      "SileroDetector",
      [
        "AudioCore", "FilePaths", "ONNXRuntime", "ONNXTestTools", "SileroDetector", "SoundFile",
        "SpeechEngine", "TestTools",
      ]),
    tests("SoundCard", ["AudioCore", "AudioThreads", "ClientDependencies", "SoundCard"]),
    tests("Reducers", ["ClientDependencies", "Reducers"]),
    tests(
      "ReducersMacrosPlugin", ["ReducersMacrosPlugin"] + swiftSyntaxTestSupport),
    tests("ReducersMacros", ["ClientDependencies", "ClientDependenciesMacros", "ReducersMacros"]),
    tests("Transcripts", ["SpeechClient", "TestTools", "Transcripts"]),
    tests(
      "VirtualSoundCard",
      ["ClientDependencies", "ClientDependenciesTestSupport", "SoundCard", "VirtualSoundCard"]),
    tests("VoskEngine", ["AudioCore", "SpeechEngine", "VoskEngine"]),
    tests(
      "Wyoming",
      [
        "AudioCore", "TestTools", "Wyoming",
      ]),
    tests(
      "WyomingEngine", ["AudioCore", "AudioThreads", "SpeechEngine", "Wyoming", "WyomingEngine"]),
    tests(
      "WyomingServer",
      [
        "AudioCore", "AudioThreads", "ClientDependencies", "ClientDependenciesTestSupport",
        "SpeechClient", "SpeechEngine", "Wyoming", "WyomingEngine", "WyomingServer",
        product("CoreMetrics", "swift-metrics", trait: "Server"),
      ]),
  ],
  swiftLanguageModes: [.v6],
  cxxLanguageStandard: .cxx17
)
