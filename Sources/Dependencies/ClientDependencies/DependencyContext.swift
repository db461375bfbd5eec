#if !PointFreeDependencies
import FoundationEssentials
import Synchronization

/// Selects one of a key's three values if there is no override.
public enum DependencyContext: String, Sendable, Hashable, CaseIterable {
  /// The running program: ``DependencyKey/liveValue``.
  case live
  /// A preview: ``TestDependencyKey/previewValue``.
  case preview
  /// A test: ``TestDependencyKey/testValue``.
  case test
}

/// The context that the environment selects, and an error message if the environment is invalid.
struct ContextDetection: Equatable {
  var context: DependencyContext
  var complaint: String?

  static let override = "SWIFT_DEPENDENCIES_CONTEXT"

  /// Selects the context.
  ///
  /// The environment variable that `override` names takes precedence if it is valid; then Xcode's
  /// variable for previews, then `isTesting`.
  init(environment: [String: String], isTesting: Bool) {
    let detected: DependencyContext =
      if environment["XCODE_RUNNING_FOR_PREVIEWS"] == "1" {
        .preview
      } else if isTesting {
        .test
      } else {
        .live
      }
    let text = environment[Self.override]
    let named = text.flatMap(DependencyContext.init(rawValue:))
    context = named ?? detected
    complaint = named == nil ? text.map { Self.complaint(about: $0, using: detected) } : nil
  }

  private static func complaint(about text: String, using context: DependencyContext) -> String {
    let allowed = DependencyContext.allCases.map { "'\($0)'" }.joined(separator: ", ")
    return """
      The environment variable \(override) has the invalid value '\(text)': the context is '\(context)'. \
      Set it to one of \(allowed), or unset it.
      """
  }
}

extension DependencyContext {
  private static let detection = ContextDetection(
    environment: ProcessInfo.processInfo.environment, isTesting: isTesting)
  private static let hasComplained = Atomic(false)

  /// The context of this process.
  ///
  /// A problem is reported here and not while `detection` is initialized: an issue reporter may
  /// itself read a dependency, and that read needs `detection`.
  static var ofProcess: DependencyContext {
    if detection.complaint != nil { complain() }
    return detected
  }

  /// The context of this process, like `ofProcess`, but without reporting a problem.
  static var detected: DependencyContext { detection.context }

  /// Whether the process shows previews, which run repeatedly in one process.
  static var isOfPreviews: Bool { detected == .preview }

  private static func complain() {
    guard let complaint = detection.complaint, !hasComplained.exchange(true, ordering: .relaxed)
    else { return }
    reportIssue(complaint)
  }
}
#endif
