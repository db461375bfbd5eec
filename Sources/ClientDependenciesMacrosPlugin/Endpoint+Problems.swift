#if !PointFreeDependencies
import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

extension Endpoint {
  /// The reason for which this can be no endpoint, if there is one.
  func problem(_ attribute: AttributeSyntax) -> Diagnostic? {
    if isConstant { return .constant(self) }
    if let modifier = property.modifiers.ofNoInstance { return .notOfInstance(self, modifier) }
    if binding.isComputed, let accessors = binding.accessorBlock {
      return .accessors(self, accessors)
    }
    return function == nil && type.isNoFunction ? .notAnEndpoint(attribute) : nil
  }

  /// The reason for which there is nothing to do when nobody has implemented the endpoint.
  var problemOfDefault: Diagnostic? {
    if let initializer = binding.initializer, !initializer.value.is(ClosureExprSyntax.self) {
      return .defaultIsNoClosure(self, initializer)
    }
    return binding.initializer == nil && !hasWayOut ? .defaultIsMissing(self) : nil
  }

  /// What is wrong with the attribute's arguments, whatever the endpoint is.
  func problemOfMethod(_ attribute: AttributeSyntax) -> Diagnostic? {
    guard let argument = attribute.methodArgument else { return nil }
    if let problem = argument.expression.problem(asNameOf: .method) { return problem }
    guard let function else { return .methodOfAlias(self, attribute) }
    return function.isForwardable ? nil : .methodOfVariadic(self, attribute)
  }

  /// What works, but not as the author may expect.
  ///
  /// - Parameter method: The name that the attribute gives the method.
  func warnings(method: TokenSyntax?) -> [Diagnostic] {
    labelsWithoutMethod(method) + trap
  }

  private func labelsWithoutMethod(_ method: TokenSyntax?) -> [Diagnostic] {
    guard let function = binding.typeAnnotation?.type.functionType, function.hasLabels,
      !function.isForwardable, method == nil
    else { return [] }
    return [.labelsOfVariadic(self, function)]
  }

  private var trap: [Diagnostic] {
    guard let statements = binding.initializer?.value.as(ClosureExprSyntax.self)?.statements,
      let statement = statements.first, statements.count == 1,
      let expression = statement.item.as(ExprSyntax.self), expression.isFatalError
    else { return [] }
    return [.defaultTraps(self, statement, expression)]
  }

  /// `{ _, _ in <#Bool#> }`, for the author to fill in.
  var defaultToFillIn: ExprSyntax {
    guard let function else { return "{ <#default value#> }" }
    let head = function.ignoredParameters
    return "{\(raw: head) <#\(raw: function.returnClause.type.trimmedDescription)#> }"
  }
}

extension TypeSyntax {
  /// Whether it cannot be an alias of a function type: `[Int]`, `Int?`, `(Int, Int)`, `String`.
  var isNoFunction: Bool {
    if functionType != nil { return false }
    if let attributed = self.as(AttributedTypeSyntax.self) {
      return attributed.baseType.isNoFunction
    }
    return lastName == nil
      || self.as(IdentifierTypeSyntax.self).map { ClientNames.wellKnown.contains($0.name.text) }
        == true
  }
}
#endif
