/// The next step of a preview.
package enum PreviewStep<Event: Sendable>: Sendable {
  case send(Event)
  case wait(Duration)
  /// Reads the next part of a stream and waits for its duration; nil at the end of the stream.
  case read(@Sendable () async throws -> Duration?)
  /// Waits until the script is changed.
  case hold
  case end(throwing: (any Error)? = nil)
}

/// A pure description of a preview over time.
package protocol PreviewScript<Event>: Sendable {
  associatedtype Event: Sendable

  /// Returns the next step, after each event, wait, and change.
  mutating func next() -> PreviewStep<Event>

  /// Records the end of a wait of this duration, or nil at the end of the stream.
  mutating func waited(_ duration: Duration?)
}

/// Performs the scripts of a client's preview value on a clock, several at a time.
package actor PreviewStage<Script: PreviewScript> {
  private struct Performance {
    var script: Script
    let clock: any Clock<Duration>
    let pipe: PolicyPipe<Script.Event>
    var wait: Task<Void, Never>?
  }

  private var performances: [Int: Performance] = [:]
  private var startCount = 0

  /// Creates a stage without scripts.
  package init() {}

  /// The running scripts, the oldest first.
  package var scripts: [Script] {
    performances.sorted { $0.key < $1.key }.map(\.value.script)
  }

  /// Performs a script until it ends, or until the stream's consumer is canceled or released.
  ///
  /// - Parameter check: checks the running scripts; its error ends the stream at once.
  package func start(
    _ script: Script, on clock: any Clock<Duration>, policy: PipePolicy<Script.Event>,
    check: @Sendable ([Script]) throws -> Void = { _ in }
  ) -> AsyncThrowingStream<Script.Event, any Error> {
    do { try check(scripts) } catch { return AsyncThrowingStream { throw error } }
    let (number, pipe) = (startCount, PolicyPipe<Script.Event>(policy: policy))
    startCount += 1
    performances[number] = Performance(script: script, clock: clock, pipe: pipe)
    pipe.onTermination { Task { await self.end(number) } }
    advance(number)
    return pipe.stream()
  }

  /// Changes scripts, and sends the next events at once.
  ///
  /// A script is unchanged if its change throws.
  ///
  /// - Parameter interrupting: whether an unfinished wait starts again; if false, it continues, and
  ///   the next events are sent after it.
  /// - Returns: whether a script was changed.
  @discardableResult
  package func update(
    where isMeant: @Sendable (Script) -> Bool = { _ in true }, interrupting: Bool = true,
    _ change: @Sendable (inout Script) throws -> Void
  ) async throws -> Bool {
    let numbers = performances.filter { isMeant($0.value.script) }.keys.sorted()
    for number in numbers {
      // A rejected change must not interrupt, because a canceled read ends the stream.
      guard var trial = performances[number]?.script else { continue }
      try change(&trial)
      // A wait that just ended counts, and the next one has already begun.
      while interrupting, let wait = performances[number]?.wait {
        wait.cancel()
        await wait.value
      }
      guard var script = performances[number]?.script else { continue }
      defer { if performances[number]?.wait == nil { advance(number) } }
      try change(&script)
      performances[number]?.script = script
    }
    return !numbers.isEmpty
  }

  private func advance(_ number: Int) {
    while let pipe = performances[number]?.pipe, let step = performances[number]?.script.next() {
      switch step {
      case .send(let event): pipe.send(event)
      case .wait(let duration): return wait(number) { duration }
      case .read(let read): return wait(number, for: read)
      case .hold: return
      case .end(let error): return end(number, throwing: error)
      }
    }
  }

  private func wait(_ number: Int, for read: @escaping @Sendable () async throws -> Duration?) {
    guard let clock = performances[number]?.clock else { return }
    performances[number]?.wait = Task {
      do {
        try Task.checkCancellation()
        let duration = try await read()
        // A stream may return nil for a canceled read.
        try Task.checkCancellation()
        if let duration { try await clock.sleep(for: duration) }
        performances[number]?.wait = nil
        performances[number]?.script.waited(duration)
        advance(number)
      } catch {
        performances[number]?.wait = nil
        if !Task.isCancelled { end(number, throwing: error) }
      }
    }
  }

  private func end(_ number: Int, throwing error: (any Error)? = nil) {
    let performance = performances.removeValue(forKey: number)
    performance?.wait?.cancel()
    performance?.pipe.finish(throwing: error)
  }
}
