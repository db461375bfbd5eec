import AudioCore

/// A playback without sound that takes its time.
///
/// A pause ends the task that plays; what goes on is another one, which waits for the first.
actor PreviewPlayback {
  private static let format = AudioFormat(sampleRate: 48_000, channelCount: 2)

  private let pipe: StreamPipe<PlaybackEvent>
  private let clock: any Clock<Duration>
  private var queue: PreviewQueue
  private var streams: [Int: BufferIteration] = [:]
  private var task: Task<Void, Never>?
  private let (ended, end) = AsyncStream<Never>.makeStream()
  private var heard = Duration.zero
  private var isPaused = false
  private var isStopped = false
  private var isOver = false
  private var hasStarted = false

  init(
    _ request: PlaybackRequest, on clock: any Clock<Duration>, into pipe: StreamPipe<PlaybackEvent>
  ) {
    self.pipe = pipe
    self.clock = clock
    queue = PreviewQueue(request.items, request.cycle)
  }

  /// Plays, and returns when it is over.
  func play() async {
    _ = playing()
    for await _ in ended {}
  }

  /// Does what it is told.
  func control(_ command: PlaybackCommand) async throws {
    switch command {
    case .pause: await pause()
    case .resume: resume()
    case .seek(let time, let item):
      try queue.seek(to: time, item: item)
      pipe.send(.sought(queue.progress(heard)))
    case .skip: queue.skip()
    case .enqueue(let items): queue.append(items)
    case .setVolume: break
    case .stop: await stop()
    }
  }

  func stop() async {
    isStopped = true
    await interrupt()
    finish(.stopped)
  }

  /// The task that plays; what is told before it could begin finds it all the same.
  private func playing() -> Task<Void, Never> {
    let playing = task ?? Task { await run() }
    task = playing
    return playing
  }

  private func interrupt() async {
    let playing = playing()
    playing.cancel()
    await playing.value
  }

  private func pause() async {
    guard !isPaused else { return }
    isPaused = true
    await interrupt()
  }

  private func resume() {
    guard isPaused, !isStopped else { return }
    isPaused = false
    task = Task { [paused = playing()] in
      await paused.value
      pipe.send(.resumed(queue.progress(heard)))
      await run()
    }
  }

  private func run() async {
    do {
      while let step = queue.next() { try await take(step) }
      if let failure = queue.failure { return close(failure) }
      finish(.completed)
    } catch is CancellationError {
      if !isStopped { pipe.send(.paused(queue.progress(heard))) }
    } catch {
      close(error)
    }
  }

  private func take(_ step: PreviewQueue.Step) async throws {
    switch step {
    case .sleep(let duration): try await sleep(for: duration)
    case .pull:
      let buffer = try await pull()
      try Task.checkCancellation()
      if let duration = buffer?.duration { try await sleep(for: duration) }
      queue.pulled(buffer?.duration)
    case .looped(let count): pipe.send(.looped(queue.progress(heard), count: count))
    case .advanced: begin()
    case .failed(let error): pipe.send(.failed(item: queue.index, error))
    }
  }

  private func begin() {
    let progress = queue.progress(heard)
    guard !hasStarted else { return pipe.send(.advanced(progress)) }
    hasStarted = true
    pipe.send(
      .started(
        PlaybackStart(
          device: "preview", format: Self.format, announcedDuration: progress.length,
          item: queue.index)))
  }

  private func sleep(for duration: Duration) async throws {
    try await clock.sleep(for: duration)
    heard += duration
    queue.slept()
    pipe.send(.progress(queue.progress(heard)))
  }

  private func pull() async throws -> AudioBuffer? {
    guard case .stream(let stream) = queue.items[queue.index].source else { return nil }
    let iteration = streams[queue.index] ?? BufferIteration(stream)
    streams[queue.index] = iteration
    return try await iteration.next()
  }

  private func finish(_ reason: PlaybackFinish.Reason) {
    guard !isOver else { return }
    pipe.send(.finished(PlaybackFinish(reason: reason, heard: heard)))
    close(nil)
  }

  private func close(_ error: (any Error)?) {
    isOver = true
    pipe.finish(throwing: error)
    end.finish()
  }
}
