// swift-tools-version: 6.0
// The public declarations of Point-Free's packages that our targets and their users need. A build
// with the trait `PointFreeDependencies` uses this package if Point-Free's packages cannot be
// fetched.
import PackageDescription

let issueReporting: Target.Dependency = .product(
  name: "IssueReporting", package: "xctest-dynamic-overlay")

let package = Package(
  name: "swift-dependencies",
  products: [
    .library(name: "Dependencies", targets: ["Dependencies"]),
    .library(name: "DependenciesMacros", targets: ["DependenciesMacros"]),
    .library(name: "DependenciesTestSupport", targets: ["DependenciesTestSupport"]),
  ],
  dependencies: [
    .package(url: "https://github.com/pointfreeco/xctest-dynamic-overlay", from: "1.4.0")
  ],
  targets: [
    // In reality, `Clocks` and `ConcurrencyExtras` are separate packages, which `Dependencies`
    // re-exports.
    .target(name: "Clocks", dependencies: [issueReporting]),
    .target(name: "ConcurrencyExtras"),
    .target(name: "Dependencies", dependencies: ["Clocks", "ConcurrencyExtras", issueReporting]),
    .target(name: "DependenciesMacros", dependencies: [issueReporting]),
    .target(name: "DependenciesTestSupport", dependencies: ["Dependencies"]),
  ]
)
