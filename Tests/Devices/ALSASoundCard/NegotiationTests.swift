import AudioCore
import Foundation
import SoundCard
import Testing

@testable import ALSASoundCard

/// A combination of a card's properties.
struct CardShape: Sendable, CustomStringConvertible {
  var format: CardFormat
  var rate: SampleRate

  static let all = CardFormat.allCases.flatMap { format in
    ([8_000, 11_025, 16_000, 22_050, 44_100, 48_000, 96_000, 192_000] as [SampleRate])
      .map { CardShape(format: format, rate: $0) }
  }

  var description: String { "\(format) at \(rate)" }

  func script(channels: Int) -> String {
    "format=\(format) rate=\(rate.hertz) channels=\(channels) speed=0"
  }
}

/// Serialized, so that concurrent tests of devices in real time get enough processor time.
@Suite(.serialized) struct NegotiationTests {
  init() throws { _ = try TestALSA.ready() }

  @Test(arguments: CardShape.all)
  func `a card of any format, rate, and channel count plays the written samples`(
    shape: CardShape
  ) async throws {
    let file = try TestALSA.ready().file()
    for channels in 1...8 {
      let card = testCard("\(shape.script(channels: channels)) output=\(file.path())")
      let pcm = try ALSADevice(.playback, request(card, shape.rate, channels: channels))
      #expect(pcm.configuration.sampleFormat == shape.format.sampleFormat)
      #expect(
        pcm.configuration.format
          == AudioFormat(sampleRate: shape.rate, channelCount: channels))
      let samples = marked(300, channels)
      #expect(await pcm.play(samples).error == nil)
      pcm.close()
      let isSame = try shape.format.samples(in: file) == inCardsOrder(samples, channels)
      #expect(isSame, "\(channels) channels")
    }
  }

  @Test(arguments: CardShape.all)
  func `a microphone of any format, rate, and channel count returns its signal`(
    shape: CardShape
  ) async throws {
    for channels in 1...8 {
      let card = testCard("\(shape.script(channels: channels)) mark_channels=1")
      let pcm = try ALSADevice(.capture, request(card, shape.rate, channels: channels))
      #expect(
        pcm.configuration.format
          == AudioFormat(sampleRate: shape.rate, channelCount: channels))
      let account = await pcm.record(300)
      pcm.close()
      #expect(account.error == nil)
      let played = Array(account.frames.prefix(300 * channels))
      let isSame = inCardsOrder(played, channels) == marked(300, channels)
      #expect(isSame, "\(channels) channels")
    }
  }

  @Test
  func `with prefersNativeRate, a card opens at its native rate, and a file at the requested rate`()
    throws
  {
    var wanted = request(testCard(""), 16_000)
    #expect(try ALSADevice(.capture, wanted).configuration.format.sampleRate == 16_000)
    wanted.prefersNativeRate = true
    #expect(try ALSADevice(.capture, wanted).configuration.format.sampleRate == 48_000)
    wanted.device = .init(rawValue: testCard("rate=44100"))
    #expect(try ALSADevice(.capture, wanted).configuration.format.sampleRate == 44_100)
    wanted.device = .init(rawValue: "syrinxfile:FILE='/dev/null'")
    #expect(try ALSADevice(.playback, wanted).configuration.format.sampleRate == 16_000)
  }

  @Test func `a card with all formats is opened with the best format`() throws {
    let pcm = try ALSADevice(.playback, request(testCard("")))
    #expect(pcm.configuration.sampleFormat == .float32)
    #expect(
      PCMSampleFormat.allCases == [.float32, .int32, .int24, .int24Packed, .int16])
  }

  /// Returns the test card's microphone signal: each sample contains its frame and its channel.
  private func marked(_ frames: Int, _ channels: Int) -> [Float] {
    (0..<frames).flatMap { frame in
      (0..<channels).map { Float(frame | $0 << 10) / 32_768 }
    }
  }

  /// Returns the samples in the channel order of the test card, which has no channel map.
  private func inCardsOrder(_ samples: [Float], _ channels: Int) -> [Float] {
    let orders = [
      4: [0, 1, 2, 3], 5: [0, 1, 3, 4, 2], 6: [0, 1, 4, 5, 2, 3], 7: [0, 1, 5, 6, 2, 3, 4],
      8: [0, 1, 4, 5, 2, 3, 6, 7],
    ]
    let order = orders[channels] ?? Array(0..<channels)
    return stride(from: 0, to: samples.count, by: channels).flatMap { frame in
      order.map { samples[frame + $0] }
    }
  }
}
