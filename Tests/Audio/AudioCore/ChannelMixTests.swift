import Testing

@testable import AudioCore

@Suite struct ChannelMixTests {
  /// One line for each pair of channel counts.
  ///
  /// A line lists the input channels that are mixed into each output channel, in WAV order. If the
  /// sum of an output's gains exceeds 1, all gains of the line are then scaled down.
  static let speakers = [
    "1 > 2: MONO | MONO",
    "1 > 3: - | - | MONO",
    "1 > 4: MONO | MONO | - | -",
    "1 > 5: - | - | MONO | - | -",
    "1 > 6: - | - | MONO | - | - | -",
    "1 > 7: - | - | MONO | - | - | - | -",
    "1 > 8: - | - | MONO | - | - | - | - | -",
    "2 > 1: 0.707 FL + 0.707 FR",
    "2 > 3: FL | FR | -",
    "2 > 4: FL | FR | - | -",
    "2 > 5: FL | FR | - | - | -",
    "2 > 6: FL | FR | - | - | - | -",
    "2 > 7: FL | FR | - | - | - | - | -",
    "2 > 8: FL | FR | - | - | - | - | - | -",
    "3 > 1: 0.707 FL + 0.707 FR + FC",
    "3 > 2: FL + 0.707 FC | FR + 0.707 FC",
    "3 > 4: FL + 0.707 FC | FR + 0.707 FC | - | -",
    "3 > 5: FL | FR | FC | - | -",
    "3 > 6: FL | FR | FC | - | - | -",
    "3 > 7: FL | FR | FC | - | - | - | -",
    "3 > 8: FL | FR | FC | - | - | - | - | -",
    "4 > 1: 0.707 FL + 0.707 FR + 0.5 RL + 0.5 RR",
    "4 > 2: FL + 0.707 RL | FR + 0.707 RR",
    "4 > 3: FL + 0.707 RL | FR + 0.707 RR | -",
    "4 > 5: FL | FR | - | RL | RR",
    "4 > 6: FL | FR | - | - | RL | RR",
    "4 > 7: FL | FR | - | - | - | RL | RR",
    "4 > 8: FL | FR | - | - | RL | RR | - | -",
    "5 > 1: 0.707 FL + 0.707 FR + FC + 0.5 RL + 0.5 RR",
    "5 > 2: FL + 0.707 FC + 0.707 RL | FR + 0.707 FC + 0.707 RR",
    "5 > 3: FL + 0.707 RL | FR + 0.707 RR | FC",
    "5 > 4: FL + 0.707 FC | FR + 0.707 FC | RL | RR",
    "5 > 6: FL | FR | FC | - | RL | RR",
    "5 > 7: FL | FR | FC | - | - | RL | RR",
    "5 > 8: FL | FR | FC | - | RL | RR | - | -",
    "6 > 1: 0.707 FL + 0.707 FR + FC + 0.5 RL + 0.5 RR",
    "6 > 2: FL + 0.707 FC + 0.707 RL | FR + 0.707 FC + 0.707 RR",
    "6 > 3: FL + 0.707 RL | FR + 0.707 RR | FC",
    "6 > 4: FL + 0.707 FC | FR + 0.707 FC | RL | RR",
    "6 > 5: FL | FR | FC | RL | RR",
    "6 > 7: FL | FR | FC | LFE | - | RL | RR",
    "6 > 8: FL | FR | FC | LFE | RL | RR | - | -",
    "7 > 1: 0.707 FL + 0.707 FR + FC + 0.5 RC + 0.5 SL + 0.5 SR",
    "7 > 2: FL + 0.707 FC + 0.5 RC + 0.707 SL | FR + 0.707 FC + 0.5 RC + 0.707 SR",
    "7 > 3: FL + 0.5 RC + 0.707 SL | FR + 0.5 RC + 0.707 SR | FC",
    "7 > 4: FL + 0.707 FC | FR + 0.707 FC | 0.707 RC + SL | 0.707 RC + SR",
    "7 > 5: FL | FR | FC | 0.707 RC + SL | 0.707 RC + SR",
    "7 > 6: FL | FR | FC | LFE | 0.707 RC + SL | 0.707 RC + SR",
    "7 > 8: FL | FR | FC | LFE | 0.707 RC | 0.707 RC | SL | SR",
    "8 > 1: 0.707 FL + 0.707 FR + FC + 0.5 RL + 0.5 RR + 0.5 SL + 0.5 SR",
    "8 > 2: FL + 0.707 FC + 0.707 RL + 0.707 SL | FR + 0.707 FC + 0.707 RR + 0.707 SR",
    "8 > 3: FL + 0.707 RL + 0.707 SL | FR + 0.707 RR + 0.707 SR | FC",
    "8 > 4: FL + 0.707 FC | FR + 0.707 FC | RL + 0.707 SL | RR + 0.707 SR",
    "8 > 5: FL | FR | FC | RL + 0.707 SL | RR + 0.707 SR",
    "8 > 6: FL | FR | FC | LFE | RL + 0.707 SL | RR + 0.707 SR",
    "8 > 7: FL | FR | FC | LFE | 0.707 RL + 0.707 RR | SL | SR",
    // Unusual layouts for these channel counts.
    "FL FR LFE > 2: FL | FR",
    "FL FR LFE > 6: FL | FR | - | LFE | - | -",
    "FL FR FC RC > 2: FL + 0.707 FC + 0.5 RC | FR + 0.707 FC + 0.5 RC",
    "FL FR FC RC > 4: FL + 0.707 FC | FR + 0.707 FC | 0.707 RC | 0.707 RC",
    "FL FR FC RC > 5: FL | FR | FC | 0.707 RC | 0.707 RC",
    "FL FR FC LFE > 4: FL + 0.707 FC | FR + 0.707 FC | - | -",
    "FL FR FC LFE SL SR > 6: FL | FR | FC | LFE | SL | SR",
    "FL FR FC LFE SL SR > 8: FL | FR | FC | LFE | - | - | SL | SR",
    "FL FR FC LFE RL RR RC > 7: FL | FR | FC | LFE | RC | RL | RR",
    "FL FR RC > 1: 0.707 FL + 0.707 FR + 0.5 RC",
    "5 > FL FR RC: FL + 0.707 FC | FR + 0.707 FC | 0.707 RL + 0.707 RR",
    "5 > FL FR FC RC: FL | FR | FC | 0.707 RL + 0.707 RR",
    "8 > FL FR FC LFE SL SR: FL | FR | FC | LFE | SL + 0.707 RL | SR + 0.707 RR",
    "6 > FL FR LFE: FL + 0.707 FC + 0.707 RL | FR + 0.707 FC + 0.707 RR | LFE",
  ]

  @Test(arguments: speakers)
  func `each input channel reaches exactly its documented speakers, with the documented gains`(
    line: String
  ) throws {
    let expected = try Expected(line)
    let mix = ChannelMix(from: expected.from, to: expected.to)
    for (channel, position) in expected.from.positions.enumerated() {
      var frame = [Float](repeating: 0, count: expected.from.positions.count)
      frame[channel] = 1
      let played = mix.apply(frame)
      for (speaker, gains) in expected.gains.enumerated() {
        let gain = gains[position.abbreviation] ?? 0
        #expect(abs(played[speaker] - gain) < 0.001, "\(position) in \(expected.to) \(played)")
      }
    }
  }

  @Test func `the mix table covers every pair of layouts`() {
    let pairs = Set(Self.speakers.map { $0.prefix { $0 != ":" } })
    for from in 1...8 {
      for to in 1...8 where from != to { #expect(pairs.contains("\(from) > \(to)")) }
    }
  }

  @Test(arguments: 1...12)
  func `channels are unchanged if the output has the same layout`(count: Int) {
    let mix = ChannelMix(from: .wav(count), to: .wav(count))
    #expect(mix.isIdentity && mix.isPermutation)
    let frames = (0..<(2 * count)).map { Float($0) / 3 }
    #expect(mix.apply(frames) == frames)
  }

  @Test func `a mix reorders channels and mixes each frame separately`() {
    let vorbis = ChannelLayout([
      .frontLeft, .frontCenter, .frontRight, .rearLeft, .rearRight, .lowFrequency,
    ])
    let mix = ChannelMix(from: vorbis, to: vorbis.inWAVOrder)
    #expect(mix.isPermutation && !mix.isIdentity)
    var frames: [Float] = [1, 3, 2, 5, 6, 4, 10, 30, 20, 50, 60, 40]
    let expected: [Float] = [1, 2, 3, 4, 5, 6, 10, 20, 30, 40, 50, 60]
    #expect(mix.apply(frames) == expected)
    frames.withUnsafeMutableBufferPointer { frames in
      if let start = frames.baseAddress { mix.apply(inPlace: start, frames: 2) }
    }
    #expect(frames == expected)
  }

  @Test func `NaN in one channel does not affect outputs without that channel`() {
    let mix = ChannelMix(from: .wav(6), to: .wav(2))
    #expect(mix.apply([.nan, 0, 0, .nan, 0, 0])[1] == 0)
  }

  @Test func `channels with unknown positions are spread over the outputs, and no channel is lost`()
  {
    let unknown = ChannelLayout.wav(9)
    #expect(ChannelMix(from: unknown, to: .wav(1)).gains == Array(repeating: 1 / 9, count: 9))
    let stereo = ChannelMix(from: unknown, to: .wav(2)).apply([1, 2, 3, 4, 5, 6, 7, 8, 9])
    #expect(stereo == [5, 4])
    #expect(ChannelMix(from: .wav(2), to: unknown).apply([1, 2]) == [1, 2, 0, 0, 0, 0, 0, 0, 0])
    #expect(ChannelMix(from: .wav(1), to: unknown).apply([1]) == Array(repeating: 1, count: 9))
  }

  @Test func `a mix that keeps all input channels reorders them without mixing`() {
    let device = ChannelLayout([.frontLeft, .lowFrequency, .frontCenter, .rearCenter])
    let mix = ChannelMix(keepingAllOf: device, as: .wav(4))
    #expect(mix.isPermutation)
    #expect(mix.apply([1, 2, 3, 4]) == [1, 2, 3, 4])
  }
}

/// The expected mix in a line of the table, with scaled gains.
private struct Expected {
  let from: ChannelLayout
  let to: ChannelLayout
  /// For each output channel, the gain of each input channel.
  let gains: [[String: Float]]

  init(_ line: String) throws {
    let parts = line.split(separator: ":")
    let layouts = try #require(parts.first).split(separator: ">").map(Self.layout)
    from = try #require(layouts.first)
    to = try #require(layouts.last)
    let rows = try #require(parts.last).split(separator: "|").map(Self.row)
    let loudest = rows.map { $0.values.reduce(0, +) }.max() ?? 1
    gains = rows.map { $0.mapValues { $0 / max(1, loudest) } }
    try #require(gains.count == to.positions.count)
  }

  private static func layout(_ text: Substring) -> ChannelLayout {
    let words = text.split(separator: " ")
    if let count = words.first.flatMap({ Int($0) }) { return .wav(count) }
    return ChannelLayout(
      words.compactMap { word in ChannelPosition.allCases.first { $0.abbreviation == word } })
  }

  private static func row(_ text: Substring) -> [String: Float] {
    var row: [String: Float] = [:]
    for term in text.split(separator: "+") where !term.contains("-") {
      let words = term.split(separator: " ")
      row[String(words.last ?? "")] = words.count == 1 ? 1 : Float(words[0])
    }
    return row
  }
}
