#if !PointFreeDependencies
import SwiftSyntax
import SwiftSyntaxBuilder

extension Endpoint {
  /// The methods with the closure's argument labels: one that is called, and whose issues name
  /// the caller's line; and one to be used as a function value, which has those labels only.
  ///
  /// - Parameter isSendable: Whether they may be `@Sendable`, as those of a `Sendable` type may.
  func methods(named method: TokenSyntax?, isSendable: Bool) -> [DeclSyntax] {
    guard let function, function.isForwardable, function.hasLabels || method != nil else {
      return []
    }
    let name = method ?? identifier
    let parameters = function.methodParameters
    let caller = [
      "fileID: StaticString = #fileID", "filePath: StaticString = #filePath",
      "line: UInt = #line", "column: UInt = #column",
    ]
    return [
      self.method(
        name, of: function, head: head, parameters: parameters + caller,
        reportingAt: "fileID: fileID, filePath: filePath, line: line, column: column"),
      self.method(
        name, of: function, head: valueHead(isSendable: isSendable),
        parameters: parameters, reportingAt: ""),
    ]
  }

  /// Tests the storage before it calls it, instead of binding it, which would retain the closure.
  private func method(
    _ name: TokenSyntax, of function: FunctionTypeSyntax, head: String, parameters: [String],
    reportingAt location: String
  ) -> DeclSyntax {
    let effects = function.effectSpecifiers.map { " \($0.trimmed)" } ?? ""
    let marks = (function.canThrow ? "try " : "") + (function.isAsync ? "await " : "")
    let arguments = function.forwardedArguments
    return """
      \(raw: head)func \(name)(\(raw: parameters.joined(separator: ", ")))\(raw: effects) \
      \(function.returnClause.trimmed) {
      if \(storage) != nil {
      return \(raw: marks)\(storage)!(\(raw: arguments))
      }
      return \(raw: marks)\(standIn)(\(raw: location))(\(raw: arguments))
      }
      """
  }

  private var head: String { head(attributes: isInlinable ? ["@inlinable"] : []) }

  private func valueHead(isSendable: Bool) -> String {
    // What a global actor isolates is `Sendable` without saying so, and must not say so.
    let isMarked = isSendable && type.functionAttributes.map(\.name) == ["Sendable"]
    return head(attributes: ["@_disfavoredOverload"] + (isMarked ? ["@Sendable"] : []))
  }

  private func head(attributes further: [String]) -> String {
    let attributes = property.attributes.availability + type.functionAttributes.ofMethods + further
    let modifiers = property.modifiers.accessLevels.map(\.rawValue) + type.isolation
    return (attributes + modifiers).map { "\($0) " }.joined()
  }
}

extension FunctionTypeSyntax {
  fileprivate var methodParameters: [String] {
    parameters.enumerated().map { index, parameter in
      "\((parameter.secondName ?? .wildcardToken()).trimmed) p\(index): \(parameter.type.trimmed)"
    }
  }

  fileprivate var forwardedArguments: String {
    parameters.enumerated().map { index, parameter in
      if parameter.type.isInout { return "&p\(index)" }
      return parameter.type.isAutoclosure ? "p\(index)()" : "p\(index)"
    }
    .joined(separator: ", ")
  }
}

extension TypeSyntax {
  /// `nonisolated(nonsending)`, if the function runs where its caller does.
  fileprivate var isolation: [String] {
    let specifiers = self.as(AttributedTypeSyntax.self)?.specifiers
    return specifiers?.compactMap { $0.as(NonisolatedTypeSpecifierSyntax.self) }
      .map(\.trimmedDescription) ?? []
  }

  fileprivate var isInout: Bool {
    self.as(AttributedTypeSyntax.self)?.specifiers.contains {
      $0.as(SimpleTypeSpecifierSyntax.self)?.specifier.tokenKind == .keyword(.inout)
    } ?? false
  }

  fileprivate var isAutoclosure: Bool {
    functionAttributes.contains { $0.name == "autoclosure" }
  }
}
#endif
