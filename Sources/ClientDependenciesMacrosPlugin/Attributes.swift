#if !PointFreeDependencies
import SwiftSyntax

extension AttributeSyntax {
  /// The last part of the name: `DependencyEndpoint` of
  /// `@ClientDependenciesMacros.DependencyEndpoint`.
  var name: String? { attributeName.lastName }

  /// Whether it captures the caller's location, so that a method needs it as well.
  fileprivate var isOfMethods: Bool {
    let ofTypesOnly: Set = ["Sendable", "autoclosure", "convention", "escaping", "isolated"]
    return name.map { !ofTypesOnly.contains($0) } ?? true
  }
}

extension AttributeListSyntax {
  func contains(_ name: String) -> Bool {
    contains { $0.as(AttributeSyntax.self)?.name == name }
  }

  /// The `@available(…)` among them.
  var availability: [String] {
    compactMap { $0.as(AttributeSyntax.self) }.filter { $0.name == "available" }
      .map(\.trimmedDescription)
  }
}

extension [AttributeSyntax] {
  /// Those of a function type that are attributes of methods too: its global actor.
  var ofMethods: [String] {
    filter(\.isOfMethods).map(\.trimmedDescription)
  }
}
#endif
