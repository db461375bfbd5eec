// swift-tools-version: 6.1
import PackageDescription

// A package that depends on Syrinx. Tests/Support/dependent-package.sh checks the output of its
// tests. With WITHOUT_TEST_SUPPORT in the environment, the tests do not link the required product,
// and end with an error. WITHOUT_TRAITS builds Syrinx without traits. The program prints its
// arguments.
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
