// swift-tools-version: 6.1
import PackageDescription

/// Builds the parts of Syrinx that a CMake project uses into one shared library.
let package = Package(
  name: "syrinx-for-cmake",
  // Dynamic, because a linker omits the clients' live values from a static archive: only the Swift
  // runtime looks for them.
  products: [.library(name: "SyrinxForCMake", type: .dynamic, targets: ["SyrinxForCMake"])],
  dependencies: [.package(name: "syrinx", path: "..")],
  targets: [
    .target(
      name: "SyrinxForCMake",
      dependencies: [.product(name: "Syrinx", package: "syrinx")], path: "Sources")
  ],
  swiftLanguageModes: [.v6]
)
