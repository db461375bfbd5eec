// swift-tools-version: 6.1
import PackageDescription

// The modules of the dependencies and of the reducers with their tests: what Thread Sanitizer checks.
let settings: [SwiftSetting] = [
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
    .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
    .package(url: "https://github.com/pointfreeco/swift-custom-dump", from: "1.7.0"),
    .package(url: "https://github.com/pointfreeco/xctest-dynamic-overlay", from: "1.13.0"),
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
    .target(
      name: "Reducers",
      dependencies: [
        "ClientDependencies", .product(name: "CustomDump", package: "swift-custom-dump"),
        issueReporting, .product(name: "OrderedCollections", package: "swift-collections"),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "ReducersTests", dependencies: ["ClientDependencies", "Reducers"],
      swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
