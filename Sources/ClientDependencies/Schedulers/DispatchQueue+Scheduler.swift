#if !PointFreeDependencies
public import Dispatch

extension DispatchQueue: Scheduler {
  /// The time that the dispatch library counts from the machine's start.
  public var now: SchedulerTimeType { SchedulerTimeType(.now()) }

  /// None: a queue is asked for the time alone.
  public var minimumTolerance: SchedulerTimeType.Stride { .zero }

  /// Runs work on the queue as soon as possible.
  public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
    let work = item(options, action)
    if let group = options?.group {
      async(group: group, execute: work)
    } else {
      async(execute: work)
    }
  }

  /// Runs work on the queue once, at a time; the tolerance is not used.
  public func schedule(
    after date: SchedulerTimeType,
    tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) {
    asyncAfter(deadline: date.dispatchTime, execute: item(options, action))
  }

  /// Runs work on the queue at a time, then once in each interval, until the result is cancelled.
  public func schedule(
    after date: SchedulerTimeType,
    interval: SchedulerTimeType.Stride,
    tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) -> any Cancellable {
    guard canRepeat(every: interval) else { return AnyCancellable {} }
    let timer = DispatchSource.makeTimerSource(queue: self)
    let leeway = max(tolerance, .zero).timeInterval
    timer.schedule(
      deadline: date.dispatchTime, repeating: interval.timeInterval, leeway: leeway)
    timer.setEventHandler(handler: item(options, action))
    timer.resume()
    return AnyCancellable { timer.cancel() }
  }

  private func item(
    _ options: SchedulerOptions?, _ action: @escaping () -> Void
  ) -> DispatchWorkItem {
    // Right as far as the caller is: the interface is Combine's, whose work is not `Sendable`.
    nonisolated(unsafe) let action = action
    return DispatchWorkItem(qos: options?.qos ?? .unspecified, flags: options?.flags ?? []) {
      action()
    }
  }
}

extension DispatchQueue {
  /// How a queue runs one piece of work.
  public struct SchedulerOptions: @unchecked Sendable {  // Right, because flags are a number.
    /// The quality of service.
    public var qos: DispatchQoS
    /// What else is special about it, such as `.barrier`.
    public var flags: DispatchWorkItemFlags
    /// The group that the work belongs to, where it is to run as soon as possible.
    public var group: DispatchGroup?

    /// Chooses how a queue runs one piece of work.
    public init(
      qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [],
      group: DispatchGroup? = nil
    ) {
      self.qos = qos
      self.flags = flags
      self.group = group
    }
  }
}
#endif
