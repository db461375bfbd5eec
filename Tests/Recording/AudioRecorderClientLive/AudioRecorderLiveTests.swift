import AudioCore
import AudioRecorderClient
import AudioRecorderClientLive
import ClientDependencies
import Foundation
import SoundCard
import TestTools
import Testing
import VirtualSoundCard

@Suite struct AudioRecorderLiveTests {
  private let folder = RecordingFolder()
  let format = AudioFormat(sampleRate: 8_000, channelCount: 1)
  var noise: AudioBuffer { AudioSignal.noise(seed: 5).buffer(.seconds(1), format: format) }

  @Test func `a recording holds the microphone's audio, sample by sample`() async throws {
    let card = VirtualSoundCard(pace: .untimed, microphone: .buffer(noise))
    let url = folder.url("wav")
    let events = try await record(.init(url: url, encoding: .wavFloat), on: card)
    #expect(try folder.read(url).samples == noise.samples)
    #expect(
      events.first
        == .started(
          RecordingStart(
            device: "virtual", deviceFormat: format, fileFormat: format,
            settings: PCMConfiguration(
              device: "virtual", format: format, sampleFormat: .float32, period: 160,
              buffer: 1_600))))
    #expect(
      events.last
        == .finished(
          RecordingFinish(
            reason: .deviceEnded, frameCount: 8_000, recorded: .seconds(1), level: noise.level,
            file: url)))
    #expect(card.openDeviceCount == 0)
  }

  @Test func `a recording ends exactly at the requested length`() async throws {
    let card = VirtualSoundCard(pace: .untimed, microphone: .signal(.sine(440)))
    let url = folder.url("wav")
    let request = RecordingRequest(
      url: url, sampleRate: 16_000, channelCount: 1, maximumDuration: .milliseconds(1_234))
    let events = try await record(request, on: card)
    #expect(try folder.read(url).frameCount == 19_744)
    guard case .finished(let finish) = events.last else { throw Missing() }
    #expect(finish.reason == .lengthReached)
  }

  @Test func `the file has the requested rate and channels, independent of the device`()
    async throws
  {
    let stereo = AudioFormat(sampleRate: 48_000, channelCount: 2)
    let captured = AudioSignal.sine(500).buffer(.seconds(1), format: stereo)
    let card = VirtualSoundCard(pace: .untimed, microphone: .buffer(captured))
    let url = folder.url("wav")
    try await record(
      .init(url: url, encoding: .wavFloat, sampleRate: 16_000, channelCount: 1), on: card)
    let recorded = try folder.read(url)
    #expect(recorded.format == .speech)
    let reference = AudioSignal.sine(500).buffer(.seconds(1), format: .speech)
    let middle = 1_600..<14_400
    let error = zip(recorded.samples[middle], reference.samples[middle]).map { abs($0 - $1) }.max()
    #expect(try #require(error) < 1e-3)
  }

  @Test func `lost frames are reported, and silence keeps the timeline correct`()
    async throws
  {
    let clock = TestClock()
    let card = VirtualSoundCard(
      pace: .lockstep(clock), microphone: .signal(AudioSignal { _, _ in 0.5 }),
      faults: [.xrun(at: 4_000, lost: 1_000)])
    let url = folder.url("wav")
    let events = try await withRecorder(on: card) { recorder in
      let stream = await recorder.recording(
        request: .init(
          url: url, encoding: .wavFloat, sampleRate: 8_000, channelCount: 1,
          maximumDuration: .seconds(1)))
      let events = Task { try await stream.reduce(into: []) { $0.append($1) } }
      await clock.sleepers(atLeast: 1)
      await clock.advance(by: .seconds(10))
      return try await events.value
    }
    #expect(events.contains(.xrun(.milliseconds(125))))
    let samples = try folder.read(url).samples
    #expect(samples.count == 8_000)
    #expect(samples.count { $0 == 0 } == 1_000)
    let silence = try #require(samples.firstIndex(of: 0))
    #expect(samples[silence..<silence + 1_000].allSatisfy { $0 == 0 })
  }

  @Test func `levels are reported ten times a second`() async throws {
    let clock = TestClock()
    let card = VirtualSoundCard(
      pace: .lockstep(clock), microphone: .signal(AudioSignal { _, _ in 0.1 }))
    try await withRecorder(on: card) { recorder in
      let stream = await recorder.recording(request: .init(url: folder.url("wav")))
      var events = stream.makeAsyncIterator()
      await clock.sleepers(atLeast: 1)
      _ = try await events.next()
      await clock.advance(by: .milliseconds(100))
      guard case .levels(let levels) = try await events.next() else { throw Missing() }
      #expect(levels.recorded == .milliseconds(100))
      #expect(abs(levels.level.peak.value - -20) < 0.01)
      #expect(levels.channels.map(\.peak) == Array(repeating: levels.level.peak, count: 2))
      #expect(await recorder.currentTime() == 0.1)
      await recorder.stopRecording()
      #expect(await recorder.currentTime() == nil)
    }
  }

  @Test(arguments: [(0.0001, [-80]), (0.001, [])] as [(Float, [Double])])
  func `a switched-off microphone is reported`(amplitude: Float, warnings: [Double])
    async throws
  {
    let captured = AudioSignal { _, _ in amplitude }.buffer(.seconds(10), format: format)
    let card = VirtualSoundCard(pace: .untimed, microphone: .buffer(captured))
    let events = try await record(.init(url: folder.url("wav")), on: card)
    let told = events.compactMap { event -> Double? in
      if case .silentMicrophone(let level) = event { level.value.rounded() } else { nil }
    }
    #expect(told == warnings)
  }

  @Test func `stop() ends a recording made by beginRecording and completes its file`()
    async throws
  {
    let clock = TestClock()
    let card = VirtualSoundCard(
      pace: .lockstep(clock), microphone: .signal(.sine(440)), sampleRate: 8_000)
    let url = folder.url("wav")
    try await withRecorder(on: card) { recorder in
      let memo = try await recorder.beginRecording(
        RecordingRequest(url: url, encoding: .wavFloat, sampleRate: 8_000, channelCount: 1))
      #expect(card.openDeviceCount == 1)
      await clock.sleepers(atLeast: 1)
      await clock.advance(by: .milliseconds(500))
      // The virtual card sleeps only after it has delivered half a second.
      await clock.sleepers(atLeast: 1)
      let finish = try await memo.stop()
      #expect(finish.reason == .stopped)
      #expect(card.openDeviceCount == 0)
      let captured = AudioSignal.sine(440).buffer(.milliseconds(500), format: format)
      let recorded = try folder.read(url)
      #expect(recorded.frameCount == finish.frameCount && recorded.frameCount >= 4_000)
      #expect(recorded.samples.prefix(4_000) == captured.samples.prefix(4_000))
    }
  }

  @Test
  func `a canceled beginRecording throws after its recording has ended, so the ID can be reused`()
    async throws
  {
    let card = VirtualSoundCard(pace: .untimed, microphone: .signal(.sine(440)))
    try await withRecorder(on: card) { recorder in
      let request = RecordingRequest(url: folder.url("wav"), id: "memo")
      for _ in 0..<20 {
        let beginning = Task { try await recorder.beginRecording(request) }
        beginning.cancel()
        await #expect(throws: CancellationError.self) { try await beginning.value }
      }
      try await recorder.beginRecording(request).stop()
    }
  }

  @Test func `stopRecording returns when the file is complete, and startRecording returns true`()
    async throws
  {
    let clock = TestClock()
    let card = VirtualSoundCard(pace: .lockstep(clock), microphone: .signal(.sine(440)))
    let url = folder.url("flac")
    try await withRecorder(on: card) { recorder in
      let recording = Task { try await recorder.startRecording(url: url) }
      await clock.sleepers(atLeast: 1)
      await clock.advance(by: .milliseconds(500))
      // The virtual card sleeps only after it has delivered half a second.
      await clock.sleepers(atLeast: 1)
      await recorder.stopRecording()
      #expect(try folder.read(url).duration >= .milliseconds(400))
      let isComplete = try await recording.value
      #expect(isComplete)
    }
    #expect(card.openDeviceCount == 0)
  }

  @Test func `stopRecording ends only the recordings of its own client and releases their files`()
    async throws
  {
    let card = VirtualSoundCard(pace: .lockstep(TestClock()))
    let request = RecordingRequest(url: folder.url("wav"))
    try await withRecorder(on: card) { recorder in
      var events = await recorder.recording(request: request).makeAsyncIterator()
      guard case .started = try await events.next() else { throw Missing() }
      let other = AudioRecorderClient.liveValue
      await other.stopRecording()
      await #expect(throws: AudioRecorderError.self) { try await record(request, on: card) }
      await recorder.stopRecording()
      events = await other.recording(request: request).makeAsyncIterator()
      guard case .started = try await events.next() else { throw Missing() }
      await other.stopRecording()
    }
    #expect(card.openDeviceCount == 0)
  }

  @Test(arguments: [0, 1, 8_000])
  func `startRecording returns whether a frame was recorded, even if the device ends`(
    captured: FrameCount
  ) async throws {
    let microphone = VirtualMicrophone.buffer(noise.frames(0..<captured))
    let hasRecorded = try await withRecorder(
      on: VirtualSoundCard(pace: .untimed, microphone: microphone)
    ) { try await $0.startRecording(url: folder.url("wav")) }
    #expect(hasRecorded == (captured > 0))
  }

  @Test func `a recording accepts an infinite maximum duration`() async throws {
    let card = VirtualSoundCard(pace: .untimed, microphone: .buffer(noise))
    let request = RecordingRequest(
      url: folder.url("wav"), maximumDuration: .seconds(Int64.max))
    let last = try await record(request, on: card).last
    guard case .finished(let finish) = last else { throw Missing() }
    #expect(finish.frameCount == 8_000)
  }

  @Test func `a recording whose task is canceled is complete on disk`() async throws {
    let clock = TestClock()
    let card = VirtualSoundCard(pace: .lockstep(clock), microphone: .signal(.sine(440)))
    let url = folder.url("wav")
    await withRecorder(on: card) { recorder in
      let recording = Task { try await recorder.startRecording(url: url) }
      await clock.sleepers(atLeast: 1)
      await clock.advance(by: .seconds(1))
      recording.cancel()
      await #expect(throws: CancellationError.self) { _ = try await recording.value }
    }
    #expect(try folder.read(url).format.sampleRate == 48_000)
    #expect(card.openDeviceCount == 0)
  }

  @Test func `an unplugged microphone is an error, and the file holds the captured audio`()
    async throws
  {
    let clock = TestClock()
    let card = VirtualSoundCard(
      pace: .lockstep(clock), microphone: .signal(.sine(440)),
      faults: [.unplugged(at: 4_000)])
    let url = folder.url("wav")
    await #expect(throws: AudioRecorderError.deviceLost("virtual")) {
      try await withRecorder(on: card) { recorder in
        let stream = await recorder.recording(
          request: .init(url: url, sampleRate: 8_000, channelCount: 1))
        let events = Task { for try await _ in stream {} }
        await clock.sleepers(atLeast: 1)
        await clock.advance(by: .seconds(1))
        try await events.value
      }
    }
    #expect((1...4_000).contains(try folder.read(url).frameCount))
  }

  @Test func `a file that cannot be created ends the recording and closes the device`() async throws
  {
    let card = VirtualSoundCard(pace: .untimed)
    let url = URL(fileURLWithPath: "/nowhere/at/all.wav")
    let error = await #expect(throws: AudioRecorderError.self) {
      try await record(.init(url: url), on: card)
    }
    guard case .file(url, let reason) = error else { throw Missing() }
    #expect(reason.contains("/nowhere/at/all.wav"))
    #expect(card.openDeviceCount == 0)
  }

  @Test func `a full disk ends the recording with diskFull`() async {
    let card = VirtualSoundCard(pace: .untimed)
    let url = URL(fileURLWithPath: "/dev/full")
    await #expect(throws: AudioRecorderError.diskFull(url)) {
      try await record(.init(url: url, encoding: .wav16), on: card)
    }
    #expect(card.openDeviceCount == 0)
  }

  @Test func `permission is granted if the default device can be opened`() async {
    await withDependencies {
      $0.soundCard.openCapture = { _ in throw SoundCardError.noSoundCard(.capture) }
    } operation: {
      #expect(await !AudioRecorderClient.liveValue.requestRecordPermission())
    }
    await withRecorder(on: VirtualSoundCard()) { #expect(await $0.requestRecordPermission()) }
  }

  private struct Missing: Error {}
}
