import AudioCore
import Foundation
import Testing

@testable import ALSASoundCard

@Suite struct DeviceLayoutTests {
  @Test(arguments: 1...8)
  func `a card without a channel map has ALSA's order in both directions`(count: Int) async throws {
    let file = try TestALSA.ready().file()
    let playback = try ALSADevice(
      .playback, request(testCard("format=FLOAT speed=0 output=\(file.path())"), channels: count))
    #expect(playback.configuration.channelLayout == .alsa(count))
    #expect(await playback.play(marked(count)).error == nil)
    playback.close()
    let expected = order(of: .alsa(count))
    #expect(try values(Float.self, in: file).map { $0 * 32 } == expected.map { Float($0) })
    let capture = try ALSADevice(
      .capture, request(testCard("mark_channels=1 speed=0"), channels: count))
    #expect(capture.configuration.channelLayout == .alsa(count))
    #expect(await firstFrame(of: capture) == inverse(expected))
  }

  @Test(arguments: 2...8)
  func `a card's channel map is used in both directions`(count: Int) async throws {
    let file = try TestALSA.ready().file()
    let layout = ChannelLayout(ChannelLayout.wav(count).positions.reversed())
    let script = "speed=0 mark_channels=1 chmap=\(names(layout))"
    let playback = try ALSADevice(
      .playback, request(testCard("format=FLOAT output=\(file.path()) \(script)"), channels: count))
    #expect(playback.configuration.channelLayout == layout)
    #expect(await playback.play(marked(count)).error == nil)
    playback.close()
    let expected = Array((0..<count).reversed())
    #expect(try values(Float.self, in: file).map { $0 * 32 } == expected.map { Float($0) })
    let capture = try ALSADevice(.capture, request(testCard(script), channels: count))
    #expect(await firstFrame(of: capture) == expected)
  }

  @Test(arguments: [(1, ChannelLayout.wav(4)), (0, Self.odd), (2, Self.odd)])
  func `playback requests WAV channel order, and uses the channel order that the card reports`(
    how: Int, layout: ChannelLayout
  ) throws {
    _ = try TestALSA.ready()
    let pcm = try ALSADevice(
      .playback, request(testCard("chmap=\(names(Self.odd)) set_chmap=\(how)"), channels: 4))
    #expect(pcm.configuration.channelLayout == layout)
  }

  @Test func `a microphone's channel map is not changed`() throws {
    _ = try TestALSA.ready()
    let pcm = try ALSADevice(
      .capture, request(testCard("chmap=\(names(Self.odd)) set_chmap=1"), channels: 4))
    #expect(pcm.configuration.channelLayout == Self.odd)
  }

  @Test func `if HDMI has a rear center pair, its rear pair maps to side channels`() {
    let (fl, fr, rl, rr, fc, lfe, rlc, rrc): Positions = (3, 4, 5, 6, 7, 8, 14, 15)
    let values = [fl, fr, lfe, fc, rl, rr, rlc, rrc]
    #expect(
      ChannelLayout(alsa: values)
        == ChannelLayout([
          .frontLeft, .frontRight, .lowFrequency, .frontCenter, .sideLeft, .sideRight, .rearLeft,
          .rearRight,
        ]))
  }

  @Test
  func `ALSA positions that Syrinx lacks become unknown; if all are unknown, there is no layout`() {
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

  /// Returns a frame whose channel c has the value c / 32, which every format represents exactly.
  private func marked(_ count: Int) -> [Float] { (0..<count).map { Float($0) / 32 } }

  /// Returns the first captured frame, as the channel numbers in the card's signal.
  private func firstFrame(of pcm: ALSADevice) async -> [Int] {
    let count = pcm.configuration.format.channelCount
    return await pcm.record(1).frames.prefix(count).map { Int($0 * 32) }
  }

  /// Returns the index of the WAV channel for each of the card's channels.
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

@Suite struct ChannelMixDeviceTests {
  @Test(arguments: 1...8)
  func `channels are not reordered for a card that uses the WAV order`(count: Int) {
    for direction in AudioDevice.Direction.allCases {
      #expect(ChannelMix(direction: direction, device: .wav(count)).isIdentity)
    }
  }

  @Test(arguments: 1...8)
  func `no channel is lost in the conversion to ALSA's order and back`(count: Int) {
    let there = ChannelMix(direction: .playback, device: .alsa(count))
    let back = ChannelMix(direction: .capture, device: .alsa(count))
    let frame = (1...count).map { Float($0) }
    #expect(there.apply(frame).sorted() == frame)
    #expect(back.apply(there.apply(frame)) == frame)
  }

  @Test func `5.1 and 7.1 channels go to the matching loudspeakers of a card with ALSA's order`() {
    #expect(
      ChannelMix(direction: .playback, device: .alsa(6)).apply([1, 2, 3, 4, 5, 6])
        == [1, 2, 5, 6, 3, 4])
    #expect(
      ChannelMix(direction: .playback, device: .alsa(8)).apply([1, 2, 3, 4, 5, 6, 7, 8])
        == [1, 2, 5, 6, 3, 4, 7, 8])
  }

  @Test func `channels are reordered within each frame`() {
    let routing = ChannelMix(
      direction: .playback, device: ChannelLayout([.frontRight, .frontLeft]))
    #expect(routing.apply([1, 2, 3, 4]) == [2, 1, 4, 3])
  }

  @Test func `rear channels go to side loudspeakers if a card has no rear loudspeakers`() {
    let card = ChannelLayout([
      .frontLeft, .frontRight, .frontCenter, .lowFrequency, .sideLeft, .sideRight,
    ])
    #expect(ChannelMix(direction: .playback, device: card).isIdentity)
  }

  @Test func `a channel without a loudspeaker is played in front at −3 dB without clipping`() {
    let card = ChannelLayout([.frontLeft, .frontRight, .frontCenter, .lowFrequency])
    let routing = ChannelMix(direction: .playback, device: card)
    let gain = 1 / (1 + Float(0.5).squareRoot())
    #expect(routing.apply([1, 0, 0, 0]) == [gain, 0, 0, 0])
    #expect(routing.apply([0, 0, 0, 1]) == [0, Float(0.5).squareRoot() * gain, 0, 0])
    let loudest = routing.apply([1, 1, 1, 1]).map(abs).max() ?? 2
    #expect(loudest <= 1.000_001)
  }

  @Test func `NaN in one channel does not affect the other channels`() {
    let card = ChannelLayout([.frontLeft, .frontRight, .frontCenter, .lowFrequency])
    let routing = ChannelMix(direction: .playback, device: card)
    #expect(routing.apply([0, 0, .nan, 0]).dropFirst() == [0, 0, 0])
  }

  @Test func `a microphone's channel with an unknown position is kept`() {
    let card = ChannelLayout([.frontLeft, .frontRight, .frontCenter, .lowFrequency])
    #expect(
      ChannelMix(direction: .capture, device: card).apply([1, 2, 3, 4]) == [1, 2, 3, 4])
  }

  @Test func `a card's channels with unknown positions play the remaining channels in order`() {
    let card = ChannelLayout([.unknown, .frontRight, .unknown, .frontLeft])
    #expect(
      ChannelMix(direction: .playback, device: card).apply([1, 2, 3, 4]) == [3, 2, 4, 1])
    #expect(
      ChannelMix(direction: .playback, device: .wav(9)).isIdentity)
  }

  @Test func `a card's silent channels stay silent, and side channels play in the rear`() {
    let card = ChannelLayout([
      .frontLeft, .frontRight, .rearLeft, .rearRight, .frontCenter, .lowFrequency, .silent, .silent,
    ])
    let routing = ChannelMix(direction: .playback, device: card)
    let side = routing.apply([0, 0, 0, 0, 0, 0, 1, 0])
    #expect(side[2] > 0.4 && side[6...] == [0, 0])
  }
}
