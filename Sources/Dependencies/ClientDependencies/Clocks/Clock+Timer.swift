#if !PointFreeDependencies
extension Clock where Duration: Hashable {
  /// Returns a sequence that yields the clock's time once per interval, first after one interval.
  ///
  /// The sequence ends when its reader is canceled. A reader that is slower than the interval skips
  /// the missed ticks.
  public func timer(
    interval: Duration, tolerance: Duration? = nil
  ) -> _AsyncTimerSequence<AnyClock<Duration>> {
    _AsyncTimerSequence(clock: AnyClock(self), interval: interval, tolerance: tolerance)
  }
}

/// The ticks of a clock's `timer(interval:tolerance:)`.
public struct _AsyncTimerSequence<C: Clock>: AsyncSequence, Sendable {
  /// A time of the clock.
  public typealias Element = C.Instant

  let clock: C
  let interval: C.Instant.Duration
  let tolerance: C.Instant.Duration?

  /// Creates an iterator whose ticks begin with the first call of `next()`.
  public func makeAsyncIterator() -> Iterator { Iterator(timer: self) }

  /// An iterator that waits for each tick.
  public struct Iterator: AsyncIteratorProtocol, Sendable {
    private let timer: _AsyncTimerSequence
    private var last: C.Instant?
    private var isOver = false

    init(timer: _AsyncTimerSequence) {
      self.timer = timer
    }

    /// Waits for the next tick.
    ///
    /// - Returns: the time of the tick; `nil` after the task was canceled.
    public mutating func next() async -> C.Instant? {
      guard !isOver else { return nil }
      let tick = nextTick(at: timer.clock.now)
      do {
        try await timer.clock.sleep(until: tick, tolerance: timer.tolerance)
      } catch {
        isOver = true
        return nil
      }
      last = tick
      return timer.clock.now
    }

    private func nextTick(at now: C.Instant) -> C.Instant {
      let last = last ?? now
      let tick = last.advanced(by: timer.interval)
      guard tick < now else { return tick }
      let missed = (last.duration(to: now) / timer.interval).rounded(.up)
      return last.advanced(by: timer.interval * Int(missed))
    }
  }
}

extension Clock where Self == ImmediateClock<Swift.Duration> {
  /// A clock on which no sleep takes time.
  public static var immediate: Self { ImmediateClock() }
}

extension Clock where Self == UnimplementedClock<Swift.Duration> {
  /// A clock that reports an issue with this name whenever it is used.
  public static func unimplemented(name: String = "Clock") -> Self {
    UnimplementedClock(name: name)
  }
}
#endif
