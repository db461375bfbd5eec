// swift-tools-version: 6.1
import PackageDescription

// A package that merely depends on Syrinx: what its tests say is looked at by
// Tests/Support/dependent-package.sh. With WITHOUT_TEST_SUPPORT its tests do not link what they
// should, and with WITHOUT_TRAITS they end with an error. Its program prints the arguments that it was started with.
let tests: Target =
  Context.environment["WITHOUT_TEST_SUPPORT"] == nil
  ? .testTarget(
    name: "DependentTests",
    dependencies: [.product(name: "ClientDependenciesTestSupport", package: "syrinx")])
  : .testTarget(
    name: "WithoutSupportTests",
    dependencies: [.product(name: "ClientDependencies", package: "syrinx")])

let package = Package(
  name: "DependentPackage",
  dependencies: [
    Context.environment["WITHOUT_TRAITS"] == nil
      ? .package(name: "syrinx", path: "../../..")
      : .package(name: "syrinx", path: "../../..", traits: [])
  ],
  targets: [
    .executableTarget(
      name: "PrintArguments",
      dependencies: [.product(name: "ClientDependencies", package: "syrinx")]), tests,
  ],
  swiftLanguageModes: [.v6]
)
