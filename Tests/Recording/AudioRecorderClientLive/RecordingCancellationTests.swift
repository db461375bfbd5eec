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

/// A recording whose consumer is canceled at any moment, on a virtual card with a test clock.
@Suite(.timeLimit(.minutes(5))) final class RecordingCancellationTests: Sendable {
  private let folder = RecordingFolder()
  private let clock = TestClock()
  private let noise = AudioSignal.noise(seed: 9)

  /// The moments at which a recording is canceled.
  enum Moment: CaseIterable {
    case beginning, waitingForSound, waitingForCommand, sounding, paused, rolled, trimming, shared
  }

  @Test(arguments: Moment.allCases)
  func `a recording can be canceled at any moment, and its files are complete`(
    moment: Moment
  ) async throws {
    let card = VirtualSoundCard(
      pace: .lockstep(clock), microphone: .signal(noise), keepsPlayback: false)
    let request = request(for: moment)
    try await withDependencies {
      $0.soundCard = card.soundCard
    } operation: {
      let recorder = AudioRecorderClient.liveValue
      let other = moment == .shared ? await listener(recorder) : nil
      let reached = Gate()
      let stream = await recorder.recording(request: request)
      let consumer = Task {
        for try await event in stream where moment.isReached(with: event) { reached.open() }
      }
      try await bring(recorder, to: moment, reached)
      consumer.cancel()
      try await consumer.value
      while await recorder.currentTime() != nil { await Task.yield() }
      if let other {
        #expect(card.openDeviceCount == 1)
        other.cancel()
        try await other.value
      }
    }
    await closed(card)
    try check(#require(request.file), moment)
  }

  private func request(for moment: Moment) -> RecordingRequest {
    var request = RecordingRequest(
      url: folder.url("wav"), encoding: .wavFloat, sampleRate: 8_000, channelCount: 1, id: "a")
    switch moment {
    case .waitingForSound:
      request.start = .atSound(LevelRule(threshold: Decibels(6), hold: .zero))
    case .waitingForCommand: request.start = .onCommand
    case .rolled: request.rolling = RecordingRollingRule(length: .milliseconds(200))
    case .trimming:
      request.trim = LevelRule(threshold: Decibels(6), hold: .milliseconds(100))
    case .beginning, .sounding, .paused, .shared: break
    }
    return request
  }

  /// Advances the clock until the point where the recording is canceled.
  private func bring(
    _ recorder: AudioRecorderClient, to moment: Moment, _ reached: Gate
  ) async throws {
    guard moment != .beginning else { return }
    if moment == .paused { try await recorder.control(id: "a", command: .pause) }
    await pass(until: reached)
  }

  private func listener(_ recorder: AudioRecorderClient) async -> Task<Void, any Error> {
    let begun = Gate()
    let stream = await recorder.capture(request: CaptureRequest(sampleRate: 8_000))
    let task = Task { for try await _ in stream { begun.open() } }
    await pass(until: begun)
    return task
  }

  private func pass(until gate: Gate) async {
    await clock.pass { await gate.wait() }
  }

  private func closed(_ card: VirtualSoundCard) async {
    while card.openDeviceCount > 0 { await Task.yield() }
  }

  /// Checks that the file contains the captured audio from its beginning.
  private func check(_ url: URL, _ moment: Moment) throws {
    switch moment {
    case .beginning:
      guard FileManager.default.fileExists(atPath: url.path) else { return }
      _ = try folder.read(url)
    case .waitingForSound, .waitingForCommand, .trimming:
      // A recording without frames leaves no file.
      let exists = FileManager.default.fileExists(atPath: url.path)
      #expect(!exists)
    case .paused:
      #expect(try folder.read(url).frameCount <= 1_000)
    case .sounding, .shared:
      #expect(try folder.read(url).frameCount > 0)
    case .rolled:
      let next = url.deletingPathExtension().path + "-001.wav"
      #expect(try folder.read(url).frameCount == 1_600)
      #expect(try folder.read(URL(fileURLWithPath: next)).frameCount > 0)
    }
  }
}

extension RecordingCancellationTests.Moment {
  fileprivate func isReached(with event: RecordingEvent) -> Bool {
    switch (self, event) {
    case (.paused, .paused), (.rolled, .rolled), (.beginning, _): true
    case (.waitingForSound, .levels), (.waitingForCommand, .levels), (.trimming, .levels),
      (.sounding, .levels), (.shared, .levels):
      true
    default: false
    }
  }
}
