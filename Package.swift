// swift-tools-version: 6.1
import CompilerPluginSupport
import PackageDescription

/// The settings of every target: Swift 6 mode, explicit `any`, internal imports by default, and
/// only members of modules that the file imports.
let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// Returns the target in a directory of `Sources`: "Audio/SoundFile" is the module `SoundFile`.
func library(
  _ directory: String, _ dependencies: [Target.Dependency] = [], in parent: String = "Sources",
  resources: [Resource]? = nil
) -> Target {
  .target(
    name: lastComponent(of: directory), dependencies: dependencies, path: "\(parent)/\(directory)",
    resources: resources, swiftSettings: settings)
}

/// A module map of `Sources/CLibraries`, and the Debian packages that it needs.
func cLibrary(_ name: String, pkgConfig: String? = nil, packages: [String] = []) -> Target {
  .systemLibrary(
    name: name, path: "Sources/CLibraries/\(name)", pkgConfig: pkgConfig,
    providers: packages.isEmpty ? nil : [.apt(packages)])
}

/// A plug-in of the compiler.
func macros(_ directory: String) -> Target {
  .macro(
    name: lastComponent(of: directory), dependencies: swiftSyntax, path: "Sources/\(directory)",
    swiftSettings: settings)
}

/// The tests of an area of `Sources`.
///
/// No test depends on a plug-in, because SwiftPM would then build every module a second time, for the
/// host. Instead, the tests contain the plug-in's sources through a link, without its `@main`.
func tests(
  _ area: String, _ dependencies: [Target.Dependency], path: String? = nil, exclude: [String] = []
) -> Target {
  .testTarget(
    name: "\(area)Tests", dependencies: dependencies, path: path ?? "Tests/\(area)",
    exclude: exclude, swiftSettings: settings)
}

func sample(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .executableTarget(
    name: name, dependencies: dependencies, path: "Samples/\(name)", swiftSettings: settings)
}

func lastComponent(of path: String) -> String {
  path.split(separator: "/").last.map(String.init) ?? path
}

/// A product of a package that only some of our products need; without the trait, SwiftPM does not
/// fetch the package.
func product(_ name: String, _ package: String, trait: String) -> Target.Dependency {
  .product(name: name, package: package, condition: .when(traits: [trait]))
}

let argumentParser = product("ArgumentParser", "swift-argument-parser", trait: "Command")
let yaml: Target.Dependency = .target(name: "CLibYAML", condition: .when(traits: ["Command"]))
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let issueReporting = product("IssueReporting", "xctest-dynamic-overlay", trait: "Foundation")
let issueReportingTestSupport = product(
  "IssueReportingTestSupport", "xctest-dynamic-overlay", trait: "Foundation")

/// The drawing of plots, only with the trait `Plots`.
let plots: Target.Dependency = .target(name: "AudioPlots", condition: .when(traits: ["Plots"]))

/// Only the server needs these: without the trait `Server`, they are not built.
let serving: [Target.Dependency] =
  ["NIOCore", "NIOHTTP1", "NIOPosix", "NIOWebSocket"].map {
    product($0, "swift-nio", trait: "Server")
  }
  + [product("CoreMetrics", "swift-metrics", trait: "Server")]

/// A product of Point-Free's package.
func pointFree(_ name: String) -> Target.Dependency {
  product(name, "swift-dependencies", trait: "PointFreeDependencies")
}

/// Only the macros depend on SwiftSyntax, because it takes minutes to build.
let swiftSyntax: [Target.Dependency] = [
  "SwiftCompilerPlugin", "SwiftDiagnostics", "SwiftSyntax", "SwiftSyntaxBuilder",
  "SwiftSyntaxMacros",
].map { product($0, "swift-syntax", trait: "Macros") }
let swiftSyntaxTestSupport: [Target.Dependency] = [
  "SwiftDiagnostics", "SwiftSyntax", "SwiftSyntaxBuilder", "SwiftSyntaxMacroExpansion",
  "SwiftSyntaxMacros", "SwiftSyntaxMacrosGenericTestSupport",
].map { product($0, "swift-syntax", trait: "Macros") }

let package = Package(
  name: "syrinx",
  products: [
    // Everything for an app, and everything for its tests.
    .library(name: "Syrinx", targets: ["Syrinx"]),
    .library(name: "SyrinxTestSupport", targets: ["SyrinxTestSupport"]),
    // Without C libraries: the interfaces of the clients, for a package of features.
    .library(
      name: "SyrinxClients", targets: ["AudioPlayerClient", "AudioRecorderClient", "SpeechClient"]),
    // Without libasound: files, conversion, and the recognition of files.
    .library(
      name: "SyrinxFiles",
      targets: [
        "Conversion", "MoonshineEngine", "PocketSphinxEngine", "SpeechClientLive", "WhisperEngine",
      ]),
    // With cairo, kissfft, and libpng.
    .library(name: "AudioPlots", targets: ["AudioPlots"]),
    // With SwiftNIO and swift-metrics.
    .library(name: "SpeechServer", targets: ["SpeechServer"]),
    // With swift-argument-parser and libyaml: for Tests/Fixtures/Fuzz.
    .library(name: "SyrinxCommand", targets: ["SyrinxCommand"]),
    // Without audio. The macros build SwiftSyntax.
    .library(name: "ClientDependencies", targets: ["ClientDependencies"]),
    .library(name: "ClientDependenciesMacros", targets: ["ClientDependenciesMacros"]),
    .library(
      name: "ClientDependenciesTestSupport", targets: ["ClientDependenciesTestSupport"]),
    .library(name: "Reducers", targets: ["Reducers"]),
    .library(name: "ReducersMacros", targets: ["ReducersMacros"]),
    .executable(name: "syrinx", targets: ["syrinx"]),
  ],
  traits: [
    // The default suits an app. `Development` is for this package itself.
    .default(enabledTraits: ["Foundation"]),
    .trait(
      name: "Command", description: "The command, and what parses its arguments and settings.",
      enabledTraits: ["Server"]),
    .trait(
      name: "Development", description: "All that the tests, the samples, and the command need.",
      enabledTraits: ["Command", "Foundation", "Macros", "Plots", "Reducers"]),
    .trait(
      name: "Foundation",
      description: "Issues fail tests, and ClientDependencies has what needs all of Foundation."),
    .trait(name: "Macros", description: "The macros, and SwiftSyntax."),
    .trait(
      name: "Plots", description: "The command draws plots, and links cairo, kissfft, and libpng."),
    .trait(
      name: "PointFreeDependencies",
      description: "ClientDependencies re-exports Point-Free's swift-dependencies.",
      enabledTraits: ["Foundation"]),
    .trait(
      name: "Reducers", description: "Reducers and ReducersMacros.", enabledTraits: ["Foundation"]),
    .trait(name: "Server", description: "SpeechServer, on SwiftNIO and swift-metrics."),
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
    // C libraries: module maps, each imported by one target.
    cLibrary("CALSA", pkgConfig: "alsa", packages: ["libasound2-dev"]),
    cLibrary(
      "CAudioFiles", pkgConfig: "sndfile",
      packages: ["libflac-dev", "libmpg123-dev", "libsndfile1-dev", "libvorbis-dev"]),
    cLibrary("CEBUR128", pkgConfig: "libebur128", packages: ["libebur128-dev"]),
    cLibrary("CLibYAML", pkgConfig: "yaml-0.1", packages: ["libyaml-dev"]),
    cLibrary("CLinux"),
    cLibrary(
      "CPlots", pkgConfig: "cairo",
      packages: ["libcairo2-dev", "libkissfft-dev", "libpng-dev"]),
    // Without pkg-config, which would also link libsphinxad and libpulse; the module map links the
    // necessary libraries.
    cLibrary(
      "CPocketSphinx",
      packages: ["libpocketsphinx-dev", "libsphinxbase-dev", "pocketsphinx-en-us"]),
    cLibrary("CSoxr", pkgConfig: "soxr", packages: ["libsoxr-dev"]),
    // C++ with a C interface, because TagLib's own C interface has neither pictures nor chapters.
    // Needs libtag1-dev.
    .target(
      name: "CTagLib", path: "Sources/CLibraries/CTagLib", linkerSettings: [.linkedLibrary("tag")]),
    // Only declarations, because the library is loaded at run time.
    cLibrary("CWhisper"),

    // For apps and their tests.
    library(
      "Syrinx",
      [
        "ALSASoundCard", "AudioCore", "AudioPlayerClient", "AudioPlayerClientLive",
        "AudioRecorderClient", "AudioRecorderClientLive", "ClientDependencies", "Conversion",
        "FilePaths", "Loudness", "MoonshineEngine", "PocketSphinxEngine", "Resampling",
        "SileroDetector", "SoundCard", "SoundFile", "SpeechClient", "SpeechClientLive",
        "SpeechEngine", "VirtualSoundCard", "VoskEngine", "WhisperEngine", "WyomingEngine",
      ]),
    library(
      "SyrinxTestSupport",
      [
        "AudioCore", "AudioPlayerClient", "AudioRecorderClient", "AudioThreads",
        "ClientDependencies", "ClientDependenciesTestSupport", "FilePaths", "SoundCard",
        "SoundFile", "SpeechClient", "SpeechEngine", "VirtualSoundCard",
      ]),

    // Audio: buffers, formats, levels, operators, files, conversion, loudness.
    library("Audio/AudioCore"),
    library(
      "Audio/Conversion",
      ["AudioCore", "AudioThreads", "FilePaths", "Loudness", "Resampling", "SoundFile"]),
    library("Audio/FilePaths"),
    library("Audio/Loudness", ["AudioCore", "CEBUR128"]),
    library("Audio/Resampling", ["AudioCore", "CSoxr"]),
    library(
      "Audio/SoundFile",
      ["AudioCore", "AudioThreads", "CAudioFiles", "CTagLib", "FilePaths", logging]),

    // Devices: the seam to hardware, ALSA, the virtual card, threads.
    library(
      "Devices/ALSASoundCard",
      [
        "AudioCore", "AudioThreads", "CALSA", "ClientDependencies", "FilePaths", "SoundCard",
        logging,
      ]),
    library("Devices/AudioThreads", ["CLinux", "FilePaths", logging]),
    library("Devices/SoundCard", ["AudioCore", "AudioThreads", "ClientDependencies"]),
    library(
      "Devices/VirtualSoundCard", ["AudioCore", "AudioThreads", "ClientDependencies", "SoundCard"]),

    // Playing and recording: each an interface and a live value.
    library("Playing/AudioPlayerClient", ["AudioCore", "ClientDependencies", "FilePaths"]),
    library(
      "Playing/AudioPlayerClientLive",
      [
        "AudioCore", "AudioPlayerClient", "AudioThreads", "ClientDependencies", "FilePaths",
        "Resampling", "SoundCard", "SoundFile",
      ]),
    library("Recording/AudioRecorderClient", ["AudioCore", "ClientDependencies", "FilePaths"]),
    library(
      "Recording/AudioRecorderClientLive",
      [
        "AudioCore", "AudioRecorderClient", "AudioThreads", "ClientDependencies", "FilePaths",
        "Resampling", "SoundCard", "SoundFile",
      ]),

    // Speech: the client, the seam to engines, and a target for each engine.
    library(
      "Speech/SpeechClient",
      ["AudioCore", "AudioRecorderClient", "ClientDependencies", "FilePaths"]),
    library(
      "Speech/SpeechClientLive",
      [
        "AudioCore", "AudioThreads", "ClientDependencies", "FilePaths", "Resampling", "SoundCard",
        "SoundFile", "SpeechClient", "SpeechEngine",
      ]),
    library(
      "Speech/SpeechEngine", ["AudioCore", "AudioThreads", "ClientDependencies", "FilePaths"]),
    library("Speech/ONNXRuntime", ["AudioThreads", "FilePaths", "SpeechEngine", logging]),
    library("Speech/SileroDetector", ["AudioCore", "FilePaths", "ONNXRuntime", "SpeechEngine"]),
    library(
      "Speech/MoonshineEngine",
      [
        "AudioCore", "AudioThreads", "FilePaths", "ONNXRuntime", "PocketSphinxEngine",
        "SpeechEngine", "WhisperEngine", logging,
      ]),
    library(
      "Speech/PocketSphinxEngine",
      ["AudioCore", "ClientDependencies", "CPocketSphinx", "FilePaths", "SpeechEngine", logging]),
    library("Speech/VoskEngine", ["AudioCore", "FilePaths", "SpeechEngine", logging]),
    library(
      "Speech/WhisperEngine",
      ["AudioCore", "CWhisper", "FilePaths", "ONNXRuntime", "SpeechEngine", logging]),
    library(
      "Speech/WyomingEngine",
      ["AudioCore", "AudioThreads", "FilePaths", "SpeechEngine", "Wyoming"]),

    // Server: our recognizer for other programs.
    library("Server/Wyoming", ["AudioCore"]),
    library(
      "Server/SpeechServer",
      [
        "AudioCore", "AudioThreads", "ClientDependencies", "FilePaths", "SoundFile",
        "SpeechClient", "SpeechEngine", "Wyoming",
      ] + serving, resources: [.embedInCode("HTTP/Page.html"), .embedInCode("HTTP/OpenAPI.json")]),

    // Dependencies that a feature controls.
    library(
      "Dependencies/ClientDependencies", [issueReporting, pointFree("Dependencies")]),
    library(
      "Dependencies/ClientDependenciesMacros",
      ["ClientDependencies", "ClientDependenciesMacrosPlugin", pointFree("DependenciesMacros")]),
    macros("Dependencies/ClientDependenciesMacrosPlugin"),
    library(
      "Dependencies/ClientDependenciesTestSupport",
      ["ClientDependencies", issueReportingTestSupport, pointFree("DependenciesTestSupport")]),

    // Features: without audio.
    library(
      "Features/Reducers",
      [
        "ClientDependencies", product("CustomDump", "swift-custom-dump", trait: "Reducers"),
        issueReporting, product("OrderedCollections", "swift-collections", trait: "Reducers"),
      ]),
    library(
      "Features/ReducersMacros", ["ClientDependenciesMacros", "Reducers", "ReducersMacrosPlugin"]),
    macros("Features/ReducersMacrosPlugin"),

    // The command: its work, its pictures, and the executable that chooses the live values.
    library("Command/AudioPlots", ["AudioCore", "CPlots"]),
    library(
      "Command/SyrinxCommand",
      [
        "AudioCore", "AudioPlayerClient", "AudioRecorderClient", "AudioThreads",
        "ClientDependencies", "Conversion", "FilePaths", "Loudness", "ONNXRuntime", "SoundCard",
        "SoundFile", "SpeechClient", "SpeechEngine", "SpeechServer", "VirtualSoundCard", "Wyoming",
        plots, argumentParser, logging, yaml,
      ]),
    .executableTarget(
      name: "syrinx",
      dependencies: [
        "ALSASoundCard", "AudioPlayerClientLive", "AudioRecorderClientLive", "FilePaths",
        "MoonshineEngine", "ONNXRuntime", "PocketSphinxEngine", "SileroDetector",
        "SpeechClientLive", "SpeechEngine", "SyrinxCommand", "VoskEngine", "WhisperEngine",
        "Wyoming", "WyomingEngine",
      ],
      path: "Sources/Command/syrinx", swiftSettings: settings),

    // Samples: programs as a user would write them.
    sample("EchoDelay", ["Syrinx"]),
    sample("PlayFile", ["Syrinx"]),
    sample("TranscribeFile", ["Syrinx"]),
    sample("RecordSpeech", ["Syrinx", "SyrinxTestSupport"]),
    library("ListeningFeatures", ["Syrinx"], in: "Samples"),
    // Features with a terminal front end.
    library("TerminalScreen", ["AudioThreads", "Reducers"], in: "Samples"),
    sample(
      "VoiceMemos",
      ["AudioThreads", "ClientDependenciesMacros", "ReducersMacros", "Syrinx", "TerminalScreen"]),
    sample("SpeechToText", ["ReducersMacros", "Syrinx", "TerminalScreen"]),
    tests(
      "Samples",
      [
        "AudioThreads", "EchoDelay", "ListeningFeatures", "PlayFile", "RecordSpeech",
        "SpeechToText", "Syrinx", "SyrinxTestSupport", "TerminalScreen", "TestTools",
        "TranscribeFile", "VoiceMemos",
      ],
      path: "Samples/Tests"),

    // Tests: a target for each area.
    library(
      "TestTools", ["AudioCore", "AudioThreads", "ClientDependencies", "SoundCard"],
      in: "Tests/Support"),
    tests(
      "Audio",
      [
        "AudioCore", "AudioThreads", "CEBUR128", "CTagLib", "ClientDependencies", "Conversion",
        "FilePaths", "Loudness", "Resampling", "SoundFile", "SyrinxTestSupport", "TestTools",
      ]),
    tests(
      "Devices",
      [
        "ALSASoundCard", "AudioCore", "AudioPlayerClientLive", "AudioRecorderClientLive",
        "AudioThreads", "ClientDependencies", "ClientDependenciesTestSupport", "FilePaths",
        "SoundCard", "SoundFile", "TestTools", "VirtualSoundCard",
      ]),
    tests(
      "Playing",
      [
        "AudioCore", "AudioPlayerClient", "AudioPlayerClientLive", "AudioThreads",
        "ClientDependencies", "ClientDependenciesTestSupport", "FilePaths", "Resampling",
        "SoundCard", "SoundFile", "TestTools", "VirtualSoundCard",
      ]),
    tests(
      "Recording",
      [
        "AudioCore", "AudioRecorderClient", "AudioRecorderClientLive", "AudioThreads",
        "ClientDependencies", "ClientDependenciesTestSupport", "FilePaths", "Resampling",
        "SoundCard", "SoundFile", "TestTools", "VirtualSoundCard",
      ]),
    tests(
      "Speech",
      [
        "AudioCore", "AudioRecorderClient", "AudioRecorderClientLive", "AudioThreads",
        "CPocketSphinx", "ClientDependencies", "ClientDependenciesTestSupport", "FilePaths",
        "MoonshineEngine", "ONNXRuntime", "PocketSphinxEngine", "Resampling", "SileroDetector",
        "SoundCard", "SoundFile", "SpeechClient", "SpeechClientLive", "SpeechEngine",
        "SyrinxTestSupport", "TestTools", "VirtualSoundCard", "VoskEngine", "WhisperEngine",
        "Wyoming", "WyomingEngine", logging,
      ]),
    tests(
      "Server",
      [
        "AudioCore", "AudioThreads", "ClientDependencies", "ClientDependenciesTestSupport",
        "SoundFile", "SpeechClient", "SpeechEngine", "SpeechServer", "TestTools", "Wyoming",
        "WyomingEngine",
        product("CoreMetrics", "swift-metrics", trait: "Server"),
        product("NIOHTTP1", "swift-nio", trait: "Server"),
      ]),
    tests(
      "Dependencies",
      [
        "ClientDependencies", "ClientDependenciesMacros", "ClientDependenciesTestSupport",
        "TestTools",
      ] + swiftSyntaxTestSupport, exclude: ["ClientDependenciesMacrosPlugin/Sources/Plugin.swift"]),
    tests(
      "Features",
      [
        "ClientDependencies", "ClientDependenciesMacros", "ReducersMacros", "TestTools",
      ] + swiftSyntaxTestSupport, exclude: ["ReducersMacrosPlugin/Sources/Plugin.swift"]),
    tests(
      "Command",
      [
        "AudioCore", "AudioPlayerClient", "AudioRecorderClient", "AudioThreads",
        "ClientDependencies", "Conversion", "FilePaths", "Loudness", "ONNXRuntime", "SoundCard",
        "SoundFile", "SpeechClient", "SpeechEngine", "SyrinxCommand", "TestTools",
        "VirtualSoundCard", "Wyoming", "WyomingEngine", "syrinx", plots, argumentParser,
      ]),
    tests(
      "SyrinxTestSupport",
      [
        "AudioCore", "AudioPlayerClient", "AudioPlayerClientLive", "AudioRecorderClient",
        "AudioRecorderClientLive", "ClientDependencies", "ClientDependenciesTestSupport",
        "SoundCard", "SoundFile", "SpeechClient", "SpeechClientLive", "SpeechEngine", "Syrinx",
        "SyrinxTestSupport", "TestTools",
      ]),
    tests(
      "Project",
      [
        "ALSASoundCard", "AudioCore", "AudioPlayerClient", "AudioPlayerClientLive",
        "AudioRecorderClient", "ClientDependencies", "ClientDependenciesMacros",
        "ClientDependenciesTestSupport", "Conversion", "ListeningFeatures", "Loudness",
        "MoonshineEngine",
        "PocketSphinxEngine", "ReducersMacros", "SileroDetector", "SoundCard", "SoundFile",
        "SpeechClient", "SpeechClientLive", "SpeechEngine", "TestTools", "VirtualSoundCard",
        "VoskEngine", "WhisperEngine", plots,
      ]),
  ],
  swiftLanguageModes: [.v6],
  cxxLanguageStandard: .cxx17
)
