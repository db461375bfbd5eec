import AudioCore
import AudioRecorderClient
import AudioRecorderClientLive
import AudioThreads
import ClientDependencies
import Foundation
import SoundCard
import SoundFile
import Synchronization
import TestTools
import Testing
import VirtualSoundCard

/// Several users of one microphone.
@Suite(.timeLimit(.minutes(5))) final class SharedMicrophoneTests: Sendable {
  private let folder = RecordingFolder()
  private let clock = TestClock()
  private let signal = AudioSignal.noise(seed: 7)

  @Test
  func `two captures and a recording share a microphone, and only a slow consumer loses frames`()
    async throws
  {
    let card = CountedCard(.init(pace: .lockstep(clock), microphone: .signal(signal)))
    let url = folder.url("wav")
    try await with(card) { recorder in
      let recording = Task { try await recorder.startRecording(url: url) }
      await clock.sleepers(atLeast: 1)
      let slow = await recorder.capture(
        request: CaptureRequest(droppingOldestAfter: .milliseconds(100)))
      let quick = await recorder.capture(
        request: CaptureRequest(droppingOldestAfter: .seconds(60)))
      var seen: [CapturedAudio] = []
      let first = Task { try await quick.first { _ in true } }
      try await pump(until: first)
      let rest = Task { try await quick.reduce(into: []) { $0.append($1) } }
      await clock.sleepers(atLeast: 1)
      await clock.advance(by: .seconds(3))
      await clock.sleepers(atLeast: 1)
      await recorder.stopRecording()
      let hasRecorded = try await recording.value
      #expect(hasRecorded)
      #expect(card.openings == 1)
      rest.cancel()
      seen = try await rest.value
      for (block, next) in zip(seen, seen.dropFirst()) {
        #expect(next.gap == nil && next.buffer.firstFrame == block.buffer.endFrame)
      }
      let late = try #require(try await slow.first { _ in true })
      let lost = try #require(late.gap?.lost)
      #expect(lost == late.buffer.firstFrame)
      #expect(lost > 48_000)
    }
    let recorded = try folder.read(url)
    let captured = signal.buffer(recorded.frameCount, format: recorded.format)
    #expect(recorded.duration > .seconds(2))
    #expect(zip(recorded.samples, captured.samples).allSatisfy { abs($0 - $1) < 1e-4 })
  }

  @Test func `a microphone is closed after its last user`() async throws {
    let card = CountedCard(.init(pace: .lockstep(clock), microphone: .signal(signal)))
    try await with(card) { recorder in
      let (one, other) = (
        try await listener(recorder), try await listener(recorder)
      )
      one.cancel()
      try await one.value
      #expect(card.card.openDeviceCount == 1)
      other.cancel()
      try await other.value
      await card.closed(times: 1)
      #expect(card.card.openDeviceCount == 0)
      #expect(card.openings == 1)
    }
  }

  @Test func `a user that comes after the last user has left reopens the microphone`() async throws
  {
    let card = CountedCard(
      .init(pace: .untimed, microphone: .buffer(signal.buffer(.seconds(1), format: .speech))))
    try await with(card) { recorder in
      for _ in 0..<3 {
        let url = folder.url("wav")
        let hasRecorded = try await recorder.startRecording(url: url)
        #expect(hasRecorded)
        #expect(try folder.read(url).frameCount == 16_000)
      }
    }
    #expect(card.openings == 3)
  }

  @Test func `canceling one recording leaves the other recording complete`() async throws {
    let card = CountedCard(.init(pace: .lockstep(clock), microphone: .signal(signal)))
    let (first, second) = (folder.url("wav"), folder.url("wav"))
    try await with(card) { recorder in
      let one = Task { try await recorder.startRecording(url: first) }
      await clock.sleepers(atLeast: 1)
      let stream = await recorder.recording(
        request: RecordingRequest(url: second, maximumDuration: .seconds(2)))
      let events = Task { try await stream.reduce(into: []) { $0.append($1) } }
      one.cancel()
      await #expect(throws: CancellationError.self) { _ = try await one.value }
      try await pump(until: events)
      let last = try await events.value.last
      guard case .finished(let finish) = last else { throw Missing() }
      #expect(finish.reason == .lengthReached && finish.frameCount == 96_000)
    }
    #expect(try folder.read(second).frameCount == 96_000)
    #expect(card.card.openDeviceCount == 0)
  }

  @Test func `an unplugged microphone is an error for all of its users`() async throws {
    let card = CountedCard(
      .init(
        pace: .lockstep(clock), microphone: .signal(signal), faults: [.unplugged(at: 48_000)]))
    let url = folder.url("wav")
    await with(card) { recorder in
      let recording = Task { try await recorder.startRecording(url: url) }
      await clock.sleepers(atLeast: 1)
      let stream = await recorder.capture(request: CaptureRequest())
      let capture = Task { for try await _ in stream {} }
      await #expect(throws: AudioRecorderError.deviceLost("virtual")) {
        try await pump(until: recording)
        _ = try await recording.value
      }
      await #expect(throws: AudioRecorderError.deviceLost("virtual")) { try await capture.value }
    }
    #expect(throws: Never.self) { try folder.read(url) }
    while card.card.openDeviceCount > 0 { await Task.yield() }
  }

  @Test(arguments: 0..<4)
  func `users that come and go each get their frames without a gap`(seed: UInt64) async throws {
    let card = CountedCard(.init(pace: .lockstep(clock), microphone: .signal(signal)))
    try await with(card) { recorder in
      let keeper = try await listener(recorder)
      let guests = Task {
        try await withThrowingTaskGroup { group in
          for guest in 0..<10 {
            let blocks = Int((seed &* 31 &+ UInt64(guest) &* 17) % 23) + 1
            group.addTask { try await Self.visit(recorder, blocks: blocks) }
          }
          try await group.waitForAll()
        }
      }
      await clock.pass(by: .milliseconds(20)) { _ = await guests.result }
      try await guests.value
      keeper.cancel()
      try await keeper.value
      await card.closed(times: card.openings)
    }
    #expect(card.openings == 1)
    #expect(card.card.openDeviceCount == 0)
  }

  @Test
  func `while two users wait for a device to open, canceling one user does not cancel the other`()
    async throws
  {
    let (asked, answer) = (Gate(), Gate())
    let card = VirtualSoundCard(
      pace: .untimed, microphone: .buffer(signal.buffer(.seconds(1), format: .speech)))
    var soundCard = card.soundCard
    soundCard.openCapture = { request in
      asked.open()
      await answer.wait()
      return try await card.soundCard.openCapture(request: request)
    }
    let url = folder.url("wav")
    try await withDependencies {
      $0.soundCard = soundCard
    } operation: {
      let recorder = AudioRecorderClient.liveValue
      let one = Task { try await recorder.startRecording(url: folder.url("wav")) }
      await asked.wait()
      let other = Task { try await recorder.startRecording(url: url) }
      one.cancel()
      await #expect(throws: CancellationError.self) { _ = try await one.value }
      answer.open()
      let hasRecorded = try await other.value
      #expect(hasRecorded)
    }
    #expect(card.openDeviceCount == 0)
  }

  @Test func `a permission request does not reopen a microphone that is in use`() async throws {
    let card = CountedCard(.init(pace: .lockstep(clock), microphone: .signal(signal)))
    try await with(card) { recorder in
      let listener = try await listener(recorder)
      #expect(await recorder.requestRecordPermission())
      #expect(card.openings == 1)
      listener.cancel()
      try await listener.value
    }
  }

  private struct Missing: Error {}

  /// Starts a capture and returns after its first block.
  private func listener(_ recorder: AudioRecorderClient) async throws -> Task<Void, any Error> {
    let begun = Gate()
    let stream = await recorder.capture(request: CaptureRequest())
    let task = Task { for try await _ in stream { begun.open() } }
    try await pump(until: Task { await begun.wait() })
    return task
  }

  private static func visit(_ recorder: AudioRecorderClient, blocks: Int) async throws {
    let request = CaptureRequest(droppingOldestAfter: .seconds(3_600))
    var last: CapturedAudio?
    var count = 0
    for try await block in await recorder.capture(request: request) {
      #expect(block.gap == nil)
      #expect(block.buffer.firstFrame == last?.buffer.endFrame ?? 0)
      last = block
      count += 1
      if count == blocks { break }
    }
    #expect(count == blocks)
  }

  /// Advances the device's clock until the task is over.
  private func pump<Value: Sendable, Failure: Error>(
    until task: Task<Value, Failure>
  ) async throws {
    await clock.pass { _ = await task.result }
  }

  private func with<Value: Sendable>(
    _ card: CountedCard, _ body: (AudioRecorderClient) async throws -> Value
  ) async rethrows -> Value {
    try await withDependencies {
      $0.soundCard = card.soundCard
    } operation: {
      try await body(AudioRecorderClient.liveValue)
    }
  }
}

/// A virtual sound card that counts how often its microphone is opened and closed.
private final class CountedCard: Sendable {
  let card: VirtualSoundCard
  private let gates = Mutex<[Gate]>([])

  init(_ card: VirtualSoundCard) {
    self.card = card
  }

  var openings: Int { gates.withLock { $0.count } }

  func closed(times: Int) async {
    for gate in gates.withLock({ $0 }).prefix(times) { await gate.wait() }
  }

  var soundCard: SoundCard {
    var soundCard = card.soundCard
    soundCard.openCapture = { [self] request in
      let closed = Gate()
      let pcm = try await card.soundCard.openCapture(request: request)
      gates.withLock { $0.append(closed) }
      return WatchedCapture(pcm, closed)
    }
    return soundCard
  }
}
