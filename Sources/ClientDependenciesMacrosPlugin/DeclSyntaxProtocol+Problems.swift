#if !PointFreeDependencies
import SwiftSyntax
import SwiftSyntaxBuilder

extension DeclSyntaxProtocol {
  /// What a macro adds to a property after it has diagnosed why it cannot add more.
  ///
  /// Without any accessor the compiler would complain of that as well.
  var accessorsDespiteProblem: [AccessorDeclSyntax] {
    guard let property = self.as(VariableDeclSyntax.self),
      property.bindingSpecifier.tokenKind == .keyword(.var), property.bindings.count == 1,
      property.bindings.first?.accessorBlock == nil
    else { return [] }
    return ["get {\nSwift.fatalError()\n}"]
  }
}
#endif
