import AudioCore
import Foundation
import SoundCard
import Testing

@testable import ALSASoundCard

/// Tests cards behind ALSA's `plug`, which converts every format.
@Suite struct PluggedCardTests {
  let bench: TestALSA

  init() throws { bench = try TestALSA.ready() }

  @Test func `a 16-bit card behind plug is dithered and reported as 16 bits`()
    async throws
  {
    let file = bench.file()
    let pcm = try ALSADevice(
      .playback, request(pluggedCard("format=S16 rate=48000 speed=0 output=\(file.path())")))
    #expect(pcm.configuration.sampleFormat == .int16)
    let quiet = (0..<48_000).map { frame in
      Float(0.4 / 32_768 * sin(2 * .pi * 440 / 48_000 * Double(frame)))
    }
    #expect(await pcm.play(quiet).error == nil)
    pcm.close()
    let played = try values(Int16.self, in: file)
    let mean = Double(played.map(Int.init).reduce(0, +)) / Double(max(1, played.count))
    #expect(played.count == 48_000)
    #expect(Set(played) == [-1, 0, 1])
    #expect(abs(mean) < 0.05, "\(mean)")
  }

  @Test(arguments: CardFormat.allCases)
  func `a card behind plug reports its native format and plays samples unchanged`(
    format: CardFormat
  ) async throws {
    let file = bench.file()
    let card = pluggedCard("format=\(format) rate=48000 speed=0 output=\(file.path())")
    let playback = try ALSADevice(.playback, request(card))
    let capture = try ALSADevice(.capture, request(card))
    let told = [playback.configuration.sampleFormat, capture.configuration.sampleFormat]
    #expect(told == [format.sampleFormat, format.sampleFormat])
    #expect(await playback.play(ramp(4_800)).error == nil)
    let captured = await capture.record(480).frames.prefix(480)
    playback.close()
    capture.close()
    let played = try format.samples(in: file)
    #expect(played == ramp(4_800))
    #expect(Array(captured) == ramp(480))
  }

  @Test(arguments: AudioDevice.Direction.allCases)
  func `ALSA's plug offers any channel count, at the card's rate`(
    direction: AudioDevice.Direction
  ) throws {
    for channels in 1...4 {
      let wanted = request(
        pluggedCard("format=S16 rate=44100 channels=2 speed=0"), 16_000, channels: channels)
      let settled = try configuration(wanted, direction)
      #expect(settled.format == AudioFormat(sampleRate: 44_100, channelCount: channels))
      #expect(settled.sampleFormat == .int16)
    }
  }

  @Test(arguments: AudioDevice.Direction.allCases)
  func `plug converts the samples of a card without a supported sample format`(
    direction: AudioDevice.Direction
  ) throws {
    let settled = try configuration(request(pluggedCard("format=S8 rate=48000")), direction)
    #expect(settled.format == AudioFormat(sampleRate: 48_000, channelCount: 1))
    #expect(settled.sampleFormat == .float32)
  }

  private func configuration(
    _ request: PCMRequest, _ direction: AudioDevice.Direction
  ) throws -> PCMConfiguration {
    switch direction {
    case .playback: try ALSADevice(.playback, request).configuration
    case .capture: try ALSADevice(.capture, request).configuration
    }
  }

  /// Returns the name of the test card with a script, behind ALSA's `plug`.
  private func pluggedCard(_ script: String) -> String {
    "syrinxpluggedcard:SCRIPT='mmap=1 \(script)'"
  }
}
