// swift-tools-version: 6.1
import PackageDescription

/// What a CMake project takes of Syrinx: one shared library with the parts listed here inside.
let package = Package(
  name: "syrinx-for-cmake",
  // Dynamic: out of a static archive a linker leaves the clients' live values, since only the Swift
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
