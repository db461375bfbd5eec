public import ClientDependencies

/// Dismisses the presented feature whose effect calls it; the dependency `\.dismiss`.
///
/// ```swift
/// return .run { _ in await dismiss() }
/// ```
public struct DismissEffect: Sendable {
  private let action: @MainActor @Sendable () async -> Void

  /// An effect for tests.
  public init(_ action: @escaping @MainActor @Sendable () async -> Void) {
    self.action = action
  }

  /// Dismisses the feature; its effects are canceled, including the one that calls.
  ///
  /// Ignored once the calling effect is canceled or over. Outside the effects of a presented feature
  /// it is reported as an issue.
  @MainActor
  public func callAsFunction(
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) async {
    await Self.$caller.withValue(
      CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    ) { await action() }
  }

  @TaskLocal private static var caller: CallSite?

  fileprivate static let live = DismissEffect {
    guard let dismiss = EffectScope.current?.dismiss else {
      caller?.report("dismiss() was called outside the effects of a presented feature")
      return
    }
    dismiss()
  }
}

private enum DismissKey: DependencyKey {
  static let liveValue = DismissEffect.live
  static let testValue = DismissEffect.live
}

extension DependencyValues {
  /// Dismisses the current feature, if it is presented.
  public var dismiss: DismissEffect {
    get { self[DismissKey.self] }
    set { self[DismissKey.self] = newValue }
  }
}
