// swift-tools-version: 6.1
import PackageDescription

let package = Package(
  name: "benchmarks",
  dependencies: [.package(name: "syrinx", path: "../..")],
  targets: [
    .executableTarget(
      name: "DependencyBenchmarks",
      dependencies: [.product(name: "ClientDependencies", package: "syrinx")],
      swiftSettings: [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
      ])
  ],
  swiftLanguageModes: [.v6]
)
