import AudioCore
import Foundation
import Testing

@testable import ALSASoundCard

@Suite struct DeviceLayoutTests {
  @Test(arguments: 1...8)
  func `where a card tells no order it has ALSA's, in both directions`(count: Int) async throws {
    let file = try TestBench.ready().file()
    let playback = try ALSAPlayback(
      request(testCard("format=FLOAT speed=0 output=\(file.path())"), channels: count))
    #expect(playback.configuration.channelLayout == .alsa(count))
    #expect(await playback.play(marked(count)).error == nil)
    playback.close()
    let expected = order(of: .alsa(count))
    #expect(try values(Float.self, in: file).map { $0 * 32 } == expected.map { Float($0) })
    let capture = try ALSACapture(
      request(testCard("mark_channels=1 speed=0"), channels: count))
    #expect(capture.configuration.channelLayout == .alsa(count))
    #expect(await firstFrame(of: capture) == inverse(expected))
  }

  @Test(arguments: 2...8)
  func `a card that tells its order is believed, in both directions`(count: Int) async throws {
    let file = try TestBench.ready().file()
    let layout = ChannelLayout(ChannelLayout.wav(count).positions.reversed())
    let script = "speed=0 mark_channels=1 chmap=\(names(layout))"
    let playback = try ALSAPlayback(
      request(testCard("format=FLOAT output=\(file.path()) \(script)"), channels: count))
    #expect(playback.configuration.channelLayout == layout)
    #expect(await playback.play(marked(count)).error == nil)
    playback.close()
    let expected = Array((0..<count).reversed())
    #expect(try values(Float.self, in: file).map { $0 * 32 } == expected.map { Float($0) })
    let capture = try ALSACapture(request(testCard(script), channels: count))
    #expect(await firstFrame(of: capture) == expected)
  }

  @Test(arguments: [(1, ChannelLayout.wav(4)), (0, Self.odd), (2, Self.odd)])
  func `a card that lacks our loudspeakers is told where they stand, and believed again`(
    how: Int, layout: ChannelLayout
  ) throws {
    _ = try TestBench.ready()
    let pcm = try ALSAPlayback(
      request(testCard("chmap=\(names(Self.odd)) set_chmap=\(how)"), channels: 4))
    #expect(pcm.configuration.channelLayout == layout)
  }

  @Test func `a microphone is told nothing`() throws {
    _ = try TestBench.ready()
    let pcm = try ALSACapture(
      request(testCard("chmap=\(names(Self.odd)) set_chmap=1"), channels: 4))
    #expect(pcm.configuration.channelLayout == Self.odd)
  }

  @Test func `HDMI's inner pair of rear loudspeakers makes the other one that beside the listener`()
  {
    let (fl, fr, rl, rr, fc, lfe, rlc, rrc): Positions = (3, 4, 5, 6, 7, 8, 14, 15)
    let values = [fl, fr, lfe, fc, rl, rr, rlc, rrc]
    #expect(
      ChannelLayout(alsa: values)
        == ChannelLayout([
          .frontLeft, .frontRight, .lowFrequency, .frontCenter, .sideLeft, .sideRight, .rearLeft,
          .rearRight,
        ]))
  }

  @Test func `positions of ours are ALSA's, others are unknown, and none at all is no layout`() {
    let frontLeft: UInt32 = 3
    let frontRightInverted: UInt32 = 4 | 0x1_0000
    let topCenter: UInt32 = 21
    let odd = [frontLeft, topCenter, frontRightInverted]
    #expect(ChannelLayout(alsa: odd) == ChannelLayout([.frontLeft, .unknown, .unknown]))
    #expect(ChannelLayout(alsa: [0, 0]) == nil)
  }

  private typealias Positions = (
    UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32
  )

  static let odd = ChannelLayout([.frontLeft, .frontRight, .frontCenter, .lowFrequency])

  /// A frame whose channel c is c / 32: bits that every format keeps.
  private func marked(_ count: Int) -> [Float] { (0..<count).map { Float($0) / 32 } }

  /// What a card's microphone gives, as the numbers of the card's channels.
  private func firstFrame(of pcm: ALSACapture) async -> [Int] {
    let count = pcm.configuration.format.channelCount
    return await pcm.record(1).frames.prefix(count).map { Int($0 * 32) }
  }

  /// For each of the card's channels, ours.
  private func order(of layout: ChannelLayout) -> [Int] {
    let ours = ChannelLayout.wav(layout.positions.count).positions
    return layout.positions.map { position in
      let beside: [ChannelPosition: ChannelPosition] = [
        .rearLeft: .sideLeft, .rearRight: .sideRight,
      ]
      return ours.firstIndex(of: position) ?? beside[position].flatMap(ours.firstIndex) ?? -1
    }
  }

  private func inverse(_ order: [Int]) -> [Int] {
    order.indices.map { channel in order.firstIndex(of: channel) ?? -1 }
  }

  private func names(_ layout: ChannelLayout) -> String {
    layout.positions.map(\.abbreviation).joined(separator: ",")
  }
}
