#if !PointFreeDependencies
import FoundationEssentials
import Synchronization

/// Which of a key's three values is used where nothing overrides it.
public enum DependencyContext: String, Sendable, Hashable, CaseIterable {
  /// The program at work: ``DependencyKey/liveValue``.
  case live
  /// A preview: ``TestDependencyKey/previewValue``.
  case preview
  /// A test: ``TestDependencyKey/testValue``.
  case test
}

/// The context that the environment names, and what is wrong with it.
struct ContextDetection: Equatable {
  var context: DependencyContext
  var complaint: String?

  static let override = "SWIFT_DEPENDENCIES_CONTEXT"

  /// Decides by the override, then by a preview's mark, then by whether a test framework runs the
  /// process.
  init(environment: [String: String], isTesting: Bool) {
    let detected: DependencyContext =
      if environment["XCODE_RUNNING_FOR_PREVIEWS"] == "1" {
        .preview
      } else if isTesting {
        .test
      } else {
        .live
      }
    guard let text = environment[Self.override] else {
      (context, complaint) = (detected, nil)
      return
    }
    let named = DependencyContext(rawValue: text)
    context = named ?? detected
    complaint = named == nil ? Self.complaint(about: text, using: detected) : nil
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
  /// A complaint is reported outside the initialiser of the stored value, because a reporter may
  /// itself read a dependency.
  @usableFromInline
  static var ofProcess: DependencyContext {
    if detection.complaint != nil { complain() }
    return detected
  }

  /// The same for readers, without the complaint: the construction of a value complains.
  static var detected: DependencyContext { detection.context }

  /// Whether the process shows previews, which run again and again in it.
  static var isOfPreviews: Bool { detected == .preview }

  private static func complain() {
    guard let complaint = detection.complaint, !hasComplained.exchange(true, ordering: .relaxed)
    else { return }
    reportIssue(complaint)
  }
}
#endif
