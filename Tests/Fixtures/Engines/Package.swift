// swift-tools-version: 6.1
import PackageDescription

// The modules with threads or tasks, the C modules below them, and their tests. Tests/sanitize.sh
// runs the tests under the sanitizers; Tests/Support/pocketsphinx5.sh runs the PocketSphinx tests
// with PocketSphinx 5. Every module contains `Mutex.swift`.
let settings: [SwiftSetting] = [
  // Defines the compilation condition that the trait `Foundation` would define.
  .define("Foundation"),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

func library(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

func tests(
  _ name: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = []
) -> Target {
  .testTarget(
    name: "\(name)Tests", dependencies: dependencies, exclude: exclude, swiftSettings: settings)
}

let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let issueReporting: Target.Dependency = .product(
  name: "IssueReporting", package: "xctest-dynamic-overlay")
let issueReportingTestSupport: Target.Dependency = .product(
  name: "IssueReportingTestSupport", package: "xctest-dynamic-overlay")

let package = Package(
  name: "engines",
  dependencies: [
    .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
    .package(url: "https://github.com/pointfreeco/swift-custom-dump", from: "1.7.0"),
    .package(url: "https://github.com/pointfreeco/xctest-dynamic-overlay", from: "1.13.0"),
  ],
  targets: [
    .systemLibrary(name: "CALSA", pkgConfig: "alsa"),
    .systemLibrary(name: "CAudioFiles", pkgConfig: "sndfile"),
    .systemLibrary(name: "CLinux"),
    .systemLibrary(name: "CPocketSphinx"),
    .systemLibrary(name: "CSoxr", pkgConfig: "soxr"),
    .target(name: "CTagLib", linkerSettings: [.linkedLibrary("tag")]),
    library("AudioCore"),
    library("AudioThreads", ["CLinux", "FilePaths", logging]),
    library("FilePaths"),
    library("ClientDependencies", [issueReporting]),
    library(
      "ClientDependenciesTestSupport", ["ClientDependencies", issueReportingTestSupport]),
    library("SoundCard", ["AudioCore", "AudioThreads", "ClientDependencies"]),
    library("SpeechEngine", ["AudioCore", "AudioThreads", "ClientDependencies", "FilePaths"]),
    library(
      "ALSASoundCard",
      [
        "AudioCore", "AudioThreads", "CALSA", "ClientDependencies", "FilePaths", "SoundCard",
        logging,
      ]),
    library(
      "Reducers",
      [
        "ClientDependencies", issueReporting,
        .product(name: "CustomDump", package: "swift-custom-dump"),
        .product(name: "OrderedCollections", package: "swift-collections"),
      ]),
    library(
      "PocketSphinxEngine",
      ["AudioCore", "ClientDependencies", "CPocketSphinx", "FilePaths", "SpeechEngine", logging]),
    library("Resampling", ["AudioCore", "CSoxr"]),
    library(
      "SoundFile",
      [
        "AudioCore", "AudioThreads", "CAudioFiles", "CTagLib", "FilePaths", logging,
      ]),
    library("AudioPlayerClient", ["AudioCore", "ClientDependencies", "FilePaths"]),
    library("AudioRecorderClient", ["AudioCore", "ClientDependencies", "FilePaths"]),
    library("SpeechClient", ["AudioCore", "AudioRecorderClient", "ClientDependencies"]),
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
    library("VirtualSoundCard", ["AudioCore", "AudioThreads", "ClientDependencies", "SoundCard"]),
    library(
      "SyrinxTestSupport",
      [
        "AudioCore", "AudioPlayerClient", "AudioRecorderClient", "AudioThreads",
        "ClientDependencies", "ClientDependenciesTestSupport", "FilePaths", "SoundCard",
        "SoundFile", "SpeechClient", "SpeechEngine", "VirtualSoundCard",
      ]),
    library("TestTools", ["AudioCore", "AudioThreads", "ClientDependencies", "SoundCard"]),
    tests(
      "ALSASoundCard",
      [
        "ALSASoundCard", "AudioCore", "AudioPlayerClientLive", "AudioRecorderClientLive",
        "AudioThreads", "ClientDependencies", "FilePaths", "Resampling", "SoundCard", "SoundFile",
        "TestTools",
      ],
      // This test uses an extension of the system's `Mutex`, which each module here replaces with
      // its own.
      exclude: ["ALSASoundCardTests/ALSADevice+OpeningTests.swift"]),
    tests("AudioCore", ["AudioCore", "ClientDependencies", "SyrinxTestSupport"]),
    tests("AudioThreads", ["AudioThreads", "FilePaths", "TestTools"]),
    tests(
      "AudioPlayerClientLive",
      ["AudioPlayerClientLive", "ClientDependenciesTestSupport", "TestTools", "VirtualSoundCard"]),
    tests(
      "AudioRecorderClientLive",
      ["AudioRecorderClientLive", "ClientDependenciesTestSupport", "TestTools", "VirtualSoundCard"]),
    tests(
      "PocketSphinxEngine",
      [
        "AudioCore", "CPocketSphinx", "PocketSphinxEngine", "SoundFile", "SpeechEngine",
        "TestTools", logging,
      ]),
    // Excludes the tests that need the macros, which this package does not build.
    tests(
      "Reducers", ["ClientDependencies", "Reducers"],
      exclude: [
        "ReducersTests/BindingTests.swift", "ReducersTests/TestStoreStatementTests.swift",
      ]),
    tests("SeededFaults"),
    tests("SoundCard", ["AudioCore", "AudioThreads", "ClientDependencies", "SoundCard"]),
    tests(
      "SoundFile",
      ["AudioCore", "AudioThreads", "CTagLib", "Resampling", "SoundFile", "TestTools"]),
    tests(
      "VirtualSoundCard",
      ["ClientDependencies", "ClientDependenciesTestSupport", "SoundCard", "VirtualSoundCard"]),
  ],
  swiftLanguageModes: [.v6],
  cxxLanguageStandard: .cxx17
)
