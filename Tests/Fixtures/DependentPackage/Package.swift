// swift-tools-version: 6.1
import PackageDescription

// A package that merely depends on Syrinx: what its tests say is looked at by
// Tests/Support/dependent-package.sh. With WITHOUT_TEST_SUPPORT its tests do not link what they
// should.
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
  dependencies: [.package(name: "syrinx", path: "../../..")],
  targets: [tests],
  swiftLanguageModes: [.v6]
)
