// swift-tools-version: 6.1
import PackageDescription

let package = Package(
  name: "Memo",
  dependencies: [.package(name: "syrinx", path: "../..")],
  targets: [
    .executableTarget(name: "Memo", dependencies: [.product(name: "Syrinx", package: "syrinx")]),
    .testTarget(
      name: "MemoTests",
      dependencies: ["Memo", .product(name: "SyrinxTestSupport", package: "syrinx")]),
  ],
  swiftLanguageModes: [.v6]
)
