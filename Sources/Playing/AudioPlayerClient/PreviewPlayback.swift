import AudioCore
import ClientDependencies
import FilePaths
import FoundationEssentials

extension AudioPlayerClient {
  static func preview() -> AudioPlayerClient {
    let stage = PreviewStage<PreviewPlayback>()
    let volumes = PreviewVolumes()
    @Sendable func playback(
      _ request: PlaybackRequest
    ) async -> AsyncThrowingStream<PlaybackEvent, any Error> {
      @Dependency(\.continuousClock) var clock
      return await stage.start(
        PreviewPlayback(request), on: clock, isImmediate: clock is ImmediateClock<Duration>,
        policy: .playback
      ) { others in
        if others.contains(where: { $0.id == request.id }) {
          throw AudioPlayerError.idInUse(request.id)
        }
      }
    }
    @Sendable func play(_ url: URL, _ repetition: PlaybackRepetition) async throws {
      let request = PlaybackRequest(source: .file(url), repetition: repetition)
      for try await _ in await playback(request) {}
      try Task.checkCancellation()
    }
    return AudioPlayerClient(
      play: { try await play($0, .times(1)) },
      loop: { try await play($0, .forever) },
      setVolume: { _ in },
      stop: { _ = try? await stage.update { $0.stop() } },
      playback: playback,
      control: { id, command in
        let isKnown = try await stage.update(where: { $0.id == id }) { try $0.control(command) }
        if case .stop = command { return }
        if !isKnown { throw AudioPlayerError.unknownPlayback(id) }
      },
      setBusVolume: { bus, volume, _ in await volumes.set(volume, of: bus) },
      busVolume: { await volumes.volume(of: $0) },
      preload: { source, device, _ in
        PreloadedSound(buffers: try await PreviewPlayback.buffers(of: source), device: device)
      },
      devices: {
        [
          AudioDevice(
            id: "preview", name: "Preview loudspeaker", directions: [.playback], isDefault: true,
            isVirtual: true)
        ]
      })
  }
}

/// The volumes of the buses.
private actor PreviewVolumes {
  private var volumes: [PlaybackBus: Float] = [:]

  func volume(of bus: PlaybackBus) -> Float { volumes[bus] ?? 1 }

  func set(_ volume: Float, of bus: PlaybackBus) {
    volumes[bus] = volume.isNaN ? 0 : min(max(volume, 0), 1)
  }
}

/// A silent playback with its current item and position.
struct PreviewPlayback: PreviewScript {
  /// The item that is being played.
  private struct OpenItem {
    var rate: SampleRate = 48_000
    /// The length of the source, nil for a stream.
    var length: Duration?
    /// The stream; nil once it has been read.
    var stream: AsyncThrowingStream<AudioBuffer, any Error>?
    var isReading = false
    var start = Duration.zero
    /// The end of the range, or of the part of a stream read so far.
    var end = Duration.zero
    var position = Duration.zero
  }

  let id: PlaybackID
  private var items: [PlaybackItem]
  private let cycle: PlaybackRepetition
  private let speed: Double
  /// The number of rounds after the first.
  private var rounds = 0
  private var roundHasSound = false
  private var index = -1
  private var item: OpenItem?
  private var repetitions = 0
  private var played = Duration.zero
  private var hasStarted = false
  private var isPaused = false
  private var isOver = false
  private var failure: AudioPlayerError?
  private var events: [PlaybackEvent] = []

  init(_ request: PlaybackRequest) {
    (id, items, cycle) = (request.id, request.items, request.cycle)
    speed = request.speed
    do throws(AudioPlayerError) {
      try check(items)
      guard PlaybackRequest.speeds.contains(speed) else { throw .speedOutOfRange(speed) }
    } catch {
      (isOver, failure) = (true, error)
    }
  }

  /// Whether the list or an item repeats until it is stopped.
  var isEndless: Bool { cycle == .forever || items.contains { $0.repetition == .forever } }

  mutating func next() -> PreviewStep<PlaybackEvent> {
    while true {
      if !events.isEmpty { return .send(events.removeFirst()) }
      if isOver { return .end(throwing: failure) }
      if isPaused { return .hold }
      if let item, item.position < item.end {
        return .wait(min(playingTime(item.end - item.position), .milliseconds(200)))
      }
      if let stream = item?.stream {
        if item?.isReading == true { return .hold }
        item?.isReading = true
        return .read { try await stream.first { _ in true }?.duration }
      }
      if let item, item.end > item.start,
        items[index].repetition.continues(after: repetitions)
      {
        repetitions += 1
        self.item?.position = item.start
        events.append(.looped(progress, count: repetitions))
      } else {
        openNext()
      }
    }
  }

  mutating func read(_ duration: Duration?) {
    guard let item, item.isReading else { return }
    self.item?.isReading = false
    if let duration {
      self.item?.end += duration
    } else {
      self.item?.stream = nil
      if item.end == item.start { fail(.emptySource(nil)) }
    }
  }

  mutating func waited(_ duration: Duration) {
    advance(by: speed == 1 ? duration : duration * speed)
    played += duration
    if duration > .zero { roundHasSound = true }
    events.append(.progress(progress))
  }

  private func playingTime(_ duration: Duration) -> Duration {
    speed == 1 ? duration : duration / speed
  }

  /// Advances the position; a remainder below a microsecond, due to rounding, is skipped.
  private mutating func advance(by duration: Duration) {
    guard var item else { return }
    item.position += duration
    if item.end - item.position < .microseconds(1) { item.position = item.end }
    self.item = item
  }

  mutating func control(_ command: PlaybackCommand) throws(AudioPlayerError) {
    switch command {
    case .pause:
      if !isPaused { events.append(.paused(progress)) }
      isPaused = true
    case .resume:
      if isPaused { events.append(.resumed(progress)) }
      isPaused = false
    case .seek(let time, let item):
      try seek(to: time, item: item ?? index)
      events.append(.sought(progress))
    case .skip: item = nil
    case .enqueue(let items):
      try check(items)
      self.items += items
    case .setVolume: break
    case .stop: stop()
    }
  }

  mutating func stop() {
    finish(.stopped)
    failure = nil
  }

  private mutating func finish(_ reason: PlaybackFinish.Reason) {
    isOver = true
    events.append(.finished(PlaybackFinish(reason: reason, played: played)))
  }

  private var progress: PlaybackProgress {
    let position = item?.position ?? .zero
    return PlaybackProgress(
      played: played, item: max(0, index), position: FrameCount(position, at: item?.rate ?? 48_000),
      time: position, length: item?.length)
  }

  /// Seeks within the range of an item; a seek past the last item ends the playback.
  private mutating func seek(to time: PlaybackTime, item target: Int) throws(AudioPlayerError) {
    guard items.indices.contains(target) else { return (index, item) = (items.count - 1, nil) }
    if case .stream = items[target].source { throw .notSeekable(nil) }
    if target != index || item == nil { try open(target) }
    guard let item else { return }
    self.item?.position = min(max(item.start, time.duration(at: item.rate)), item.end)
  }

  private func check(_ items: [PlaybackItem]) throws(AudioPlayerError) {
    for item in items where item.repetition != .times(1) || cycle != .times(1) {
      if case .stream = item.source { throw .streamCannotRepeat }
    }
  }

  private mutating func fail(_ error: AudioPlayerError) {
    failure = failure ?? error
    events.append(.failed(item: index, error))
  }

  /// Opens the next item, or the first item of the next round; the playback ends after a round
  /// without sound.
  private mutating func openNext() {
    if index + 1 >= items.count {
      guard roundHasSound, cycle.continues(after: rounds) else {
        if failure == nil { finish(.completed) } else { isOver = true }
        return
      }
      (index, rounds, roundHasSound) = (-1, rounds + 1, false)
    }
    do throws(AudioPlayerError) {
      try open(index + 1)
      events.append(hasStarted ? .advanced(progress) : .started(start))
      hasStarted = true
    } catch {
      fail(error)
    }
  }

  private var start: PlaybackStart {
    PlaybackStart(
      device: "preview", format: AudioFormat(sampleRate: 48_000, channelCount: 2),
      announcedDuration: item?.length, item: index)
  }

  private mutating func open(_ target: Int) throws(AudioPlayerError) {
    (index, item, repetitions) = (target, nil, 0)
    let range = items[target].range
    var item = OpenItem()
    switch items[target].source {
    case .stream(let stream): item.stream = stream
    case .buffers(let buffers):
      item.rate = buffers.first?.format.sampleRate ?? item.rate
      item.length = buffers.reduce(.zero) { $0 + $1.duration }
    case .preloaded(let sound):
      item.rate = sound.buffers.first?.format.sampleRate ?? item.rate
      item.length = sound.duration
    case .file(let url):
      // The real length is unknown, so the file is assumed to contain the whole range.
      let start = range.start.duration(at: item.rate)
      let assumed = try Self.duration(of: url)
      item.length = max(assumed, range.end?.duration(at: item.rate) ?? start + assumed)
    }
    item.start = range.start.duration(at: item.rate)
    if item.length == .zero { throw .emptySource(nil) }
    if let length = item.length, item.start >= length {
      throw .startAfterEnd(nil, start: item.start, length: length)
    }
    item.end = item.length.map { min($0, range.end?.duration(at: item.rate) ?? $0) } ?? item.start
    item.position = item.start
    self.item = item
  }

  /// Returns the sound that a preview preloads, with silence in place of a file.
  static func buffers(of source: PlaybackSource) async throws -> [AudioBuffer] {
    switch source {
    case .buffers(let buffers): return buffers
    case .preloaded(let sound): return sound.buffers
    case .stream(let stream): return try await stream.reduce(into: []) { $0.append($1) }
    case .file(let url):
      return [
        AudioBuffer(
          silence: FrameCount(try duration(of: url), at: 8_000),
          format: AudioFormat(sampleRate: 8_000, channelCount: 1))
      ]
    }
  }

  /// Returns three seconds for a readable file, because this module does not decode files.
  private static func duration(of url: URL) throws(AudioPlayerError) -> Duration {
    do throws(FilePathError) {
      _ = try FilePath(url).contents(atMost: 1)
      return .seconds(3)
    } catch {
      throw .source(url, reason: "\"\(FilePath(url))\" cannot be read: \(error.readingReason)")
    }
  }
}

extension PlaybackTime {
  fileprivate func duration(at rate: SampleRate) -> Duration { frame(at: rate).duration(at: rate) }
}
