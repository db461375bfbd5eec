// swift-tools-version: 6.1
import PackageDescription

let package = Package(
  name: "Memo",
  dependencies: [
    .package(name: "syrinx", path: "../..", traits: ["Foundation"])
  ],
  targets: [
    .executableTarget(
      name: "Memo",
      dependencies: [
        "ALSASoundCard", "AudioRecorderClient", "AudioRecorderClientLive", "ClientDependencies",
        "MoonshineEngine", "SpeechClient", "SpeechClientLive", "SpeechEngine",
      ].map { .product(name: $0, package: "syrinx") }),
    .testTarget(
      name: "MemoTests",
      dependencies: ["Memo", .product(name: "ClientDependenciesTestSupport", package: "syrinx")]),
  ],
  swiftLanguageModes: [.v6]
)
