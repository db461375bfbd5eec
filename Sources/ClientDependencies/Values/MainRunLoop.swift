#if !PointFreeDependencies
public import Foundation

extension DependencyValues {
  /// The main run loop, as a scheduler.
  ///
  /// A test that uses it without an override gets an issue; override it with `.immediate`, or with
  /// a `RunLoop.test` whose time the test moves.
  public var mainRunLoop: AnySchedulerOf<RunLoop> {
    get { self[MainRunLoopKey.self] }
    set { self[MainRunLoopKey.self] = newValue }
  }
}

enum MainRunLoopKey: DependencyKey {
  static let liveValue = AnySchedulerOf<RunLoop>.main
  static var testValue: AnySchedulerOf<RunLoop> {
    .unimplemented("@Dependency(\\.mainRunLoop)")
  }
}
#endif
