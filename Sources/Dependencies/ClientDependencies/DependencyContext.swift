#if !PointFreeDependencies
import FoundationEssentials
import Synchronization

/// Selects which of a key's three values is used without an override.
public enum DependencyContext: String, Sendable, Hashable, CaseIterable {
  /// The running program: ``DependencyKey/liveValue``.
  case live
  /// A preview: ``TestDependencyKey/previewValue``.
  case preview
  /// A test: ``TestDependencyKey/testValue``.
  case test
}

/// The context by the environment, and a problem of the environment.
struct ContextDetection: Equatable {
  var context: DependencyContext
  var complaint: String?

  static let override = "SWIFT_DEPENDENCIES_CONTEXT"

  /// Decides by the override, then by a preview's marker, then by a test framework in the process.
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
      The environment variable \(override) is '\(text)', which is no context: '\(context)' is used. \
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
  /// A problem is reported outside the initializer of the stored value, because a reporter may read
  /// a dependency.
  static var ofProcess: DependencyContext {
    if detection.complaint != nil { complain() }
    return detected
  }

  /// The same for readers, without a report: the construction of a value reports.
  static var detected: DependencyContext { detection.context }

  /// Whether the process shows previews, which run repeatedly in it.
  static var isOfPreviews: Bool { detected == .preview }

  private static func complain() {
    guard let complaint = detection.complaint, !hasComplained.exchange(true, ordering: .relaxed)
    else { return }
    reportIssue(complaint)
  }
}
#endif
