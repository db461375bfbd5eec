#if !PointFreeDependencies
#if Foundation
public import Foundation

extension RunLoop: Scheduler {
  /// The date.
  public var now: SchedulerTimeType { SchedulerTimeType(Date()) }

  /// Always zero.
  public var minimumTolerance: SchedulerTimeType.Stride { .zero }

  /// Runs work in the next turn of the loop.
  public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
    _ = add(at: now, interval: nil, tolerance: .zero, action)
  }

  /// Runs work in the loop once, at a date.
  public func schedule(
    after date: SchedulerTimeType,
    tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) {
    _ = add(at: date, interval: nil, tolerance: tolerance, action)
  }

  /// Runs work in the loop at a date, then once per interval, until the result is canceled.
  public func schedule(
    after date: SchedulerTimeType,
    interval: SchedulerTimeType.Stride,
    tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) -> any Cancellable {
    guard canRepeat(every: interval) else { return AnyCancellable {} }
    let timer = add(at: date, interval: interval, tolerance: tolerance, action)
    return AnyCancellable { timer.invalidate() }
  }

  private func add(
    at date: SchedulerTimeType,
    interval: SchedulerTimeType.Stride?,
    tolerance: SchedulerTimeType.Stride,
    _ action: @escaping () -> Void
  ) -> Timer {
    // Right if the caller is right: the interface is Combine's, whose work is not `Sendable`.
    nonisolated(unsafe) let action = action
    let timer = Timer(
      fire: date.date, interval: interval?.timeInterval ?? 0, repeats: interval != nil
    ) { _ in
      action()
    }
    timer.tolerance = max(tolerance, .zero).timeInterval
    add(timer, forMode: .common)
    return timer
  }
}

extension RunLoop {
  /// Options for work on a run loop: none.
  public struct SchedulerOptions: Sendable {
    /// Creates empty options.
    public init() {}
  }

  /// A time of a run loop: a date.
  public struct SchedulerTimeType: Strideable, Hashable, Sendable {
    /// The date.
    public var date: Date

    /// Wraps a date.
    public init(_ date: Date) {
      self.date = date
    }

    /// The distance to another time, negative if it is earlier.
    public func distance(to other: SchedulerTimeType) -> Stride {
      Stride(other.date.timeIntervalSince(date))
    }

    /// The time plus a distance.
    public func advanced(by n: Stride) -> SchedulerTimeType {
      SchedulerTimeType(date.addingTimeInterval(n.timeInterval))
    }
  }
}

extension RunLoop.SchedulerTimeType {
  /// A distance of a run loop's times, in seconds.
  public struct Stride: SchedulerTimeIntervalConvertible, ExpressibleByFloatLiteral, Hashable,
    Sendable
  {
    /// The distance in seconds, with its sign.
    public var magnitude: TimeInterval

    /// A number of seconds.
    public init(_ timeInterval: TimeInterval) {
      magnitude = timeInterval
    }

    /// A number of seconds: `1.5`.
    public init(floatLiteral value: TimeInterval) {
      magnitude = value
    }

    /// A number of seconds: `2`.
    public init(integerLiteral value: TimeInterval) {
      magnitude = value
    }

    /// A number of seconds; nil if it has no exact representation.
    public init?<T: BinaryInteger>(exactly source: T) {
      guard let magnitude = TimeInterval(exactly: source) else { return nil }
      self.magnitude = magnitude
    }

    /// The distance in seconds.
    public var timeInterval: TimeInterval { magnitude }
  }
}

extension RunLoop.SchedulerTimeType.Stride {
  /// A number of seconds.
  public static func seconds(_ s: Int) -> Self { Self(TimeInterval(s)) }
  /// A number of seconds.
  public static func seconds(_ s: Double) -> Self { Self(s) }
  /// A number of milliseconds.
  public static func milliseconds(_ ms: Int) -> Self { Self(TimeInterval(ms) / 1e3) }
  /// A number of microseconds.
  public static func microseconds(_ us: Int) -> Self { Self(TimeInterval(us) / 1e6) }
  /// A number of nanoseconds.
  public static func nanoseconds(_ ns: Int) -> Self { Self(TimeInterval(ns) / 1e9) }

  /// The sum.
  public static func + (left: Self, right: Self) -> Self { Self(left.magnitude + right.magnitude) }
  /// The difference.
  public static func - (left: Self, right: Self) -> Self { Self(left.magnitude - right.magnitude) }
  /// The product of both in seconds.
  public static func * (left: Self, right: Self) -> Self { Self(left.magnitude * right.magnitude) }
  /// Multiplies by a distance, both in seconds.
  public static func *= (left: inout Self, right: Self) { left = left * right }
  /// Whether a distance is smaller.
  public static func < (left: Self, right: Self) -> Bool { left.magnitude < right.magnitude }
}

extension RunLoop {
  /// A scheduler that replaces a run loop and runs all work at once.
  public static var immediate: ImmediateSchedulerOf<RunLoop> {
    ImmediateScheduler(now: .start)
  }

  /// A scheduler that replaces a run loop and whose time a test controls.
  public static var test: TestSchedulerOf<RunLoop> {
    TestScheduler(now: .start)
  }

  /// A scheduler that replaces a run loop, whose time a test controls, and whose work is late.
  public static func inaccurate(
    by minimumTolerance: SchedulerTimeType.Stride
  ) -> TestSchedulerOf<RunLoop> {
    TestScheduler(now: .start, minimumTolerance: minimumTolerance)
  }

  /// A scheduler that replaces a run loop and reports an issue at every use.
  public static var unimplemented: UnimplementedSchedulerOf<RunLoop> {
    unimplemented("RunLoop")
  }

  /// A scheduler that replaces a run loop and reports an issue with a name at every use.
  public static func unimplemented(_ prefix: String) -> UnimplementedSchedulerOf<RunLoop> {
    UnimplementedScheduler(prefix, now: .start)
  }
}

extension AnyScheduler
where
  SchedulerTimeType == RunLoop.SchedulerTimeType,
  SchedulerOptions == RunLoop.SchedulerOptions
{
  /// The main run loop.
  public static var main: Self { RunLoop.main.eraseToAnyScheduler() }

  /// A scheduler that replaces a run loop and runs all work at once.
  public static var immediate: Self { RunLoop.immediate.eraseToAnyScheduler() }

  /// A scheduler that replaces a run loop and reports an issue at every use.
  public static var unimplemented: Self { RunLoop.unimplemented.eraseToAnyScheduler() }

  /// A scheduler that replaces a run loop and reports an issue with a name at every use.
  public static func unimplemented(_ prefix: String) -> Self {
    RunLoop.unimplemented(prefix).eraseToAnyScheduler()
  }
}

extension DependencyValues {
  /// The main run loop, as a scheduler.
  ///
  /// A test that uses it without an override gets an issue. Override it with `.immediate`, or with
  /// a `RunLoop.test` whose time the test controls.
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

extension RunLoop.SchedulerTimeType {
  /// The first time for tests.
  fileprivate static let start = Self(Date(timeIntervalSince1970: 0))
}
#endif
#endif
