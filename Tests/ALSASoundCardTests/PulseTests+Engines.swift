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
