import AudioCore
import AudioThreads
import ClientDependencies
import Dispatch
import SpeechClient
import SpeechEngine
import Synchronization
import SyrinxTestSupport
import TestTools
import Testing

@testable import SpeechClientLive

/// Tests the separate recognition of each channel.
@Suite(.timeLimit(.minutes(5))) struct SeparateChannelsTests {
  private let tasks = SpeechTasks()
  private let scripted = ScriptedSpeechEngine(utterances: [
    ScriptedUtterance("one two"), ScriptedUtterance("three four"),
  ])

  /// A quiet room with a speaker, who is loud in these ranges of tenths of a second.
  private func speaker(_ seed: UInt64, _ loud: Range<Int>...) -> AudioSignal {
    let (speech, room) = (
      AudioSignal.noise(seed: seed, amplitude: 0.2), AudioSignal.noise(seed: seed, amplitude: 0.001)
    )
    return AudioSignal { frame, rate in
      let tenth = frame * 10 / rate.hertz
      let isLoud = loud.contains { $0.contains(tenth) }
      return (isLoud ? speech : room).sample(at: FrameCount(frame), rate: rate)
    }
  }

  /// Returns audio with a speaker in each channel.
  private func buffers(_ speakers: AudioSignal..., tenths: Int = 80) -> [AudioBuffer] {
    let format = AudioFormat(sampleRate: .speech, channelCount: speakers.count)
    return (0..<tenths).map { tenth in
      let frames = (tenth * 1_600)..<((tenth + 1) * 1_600)
      let samples = frames.flatMap { frame in
        speakers.map { $0.sample(at: FrameCount(frame), rate: .speech) }
      }
      return AudioBuffer(
        format: format, samples: samples, firstFrame: FrameCount(frames.lowerBound))
    }
  }

  private func request(
    _ buffers: [AudioBuffer], partials: Bool = false, channels: SpeechRequest.Channels = .separate
  ) -> SpeechRequest {
    var request = SpeechRequest(buffers: stream(buffers), shouldReportPartialResults: partials)
    request.channels = channels
    return request
  }

  private func events(
    _ request: SpeechRequest, on engine: SpeechEngine? = nil
  ) -> AsyncThrowingStream<SpeechRecognitionEvent, any Error> {
    withDependencies {
      $0.speechEngine = engine ?? scripted.engine
    } operation: {
      tasks.events(of: request)
    }
  }

  private var call: [AudioBuffer] {
    buffers(speaker(1, 10..<15, 45..<50), speaker(2, 28..<33))
  }

  @Test(arguments: [1, 2])
  func `results have their channel, and are in the order of the utterances' starts`(
    jobCount: Int
  ) async throws {
    var request = request(call)
    request.jobCount = jobCount
    let results = try await tasks.start(request, on: scripted.engine).all()
    #expect(results.finals == ["one two", "one two", "three four"])
    #expect(results.map(\.channel) == [0, 1, 0] && results.map(\.utterance) == [0, 1, 2])
    let starts = results.compactMap(\.bestTranscription.segments.first?.timestamp.inSeconds)
    #expect(zip(starts, [0.7, 2.5, 4.2]).allSatisfy { abs($0 - $1) < 0.05 }, "\(starts)")
  }

  @Test func `each channel has the results that it has alone`() async throws {
    let results = try await tasks.start(request(call), on: scripted.engine).all()
    for channel in 0...1 {
      let alone = try await tasks.start(
        request(call, channels: .only(channel)), on: scripted.engine
      ).all()
      #expect(alone.allSatisfy { $0.channel == nil })
      #expect(
        results.filter { $0.channel == channel }.map(\.transcriptions)
          == alone.map(\.transcriptions))
    }
  }

  @Test(arguments: [false, true])
  func `the events of overlapping utterances do not mix`(isLive: Bool) async throws {
    var request = request(
      buffers(speaker(1, 10..<30), speaker(2, 15..<20)), partials: true)
    if isLive { request.backPressure = .buffer(upTo: .seconds(60)) }
    var order: [String] = []
    for try await event in events(request) {
      switch event {
      case .speechStarted: order.append("started")
      case .speechEnded: order.append("ended")
      case .result(let result): order.append("\(result.channel ?? -1)")
      default: break
      }
    }
    let runs = order.reduce(into: [String]()) { if $0.last != $1 { $0.append($1) } }
    #expect(runs == ["started", "0", "ended", "started", "1", "ended"])
  }

  @Test func `equal channels are recognized once`() async throws {
    let speaker = speaker(1, 10..<15)
    let results = try await tasks.start(
      request(buffers(speaker, speaker)), on: scripted.engine
    ).all()
    #expect(results.finals == ["one two"] && results[0].channel == 0)
    #expect(scripted.options.count == 1)
  }

  @Test func `channels that are equal at first are recognized when they differ`() async throws {
    let silence = buffers(speaker(9), speaker(9), tenths: 30)
    let speech = buffers(speaker(1, 50..<55), speaker(2, 40..<45)).dropFirst(30)
    let results = try await tasks.start(request(silence + speech), on: scripted.engine).all()
    #expect(results.map(\.channel) == [1, 0])
  }

  @Test func `the results of mono audio have no channel`() async throws {
    let results = try await tasks.start(
      request(buffers(speaker(1, 10..<15))), on: scripted.engine
    ).all()
    #expect(results.map(\.channel) == [nil])
  }

  @Test func `mono audio is recognized by all decoders`() async throws {
    let permission = DispatchSemaphore(value: 0)
    let engine = SharedEngine { _ in
      permission.wait()
      permission.signal()
    }
    var request = request(audio(utterances: 6))
    request.jobCount = 3
    let results = tasks.start(request, on: engine.engine)
    await engine.hasMade(sessions: 3)
    permission.signal()
    #expect(try await results.all().map(\.channel) == Array(repeating: nil, count: 6))
  }

  @Test func `audio without buffers has no results`() async throws {
    #expect(try await tasks.start(request([]), on: scripted.engine).all().isEmpty)
    #expect(tasks.all.isEmpty)
  }

  @Test func `a missing channel, and too many channels, are errors`() async throws {
    await #expect(
      throws: AudioStreamError.tooFewChannels(needed: 3, actual: call[0].format)
    ) {
      try await tasks.start(request(call, channels: .only(2)), on: scripted.engine).all()
    }
    let many = AudioBuffer(silence: 10, format: AudioFormat(sampleRate: .speech, channelCount: 64))
    let error = await #expect(throws: AudioStreamError.self) {
      try await tasks.start(request([many]), on: scripted.engine).all()
    }
    #expect(error.map { "\($0)" }?.contains("at most 16 channels") == true)
    await #expect(throws: SpeechClientError.self) {
      try await tasks.start(request(call, channels: .only(-1)), on: scripted.engine).all()
    }
    #expect(tasks.all.isEmpty)
  }

  @Test func `the failure of the engine ends the stream`() async throws {
    let failure = SpeechEngineError.failed(reason: "gone")
    let broken = ScriptedSpeechEngine(
      utterances: [], faults: ScriptedFaults(processing: failure))
    await #expect(throws: SpeechClientError.engineFailed(reason: "gone")) {
      try await tasks.start(request(call), on: broken.engine).all()
    }
    #expect(tasks.all.isEmpty)
  }

  @Test func `the error of the source follows the results of all channels`() async throws {
    let (source, end) = AsyncThrowingStream.makeStream(of: AudioBuffer.self)
    for buffer in call { end.yield(buffer) }
    end.finish(throwing: AudioStreamError.tooFewChannels(needed: 9, actual: .speech))
    var request = SpeechRequest(buffers: source, shouldReportPartialResults: false)
    request.channels = .separate
    var results: [SpeechRecognitionResult] = []
    await #expect(throws: AudioStreamError.tooFewChannels(needed: 9, actual: .speech)) {
      for try await result in tasks.start(request, on: scripted.engine) { results.append(result) }
    }
    #expect(results.map(\.channel) == [0, 1, 0])
  }

  @Test func `leaving the stream ends the work of all channels`() async throws {
    let (source, end) = AsyncStream.makeStream(of: AudioBuffer.self)
    for buffer in call.prefix(25) { end.yield(buffer) }
    var request = SpeechRequest(buffers: source)
    request.channels = .separate
    let results = tasks.start(request, on: scripted.engine)
    let consumer = Task { for try await _ in results {} }
    while scripted.options.count < 2 { await Task.yield() }
    consumer.cancel()
    try await consumer.value
    while scripted.events.count(where: { $0 == .released }) < 2 { await Task.yield() }
    while !tasks.all.isEmpty { await Task.yield() }
  }

  @Test func `leaving the stream while a channel begins ends that channel, too`() async throws {
    let events = EventPipe(policy: .events())
    let made = Mutex<[SpeechTask]>([])
    let request = request(call)
    guard case .buffers(let audio) = request.source else { return }
    let channels = ChannelTasks(
      request, into: events, clock: ContinuousClock(), lockstep: nil
    ) { [scripted] task, _, executor in
      let count = made.withLock { made in
        made.append(task)
        return made.count
      }
      if count == 2 { events.change { $0.abandon() } }
      return try Recognizer(
        engine: scripted.engine, options: SpeechSessionOptions(), policy: EndpointPolicy(),
        detector: .energy, isLive: false, events: task.events, control: task.control,
        channelExecutor: executor)
    } whenOver: { _ in
    }
    try channels.start(audio)
    while made.withLock({ $0.count }) < 2 { await Task.yield() }
    await channels.finish()
    while !made.withLock({ $0.allSatisfy(\.isOver) }) { await Task.yield() }
    #expect(channels.tasks.isEmpty && channels.isOver)
  }

  @Test func `a stuck channel that begins after finishing fails, too`() async throws {
    let clock = TestClock()
    let tasks = SpeechTasks(clock: clock)
    let same = buffers(speaker(9), speaker(9), tenths: 20)
    let source = LateSource(
      same, then: Array(buffers(speaker(1, 30..<35), speaker(2, 30..<35), tenths: 60).dropFirst(20))
    )
    let blocking = BlockingEngine(in: .finishing)
    defer { blocking.release() }
    var request = SpeechRequest(buffers: source, shouldReportPartialResults: false)
    request.channels = .separate
    let results = tasks.start(request, on: blocking.engine)
    await source.isAsked.wait()
    while tasks.all.isEmpty { await Task.yield() }
    let finishing = Task { await tasks.finishAll() }
    await blocking.reached.wait()
    await clock.pass(by: SpeechTask.watchInterval) { await finishing.value }
    await #expect(
      throws: SpeechClientError.engineFailed(
        reason: "the engine has made no progress for 30 seconds")
    ) {
      try await results.all()
    }
    #expect(tasks.all.isEmpty)
  }

  @Test func `finishing ends a request whose source has delivered no audio`() async throws {
    let source = StubbornSource()
    defer { source.release() }
    var request = SpeechRequest(buffers: source)
    request.channels = .separate
    let results = tasks.start(request, on: scripted.engine)
    await source.isAsked.wait()
    await tasks.finishAll()
    #expect(try await results.all().isEmpty)
  }

  @Test func `finishing returns the last results of all channels, even without a reader`()
    async throws
  {
    let (source, end) = AsyncStream.makeStream(of: AudioBuffer.self)
    for buffer in buffers(speaker(1, 10..<30), speaker(2, 12..<30), tenths: 20) {
      end.yield(buffer)
    }
    var request = SpeechRequest(buffers: source, shouldReportPartialResults: false)
    request.channels = .separate
    request.backPressure = .buffer(upTo: .seconds(60))
    let results = tasks.start(request, on: scripted.engine)
    while tasks.all.count < 2 || !tasks.all.allSatisfy(\.intake.isAwaited) { await Task.yield() }
    await tasks.finishAll()
    #expect(tasks.all.isEmpty)
    #expect(try await results.all().map(\.channel) == [0, 1])
  }

  @Test func `a slow consumer stops the audio of all channels`() async throws {
    let read = LockIsolated(0)
    let pattern = buffers(speaker(3, 10..<15), speaker(2), tenths: 20)
    let all = (0..<75).flatMap { index in
      pattern.map { buffer in
        AudioBuffer(
          format: buffer.format, samples: buffer.samples,
          firstFrame: buffer.firstFrame + FrameCount(index * 32_000))
      }
    }
    let source = AsyncStream { () -> AudioBuffer? in
      read.withValue { count in
        count += 1
        return count <= all.count ? all[count - 1] : nil
      }
    }
    let engine = SharedEngine()
    var request = SpeechRequest(buffers: source, shouldReportPartialResults: false)
    request.channels = .separate
    let stream = events(request, on: engine.engine)
    var iterator = stream.makeAsyncIterator()
    _ = try await iterator.next()
    while tasks.all.count < 2 || tasks.all.contains(where: \.intake.isAwaited) {
      await Task.yield()
    }
    // Without back pressure, the audio would be read meanwhile.
    for _ in 0..<10_000 { await Task.yield() }
    #expect(read.value < 1_000)
    var finals = 0
    while let event = try await iterator.next() {
      if case .result = event { finals += 1 }
    }
    #expect(finals == 75 && read.value == 1_501)
  }
}

/// A stream that delivers its last buffers only after its consumer is canceled.
private final class LateSource: AsyncSequence, AsyncIteratorProtocol, Sendable {
  /// Opens when the consumer requests the first of the last buffers.
  let isAsked = Gate()
  private let buffers: [AudioBuffer]
  private let firstLate: Int
  private let canceled = Gate()
  private let count = Atomic(0)

  init(_ buffers: [AudioBuffer], then late: [AudioBuffer]) {
    (self.buffers, firstLate) = (buffers + late, buffers.count)
  }

  func makeAsyncIterator() -> LateSource { self }

  func next() async -> AudioBuffer? {
    let index = count.wrappingAdd(1, ordering: .relaxed).oldValue
    if index == firstLate {
      isAsked.open()
      await withTaskCancellationHandler {
        await canceled.wait()
      } onCancel: {
        canceled.open()
      }
    }
    return index < buffers.count ? buffers[index] : nil
  }
}
