import AudioCore
import AudioPlayerClient
import AudioRecorderClient
import ClientDependencies
import SoundCard
import Testing

@testable import ALSASoundCard

/// The clients' engines while their sound server stops or ends.
extension PulseTests {
  /// Ten seconds, which no test waits for.
  private var longSound: [Float] { ramp(480_000, from: 1) }

  @Test func `the end of the sound server is the loss of the device for a playback`() async throws {
    let bench = try EngineBench()
    let played = await bench.play(longSound, on: "syrinxpulse") { _ in try? self.bench.stopPulse() }
    #expect(played.error == .deviceLost("syrinxpulse"))
    try self.bench.startPulse()
    let again = await bench.play(ramp(4_800), on: "syrinxpulse")
    #expect(again.finish?.reason == .completed, "\(again)")
  }

  @Test func `the end of the sound server is the loss of the device for a recording`()
    async throws
  {
    let bench = try EngineBench()
    let recorded = try await bench.record(nil, from: "syrinxpulse") { _ in
      try? self.bench.stopPulse()
    }
    #expect(recorded.error == .deviceLost("syrinxpulse"))
    try self.bench.startPulse()
    let again = try await bench.record(.milliseconds(200), from: "syrinxpulse")
    #expect(again.finish?.reason == .lengthReached, "\(again)")
    #expect(again.samples.count == 9_600)
  }

  @Test(.timeLimit(.minutes(1)))
  func `a channel that is picked from a sound server is that channel alone`() async throws {
    let playback = try ALSAPlayback(request("syrinxpulse", channels: 2))
    let right: [Float] = (0..<96_000).map { $0.isMultiple(of: 2) ? 0 : 0.25 }
    #expect(await playback.play(right).error == nil)
    let playing = Task {
      while !Task.isCancelled { #expect(await playback.play(right).error == nil) }
    }
    let bench = try EngineBench()
    var heard: [Float] = []
    // The server begins with silence.
    while !heard.contains(where: { $0 != 0 }) {
      heard = try await bench.record(.milliseconds(500), from: "syrinxpulse", channel: 1).samples
    }
    #expect(heard.allSatisfy { $0 == 0 || $0 == 0.25 })
    let left = try await bench.record(.milliseconds(500), from: "syrinxpulse", channel: 0).samples
    #expect(left.count == 24_000 && left.allSatisfy { $0 == 0 })
    let third = try await bench.record(.milliseconds(500), from: "syrinxpulse", channel: 2).samples
    #expect(third.count == 24_000 && third.allSatisfy { $0 == 0 })
    playing.cancel()
    await playing.value
  }

  @Test func `stop returns while the sound server answers nobody`() async throws {
    let played = try await EngineBench().play(longSound, on: "syrinxpulse") { player in
      try? self.bench.pausePulse()
      await player.stop()
    }
    try bench.continuePulse()
    #expect(played.finish?.reason == .stopped)
  }

  @Test func `stopRecording returns while the sound server answers nobody`() async throws {
    let recorded = try await EngineBench().record(nil, from: "syrinxpulse") { recorder in
      try? self.bench.pausePulse()
      await recorder.stopRecording()
    }
    try bench.continuePulse()
    #expect(recorded.finish?.reason == .stopped)
  }

  @Test(.timeLimit(.minutes(2)))
  func `a recording that waits goes on when a sound server that answered nobody does so again`()
    async throws
  {
    try await expectReturn(after: bench.pausePulse, by: bench.continuePulse)
  }

  @Test(.timeLimit(.minutes(2)))
  func `a recording that waits goes on when a sound server that was killed is started again`()
    async throws
  {
    try await expectReturn(after: bench.killPulse, by: bench.startPulse)
  }

  @Test(.timeLimit(.minutes(2)))
  func `a playback that waits goes on when a sound server that answered nobody does so again`()
    async throws
  {
    defer { try? bench.continuePulse() }
    let played = await (try EngineBench()).play(
      ramp(144_000, from: 1), on: "syrinxpulse", onDeviceLoss: .wait(atMost: .seconds(60)),
      act: { _ in #expect(throws: Never.self) { try self.bench.pausePulse() } },
      hear: { event in
        if event == .deviceLost { #expect(throws: Never.self) { try bench.continuePulse() } }
      })
    let gaps = played.events.filter { if case .deviceReturned = $0 { true } else { false } }
    #expect(played.events.count { $0 == .deviceLost } == 1 && gaps.count == 1)
    #expect(played.finish == PlaybackFinish(reason: .completed, heard: .seconds(3)), "\(played)")
  }

  @Test(.timeLimit(.minutes(1)))
  func `a sound server that answers nobody is lost for a playback that does not wait`()
    async throws
  {
    defer { try? bench.continuePulse() }
    let played = await (try EngineBench()).play(longSound, on: "syrinxpulse") { _ in
      #expect(throws: Never.self) { try self.bench.pausePulse() }
    }
    #expect(played.error == .deviceLost("syrinxpulse"), "\(played.events.suffix(3))")
  }

  @Test(.timeLimit(.minutes(1)))
  func `a sound server that answers nobody is lost for a recording that does not wait`()
    async throws
  {
    // Harmless where it goes on: no test after this is to find a server that answers nobody.
    defer { try? bench.continuePulse() }
    let recorded = try await EngineBench().record(nil, from: "syrinxpulse") { _ in
      #expect(throws: Never.self) { try self.bench.pausePulse() }
    }
    try bench.continuePulse()
    #expect(recorded.error == .deviceLost("syrinxpulse"), "\(recorded.events.suffix(3))")
    let heard = recorded.events.compactMap(\.recordedLength).last ?? .zero
    #expect(recorded.samples.count >= FrameCount(heard, at: 48_000).rawValue)
  }

  /// Records for eight seconds; something is done to the server when sound has been recorded, and
  /// undone when the server is lost.
  private func expectReturn(
    after harm: () throws -> Void, by mend: () throws -> Void
  ) async throws {
    var isHarmed = false
    // Harmless where it was mended: no test after this is to find a server that answers nobody.
    defer { try? mend() }
    let recorded = try await EngineBench().record(
      .seconds(8), from: "syrinxpulse", onDeviceLoss: .wait(atMost: .seconds(60)),
      hear: { event in
        if case .levels = event, !isHarmed {
          isHarmed = true
          #expect(throws: Never.self) { try harm() }
        }
        if event == .deviceLost { #expect(throws: Never.self) { try mend() } }
      })
    let gaps = recorded.events.filter { if case .deviceReturned = $0 { true } else { false } }
    #expect(recorded.error == nil && recorded.finish?.reason == .lengthReached)
    #expect(recorded.events.count { $0 == .deviceLost } == 1 && gaps.count == 1)
    #expect(recorded.samples.count == 384_000)
  }

  @Test func `a sound server that answers nobody is not waited for to open its device`()
    async throws
  {
    try bench.pausePulse()
    let hanging = await EngineBench.opening("syrinxpulse")
    #expect(hanging == .notAnswering("syrinxpulse", operation: "alsa-open"))
    let other = await EngineBench.opening(testCard(""))
    try bench.continuePulse()
    #expect(other == nil)
  }
}

extension EngineBench {
  /// Why a device does not open, nil where it does.
  static func opening(_ device: String) async -> SoundCardError? {
    do {
      try await withDependencies {
        $0.continuousClock = ContinuousClock()
      } operation: {
        try await SoundCard.liveValue.openPlayback(request: request(device)).close()
      }
      return nil
    } catch {
      return error as? SoundCardError
    }
  }
}

extension RecordingEvent {
  /// The length recorded so far, where it tells that.
  fileprivate var recordedLength: Duration? {
    if case .levels(let levels) = self { levels.recorded } else { nil }
  }
}
