// swift-tools-version: 6.1
import PackageDescription

// This package contains only `ClientDependencies` and its tests, for Thread Sanitizer.
let settings: [SwiftSetting] = [
  // Defines the compilation condition that the trait `Foundation` would define.
  .define("Foundation"),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

let issueReporting: Target.Dependency = .product(
  name: "IssueReporting", package: "xctest-dynamic-overlay")
let issueReportingTestSupport: Target.Dependency = .product(
  name: "IssueReportingTestSupport", package: "xctest-dynamic-overlay")

let package = Package(
  name: "thread-sanitizer",
  dependencies: [
    .package(url: "https://github.com/pointfreeco/xctest-dynamic-overlay", from: "1.13.0")
  ],
  targets: [
    .target(
      name: "ClientDependencies", dependencies: [issueReporting], swiftSettings: settings),
    .target(
      name: "ClientDependenciesTestSupport",
      dependencies: ["ClientDependencies", issueReportingTestSupport], swiftSettings: settings),
    .testTarget(
      name: "ClientDependenciesTests",
      dependencies: [
        "ClientDependencies", "ClientDependenciesTestSupport", issueReportingTestSupport,
      ],
      swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
