#if !PointFreeDependencies
public import Dispatch

/// The main queue as a scheduler that runs work at once if the caller is already on it.
///
/// `DispatchQueue.main` itself always runs work later.
public struct UIScheduler: Scheduler, Sendable {
  /// No options.
  public typealias SchedulerOptions = Never
  /// A time of the main queue.
  public typealias SchedulerTimeType = DispatchQueue.SchedulerTimeType

  /// The scheduler.
  public static let shared = UIScheduler()

  private let isMain = DispatchSpecificKey<Void>()

  private init() {
    DispatchQueue.main.setSpecific(key: isMain, value: ())
  }

  /// The time of the main queue.
  public var now: SchedulerTimeType { DispatchQueue.main.now }

  /// Always zero.
  public var minimumTolerance: SchedulerTimeType.Stride { DispatchQueue.main.minimumTolerance }

  /// Runs work at once on the main queue, or as soon as possible from elsewhere.
  public func schedule(options: Never?, _ action: @escaping () -> Void) {
    if DispatchQueue.getSpecific(key: isMain) != nil {
      action()
    } else {
      DispatchQueue.main.schedule(action)
    }
  }

  /// Runs work on the main queue once, at a time; the tolerance is not used.
  public func schedule(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: Never?,
    _ action: @escaping () -> Void
  ) {
    DispatchQueue.main.schedule(after: date, tolerance: tolerance, action)
  }

  /// Runs work on the main queue at a time, then once per interval, until it is canceled.
  public func schedule(
    after date: SchedulerTimeType, interval: SchedulerTimeType.Stride,
    tolerance: SchedulerTimeType.Stride, options: Never?, _ action: @escaping () -> Void
  ) -> any Cancellable {
    DispatchQueue.main.schedule(after: date, interval: interval, tolerance: tolerance, action)
  }
}

extension AnyScheduler
where SchedulerTimeType == DispatchQueue.SchedulerTimeType, SchedulerOptions == Never {
  /// The main queue as a scheduler that runs work at once if the caller is already on it.
  public static var shared: Self { UIScheduler.shared.eraseToAnyScheduler() }
}
#endif
