#if !PointFreeDependencies
import SwiftSyntax

/// From the narrowest to the widest.
enum AccessLevel: String, CaseIterable, Comparable {
  case `private`, `fileprivate`, `internal`, package, `public`

  static func < (left: Self, right: Self) -> Bool {
    allCases.firstIndex(of: left)! < allCases.firstIndex(of: right)!
  }
}

extension AccessLevel {
  /// The word with a blank behind it, or nothing where the word is needless.
  var prefix: String { self == .internal ? "" : "\(rawValue) " }
}

extension DeclModifierListSyntax {
  /// The access level that is written here; `private(set)` is none.
  var accessLevels: [AccessLevel] {
    filter { $0.detail == nil }.compactMap { AccessLevel(rawValue: $0.name.text) }
  }

  var accessLevel: AccessLevel { accessLevels.first ?? .internal }

  /// The word that makes a property one that not each value of its type stores from the start.
  var ofNoInstance: DeclModifierSyntax? {
    first { [.keyword(.static), .keyword(.class), .keyword(.lazy)].contains($0.name.tokenKind) }
  }

  func contains(_ keyword: Keyword) -> Bool {
    contains { $0.name.tokenKind == .keyword(keyword) }
  }
}
#endif
