import AudioCore
import AudioRecorderClient
import AudioRecorderClientLive
import AudioThreads
import ClientDependencies
import Foundation
import SoundCard
import TestTools
import Testing
import VirtualSoundCard

/// The rules that select the frames of a recording, through the client.
@Suite(.timeLimit(.minutes(5))) final class RecordingRulesTests: Sendable {
  private let folder = RecordingFolder()
  private let clock = TestClock()
  private let format = AudioFormat(sampleRate: 8_000, channelCount: 1)
  private let quiet = LevelRule(threshold: Decibels(-40), hold: .milliseconds(250))

  /// A second of noise at −60 dBFS, a second at −6 dBFS, and another at −60 dBFS.
  private var speech: AudioBuffer {
    let noise = AudioSignal.noise(seed: 4).buffer(.seconds(3), format: format).samples
    return AudioBuffer(
      format: format,
      samples: noise.indices.map { noise[$0] * (8_000..<16_000 ~= $0 ? 0.5 : 0.001) })
  }

  @Test func `a recording lasts from a sound to the silence after it, with pre-roll`() async throws
  {
    let url = folder.url("wav")
    let events = try await record(
      RecordingRequest(
        url: url, encoding: .wavFloat, start: .atSound(quiet), preRoll: .milliseconds(500),
        endAfterSilence: quiet), capturing: speech)
    let samples = try folder.read(url).samples
    let captured = speech.samples
    let loud = captured.indices.filter { abs(captured[$0]) >= 0.01 }
    let (first, last) = (try #require(loud.first), try #require(loud.last))
    #expect(samples == Array(captured[(first - 4_000)...(last + 2_000)]))
    let rare = events.filter { if case .levels = $0 { false } else { true } }
    #expect(rare.dropFirst().prefix(2) == [.waiting, .began(preRoll: .milliseconds(500))])
    guard case .finished(let finish) = events.last else { throw Missing() }
    #expect(finish.reason == .silence)
  }

  @Test func `silence is trimmed at both ends`() async throws {
    let url = folder.url("wav")
    let rule = LevelRule(threshold: Decibels(-40), hold: .milliseconds(100))
    try await record(
      RecordingRequest(url: url, encoding: .wavFloat, trim: rule), capturing: speech)
    let captured = speech.samples
    let loud = captured.indices.filter { abs(captured[$0]) >= 0.01 }
    let (first, last) = (try #require(loud.first), try #require(loud.last))
    #expect(try folder.read(url).samples == Array(captured[(first - 800)...(last + 800)]))
  }

  @Test func `files split at a length limit add up to the recording and are reported`() async throws
  {
    let url = folder.url("wav")
    let events = try await record(
      RecordingRequest(
        url: url, encoding: .wavFloat, rolling: RecordingRollingRule(length: .milliseconds(700))),
      capturing: speech)
    let rolled = events.compactMap { event -> RecordingRollover? in
      if case .rolled(let rolled) = event { rolled } else { nil }
    }
    #expect(rolled.map(\.frameCount) == Array(repeating: 5_600, count: 4))
    let files = try ([url] + rolled.map(\.next)).map { try folder.read($0) }
    #expect(files.flatMap(\.samples) == speech.samples)
    guard case .finished(let finish) = events.last else { throw Missing() }
    #expect(finish.frameCount == 24_000)
  }

  @Test func `a recording contains the picked channels`() async throws {
    let url = folder.url("wav")
    let stereo = AudioFormat(sampleRate: 8_000, channelCount: 2)
    let captured = AudioBuffer(
      format: stereo, samples: (0..<1_600).map { $0.isMultiple(of: 2) ? 0.25 : 0.5 })
    try await record(
      RecordingRequest(url: url, encoding: .wavFloat, channels: [1]), capturing: captured)
    #expect(try folder.read(url).samples == Array(repeating: 0.5, count: 800))
  }

  @Test func `a channel that the device lacks is rejected, and no file is created`() async throws {
    let url = folder.url("wav")
    await #expect(throws: AudioRecorderError.self) {
      try await record(RecordingRequest(url: url, channels: [2]), capturing: speech)
    }
    #expect(!FileManager.default.fileExists(atPath: url.path))
  }

  @Test(
    arguments: [
      (.silence, 8_000, .lengthReached), (.omit, 8_000, .lengthReached), (.stop, 3_840, .gap),
    ] as [(RecordingGapRule, FrameCount, RecordingFinish.Reason)])
  func `a gap is filled, is omitted, or ends the recording, as requested`(
    rule: RecordingGapRule, frames: FrameCount, reason: RecordingFinish.Reason
  ) async throws {
    let card = VirtualSoundCard(
      pace: .lockstep(clock), microphone: .signal(AudioSignal { _, _ in 0.5 }),
      faults: [.xrun(at: 4_000, lost: 1_000)])
    let url = folder.url("wav")
    let request = RecordingRequest(
      url: url, encoding: .wavFloat, sampleRate: 8_000, channelCount: 1,
      maximumDuration: .seconds(1), gaps: rule)
    let events = try await with(card) { recorder in
      let stream = await recorder.recording(request: request)
      let events = Task { try await stream.reduce(into: []) { $0.append($1) } }
      await clock.sleepers(atLeast: 1)
      await clock.advance(by: .seconds(10))
      return try await events.value
    }
    #expect(events.contains(.xrun(.milliseconds(125))))
    let samples = try folder.read(url).samples
    #expect(samples.count { $0 == 0 } == (rule == .silence ? 1_000 : 0))
    guard case .finished(let finish) = events.last else { throw Missing() }
    #expect(finish.reason == reason && finish.frameCount == frames)
  }

  @Test func `a pause omits audio, and the file has no step at the pause`()
    async throws
  {
    let id = RecordingID()
    let url = folder.url("wav")
    let card = VirtualSoundCard(
      pace: .lockstep(clock), microphone: .signal(AudioSignal { _, _ in 0.5 }))
    try await with(card) { recorder in
      let request = RecordingRequest(
        url: url, encoding: .wavFloat, sampleRate: 8_000, channelCount: 1, id: id)
      var events = await recorder.recording(request: request).makeAsyncIterator()
      try await pass(.milliseconds(500), until: .levels, &events)
      try await recorder.control(id: id, command: .pause)
      let paused = try await pass(.milliseconds(500), until: .paused, &events)
      await clock.sleepers(atLeast: 1)
      await clock.advance(by: .seconds(3))
      #expect(await recorder.currentTime() == paused.inSeconds)
      await recorder.resume()
      let resumed = try await pass(.milliseconds(500), until: .resumed, &events)
      #expect(resumed == paused)
      await recorder.stopRecording()
    }
    let samples = try folder.read(url).samples
    let steps = zip(samples, samples.dropFirst()).map { abs($0 - $1) }
    #expect(try #require(steps.max()) < 0.5 / 39)
    #expect(samples.contains { $0 < 0.02 })
    #expect(samples.last == 0.5)
  }

  @Test func `commands begin a recording, change its file, and end the recording`() async throws {
    let id = RecordingID("dictation")
    let url = folder.url("wav")
    let card = VirtualSoundCard(
      pace: .lockstep(clock), microphone: .signal(AudioSignal.noise(seed: 8)))
    try await with(card) { recorder in
      let request = RecordingRequest(
        url: url, encoding: .wavFloat, sampleRate: 8_000, channelCount: 1, id: id,
        start: .onCommand, preRoll: .milliseconds(100))
      var events = await recorder.recording(request: request).makeAsyncIterator()
      try await pass(.milliseconds(500), until: .levels, &events)
      try await recorder.control(id: id, command: .start)
      let preRoll = try await pass(.milliseconds(500), until: .began, &events)
      #expect(preRoll == .milliseconds(100))
      try await recorder.control(id: id, command: .roll)
      try await pass(.milliseconds(500), until: .rolled, &events)
      try await recorder.control(id: id, command: .stop)
      try await pass(.milliseconds(500), until: .finished, &events)
      await #expect(throws: AudioRecorderError.unknownRecording(id)) {
        try await recorder.control(id: id, command: .pause)
      }
      try await recorder.control(id: id, command: .stop)
    }
    let second = url.deletingPathExtension().path + "-001.wav"
    let whole = try folder.read(url).samples + folder.read(URL(fileURLWithPath: second)).samples
    let captured = AudioSignal.noise(seed: 8).buffer(.seconds(10), format: format).samples
    let first = try #require((0..<40_000).first { captured[$0..<$0 + 100] == whole[..<100] })
    #expect(whole[...] == captured[first..<first + whole.count])
  }

  @Test func `an ID can be used by one recording at a time`() async throws {
    let id = RecordingID()
    let card = VirtualSoundCard(pace: .lockstep(clock))
    try await with(card) { recorder in
      let first = await recorder.recording(
        request: RecordingRequest(url: folder.url("wav"), id: id))
      let second = await recorder.recording(
        request: RecordingRequest(url: folder.url("wav"), id: id))
      await #expect(throws: AudioRecorderError.idInUse(id)) { for try await _ in second {} }
      await recorder.stopRecording()
      for try await _ in first {}
    }
  }

  @Test func `after a recording's end, its ID is free and the recording is released`()
    async throws
  {
    let id = RecordingID()
    let captured = AudioBuffer(silence: 80, format: format)
    try await with(VirtualSoundCard(pace: .untimed, microphone: .buffer(captured))) {
      for _ in 0..<30 {
        for try await event in await $0.recording(
          request: RecordingRequest(url: folder.url("wav"), id: id))
        {
          guard case .finished = event else { continue }
          #expect(await $0.currentTime() == nil)
        }
        let hasRecorded = try await $0.startRecording(url: folder.url("wav"))
        #expect(hasRecorded)
        #expect(await $0.currentTime() == nil)
      }
    }
  }

  @Test func `a failed recording reports the contents of its file before its error`() async throws {
    let card = VirtualSoundCard(
      pace: .lockstep(clock), microphone: .signal(.sine(440)),
      faults: [.unplugged(at: 4_000)])
    let url = folder.url("wav")
    try await with(card) { recorder in
      let request = RecordingRequest(url: url, sampleRate: 8_000, channelCount: 1)
      var events = await recorder.recording(request: request).makeAsyncIterator()
      await clock.sleepers(atLeast: 1)
      await clock.advance(by: .seconds(1))
      var last: RecordingEvent?
      await #expect(throws: AudioRecorderError.deviceLost("virtual")) {
        while let event = try await events.next() { last = event }
      }
      guard case .closed(let finish) = last else { throw Missing() }
      #expect(finish.reason == .failed)
      #expect(try finish.frameCount == folder.read(url).frameCount)
      #expect(finish.frameCount > 0)
    }
  }

  private struct Missing: Error {}

  private enum Kind {
    case levels, paused, resumed, began, rolled, finished
  }

  /// Lets time pass until an event of this kind comes; returns the event's duration.
  @discardableResult
  private func pass(
    _ time: Duration, until kind: Kind,
    _ events: inout AsyncThrowingStream<RecordingEvent, any Error>.Iterator
  ) async throws -> Duration {
    if kind != .finished {
      await clock.sleepers(atLeast: 1)
      await clock.advance(by: time)
    }
    while let event = try await events.next() {
      switch (kind, event) {
      case (.levels, .levels(let levels)): return levels.recorded
      case (.paused, .paused(let length)), (.resumed, .resumed(let length)): return length
      case (.began, .began(let preRoll)): return preRoll
      case (.rolled, .rolled), (.finished, .finished): return .zero
      default: continue
      }
    }
    throw Missing()
  }

  @discardableResult
  private func record(
    _ request: RecordingRequest, capturing audio: AudioBuffer
  ) async throws -> [RecordingEvent] {
    try await with(VirtualSoundCard(pace: .untimed, microphone: .buffer(audio))) {
      try await $0.recording(request: request).reduce(into: []) { $0.append($1) }
    }
  }

  private func with<Value: Sendable>(
    _ card: VirtualSoundCard, _ body: (AudioRecorderClient) async throws -> Value
  ) async rethrows -> Value {
    try await withDependencies {
      $0.soundCard = card.soundCard
    } operation: {
      try await body(AudioRecorderClient.liveValue)
    }
  }
}
