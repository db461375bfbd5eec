#if !PointFreeDependencies
public import Dispatch
public import Foundation

extension DependencyValues {
  /// The main queue, as a scheduler.
  ///
  /// ```swift
  /// @Dependency(\.mainQueue) var mainQueue
  /// try await mainQueue.sleep(for: .seconds(1))
  /// ```
  ///
  /// A test that uses it without an override gets an issue; override it with `.immediate`, where
  /// no work waits and a timer ticks once, or with a `DispatchQueue.test` whose time
  /// the test moves.
  public var mainQueue: AnySchedulerOf<DispatchQueue> {
    get { self[MainQueueKey.self] }
    set { self[MainQueueKey.self] = newValue }
  }
}

enum MainQueueKey: DependencyKey {
  static let liveValue = AnySchedulerOf<DispatchQueue>.main
  static var testValue: AnySchedulerOf<DispatchQueue> {
    .unimplemented("@Dependency(\\.mainQueue)")
  }
}

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
