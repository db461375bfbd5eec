/// The next step of a preview.
package enum PreviewStep<Event: Sendable>: Sendable {
  case send(Event)
  case wait(Duration)
  /// Reads the duration of the next part of a stream; nil at the end of the stream.
  case read(@Sendable () async throws -> Duration?)
  /// Waits until a read ends or the script is changed.
  case hold
  case end(throwing: (any Error)? = nil)
}

/// A pure description of a preview over time.
package protocol PreviewScript<Event>: Sendable {
  associatedtype Event: Sendable

  /// Whether the script may run forever unless `PreviewStage.update` changes it.
  var isEndless: Bool { get }

  /// Returns the next step; called after each event, wait, read, and change.
  mutating func next() -> PreviewStep<Event>

  /// Records the elapsed time of a wait, which is less than the requested time if the script is
  /// read or changed during the wait.
  mutating func waited(_ duration: Duration)

  /// Records the result of a read that a `.read` step requested.
  ///
  /// The script may have been changed during the read.
  mutating func read(_ duration: Duration?)
}

extension PreviewScript {
  package var isEndless: Bool { false }

  package mutating func read(_ duration: Duration?) {}
}

/// Performs the scripts of a client's preview value on a clock, several at a time.
///
/// Only the clock advances a script. With an immediate clock, a script of finite length runs to its
/// end at once; an endless script advances only when other code sleeps on the clock.
package actor PreviewStage<Script: PreviewScript> {
  private struct Performance {
    var script: Script
    let clock: any Clock<Duration>
    let isImmediate: Bool
    let pipe: PolicyPipe<Script.Event>
    /// Returns the time since the script's first wait; nil before that wait.
    var elapsed: (@Sendable () -> Duration)?
    /// The time up to which the script has been performed.
    var performed = Duration.zero
    var sleep: Task<Void, Never>?
    var read: Task<Void, Never>?
  }

  private var performances: [Int: Performance] = [:]
  private var startCount = 0

  /// Creates a stage without scripts.
  package init() {}

  /// The running scripts at the current time, the oldest first.
  package var scripts: [Script] {
    for number in performances.keys { advance(number, toNow: true) }
    return performances.sorted { $0.key < $1.key }.map(\.value.script)
  }

  /// Performs a script until it ends, or until the stream's consumer is canceled or released.
  ///
  /// If `isImmediate` is true, a sleep on the clock returns at once. `check` validates the running
  /// scripts; if it throws, its error ends the stream at once.
  package func start(
    _ script: Script, on clock: any Clock<Duration>, isImmediate: Bool = false,
    policy: PipePolicy<Script.Event>, check: @Sendable ([Script]) throws -> Void = { _ in }
  ) async -> AsyncThrowingStream<Script.Event, any Error> {
    do { try check(scripts) } catch { return AsyncThrowingStream { throw error } }
    let (number, pipe) = (startCount, PolicyPipe<Script.Event>(policy: policy))
    startCount += 1
    performances[number] = Performance(
      script: script, clock: clock, isImmediate: isImmediate, pipe: pipe)
    pipe.onTermination { Task { await self.end(number) } }
    await perform(number)
    return pipe.stream()
  }

  /// Changes scripts, and sends the next events at once.
  ///
  /// A script is unchanged if its change throws.
  ///
  /// - Returns: whether a script was changed.
  @discardableResult
  package func update(
    where isMeant: @Sendable (Script) -> Bool = { _ in true },
    _ change: @Sendable (inout Script) throws -> Void
  ) async throws -> Bool {
    let numbers = performances.filter { isMeant($0.value.script) }.keys.sorted()
    for number in numbers {
      advance(number, toNow: true)
      guard var script = performances[number]?.script else { continue }
      try change(&script)
      performances[number]?.script = script
      await perform(number)
    }
    return !numbers.isEmpty
  }

  private func perform(_ number: Int) async {
    advance(number)
    while performances[number]?.isImmediate == true, !Task.isCancelled,
      let sleep = performances[number]?.sleep
    {
      await sleep.value
    }
  }

  /// Performs the steps that are due, and begins to wait for the next step.
  ///
  /// If `toNow` is true, the script is also informed of the elapsed part of an unfinished wait.
  private func advance(_ number: Int, toNow: Bool = false) {
    performances[number]?.sleep.take()?.cancel()
    // The elapsed time is read only once: a real clock advances during the loop, so another read
    // would return a longer time.
    let elapsed = performances[number]?.elapsed?() ?? .zero
    while let performance = performances[number], let step = performances[number]?.script.next() {
      let passed = elapsed - performance.performed
      switch step {
      case .send(let event): performance.pipe.send(event)
      case .wait(let duration) where passed >= duration || toNow && passed > .zero:
        performances[number]?.performed += min(duration, passed)
        performances[number]?.script.waited(min(duration, passed))
      case .wait where performance.elapsed == nil:
        performances[number]?.elapsed = performance.clock.stopwatch()
      case .wait(let duration): return sleep(number, for: duration - passed)
      case .read(let read): return begin(number, read)
      case .hold:
        performances[number]?.performed += passed
        return
      case .end(let error): return end(number, throwing: error)
      }
    }
  }

  private func sleep(_ number: Int, for duration: Duration) {
    guard let performance = performances[number],
      !(performance.isImmediate && performance.script.isEndless)
    else { return }
    performances[number]?.sleep = Task {
      do {
        try await performance.clock.sleep(for: duration)
        advance(number)
      } catch {
        if !Task.isCancelled { end(number, throwing: error) }
      }
    }
  }

  private func begin(_ number: Int, _ read: @escaping @Sendable () async throws -> Duration?) {
    performances[number]?.read?.cancel()
    performances[number]?.read = Task {
      do {
        let duration = try await read()
        // A canceled read may return nil, which here would mean the end of the stream.
        try Task.checkCancellation()
        // Brings the script up to the current time, because it did not advance during the read.
        advance(number)
        performances[number]?.script.read(duration)
        await perform(number)
      } catch {
        if !Task.isCancelled { end(number, throwing: error) }
      }
    }
  }

  private func end(_ number: Int, throwing error: (any Error)? = nil) {
    let performance = performances.removeValue(forKey: number)
    performance?.sleep?.cancel()
    performance?.read?.cancel()
    performance?.pipe.finish(throwing: error)
  }
}

extension Clock<Duration> {
  /// Returns a closure that returns the time since this call.
  fileprivate func stopwatch() -> @Sendable () -> Duration {
    let start = now
    return { start.duration(to: self.now) }
  }
}
