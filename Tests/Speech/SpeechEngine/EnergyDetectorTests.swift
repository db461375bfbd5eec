import AudioCore
import SpeechEngine
import Testing

@Suite struct EnergyDetectorTests {
  /// A stretch of noise, in frames of 10 ms.
  private struct Noise {
    var amplitude: Float
    var frames: Int
    var offset: Float = 0

    func frame(_ index: Int) -> [Float] {
      AudioSignal.noise(seed: UInt64(index), amplitude: amplitude)
        .buffer(160, format: .speech).samples.map { $0 + offset }
    }
  }

  /// Returns the probabilities of the frames of each stretch, in one stream that is then flushed.
  private func probabilities(_ stretches: [Noise]) throws -> [[Double]] {
    let session = SpeechActivityDetector.energy.makeSession()
    #expect(session.frameLength == 160)
    var all: [Double] = []
    for stretch in stretches {
      for index in 0..<stretch.frames { all += try session.process(stretch.frame(index)[...]) }
    }
    all += session.flush()
    return stretches.map { stretch in
      defer { all.removeFirst(stretch.frames) }
      return Array(all.prefix(stretch.frames))
    }
  }

  @Test func `sound that is loud relative to the background is speech`() throws {
    let found = try probabilities([
      Noise(amplitude: 0.005, frames: 50), Noise(amplitude: 0.1, frames: 50),
    ])
    #expect(found[0].allSatisfy { $0 < 0.35 })
    #expect(found[1].allSatisfy { $0 >= 0.5 })
  }

  @Test(arguments: [Float(-0.3), 0.01, 0.1])
  func `a DC offset is not detected as speech and does not hide speech`(offset: Float) throws {
    let levels: [Float] = [0.001, 0.01, 0.001, 0.1]
    let plain = try probabilities(levels.map { Noise(amplitude: $0, frames: 30) })
    let shifted = try probabilities(
      levels.map { Noise(amplitude: $0, frames: 30, offset: offset) })
    for (level, (plain, shifted)) in zip(levels, zip(plain, shifted)) {
      #expect(plain.map { $0 >= 0.5 } == shifted.map { $0 >= 0.5 })
      // The first three sounds lie within the first second. The detector judges that second as a
      // whole, so these probabilities depend on the levels alone.
      if level < 0.1 { #expect(shifted.allSatisfy { ($0 >= 0.5) == (level > 0.001) }) }
    }
  }

  @Test func `a DC offset that begins after digital silence is not detected as speech`() throws {
    let found = try probabilities([
      Noise(amplitude: 0, frames: 50), Noise(amplitude: 0.000_1, frames: 60, offset: 0.01),
    ])
    #expect(found[0].allSatisfy { $0 < 0.35 })
    #expect(found[1].dropFirst(40).allSatisfy { $0 < 0.35 })
  }

  @Test func `a steady sound becomes the background after two seconds`() throws {
    let found = try probabilities([
      Noise(amplitude: 0.005, frames: 600), Noise(amplitude: 0.1, frames: 400),
    ])
    #expect(found[1].prefix(190).allSatisfy { $0 >= 0.5 })
    #expect(found[1].suffix(190).allSatisfy { $0 < 0.35 })
  }

  @Test func `a sound that swells and fades becomes the background after six seconds`() throws {
    let swelling = (0..<70).map { Noise(amplitude: $0.isMultiple(of: 2) ? 0.1 : 0.155, frames: 10) }
    let found = try probabilities([Noise(amplitude: 0.005, frames: 600)] + swelling)
    #expect(found[1...50].joined().allSatisfy { $0 >= 0.5 })
    #expect(found.suffix(10).joined().allSatisfy { $0 < 0.5 })
  }

  @Test func `after noise becomes louder, speech above the noise is detected`() throws {
    let found = try probabilities([
      Noise(amplitude: 0.005, frames: 600), Noise(amplitude: 0.05, frames: 300),
      Noise(amplitude: 0.3, frames: 50), Noise(amplitude: 0.05, frames: 100),
    ])
    #expect(found[2].dropFirst().allSatisfy { $0 >= 0.5 })
    #expect(found[3].dropFirst(5).allSatisfy { $0 < 0.35 })
  }

  @Test func `silence and dither are not detected as speech`() throws {
    let found = try probabilities([
      Noise(amplitude: 0, frames: 50), Noise(amplitude: 0.000_1, frames: 150),
    ])
    #expect(found.joined().allSatisfy { $0 < 0.35 })
  }

  @Test func `a sound may be loud enough to continue speech but too quiet to begin it`() throws {
    // This level is 4 dB above the background.
    let session = SpeechActivityDetector.energy.makeSession()
    let frames = [(0.01, 150), (0.016, 20)].flatMap { amplitude, count in
      let tone = AudioSignal.sine(400, amplitude: Float(amplitude))
      return [[Float]](repeating: tone.buffer(160, format: .speech).samples, count: count)
    }
    let found = try frames.flatMap { try session.process($0[...]) }
    #expect(found.suffix(19).allSatisfy { (0.35..<0.5).contains($0) })
  }

  @Test
  func `the first second is judged as a whole, and shorter audio is judged at its end`()
    throws
  {
    let session = SpeechActivityDetector.energy.makeSession()
    let noise = Noise(amplitude: 0.01, frames: 100)
    let counts = try (0..<100).map { try session.process(noise.frame($0)[...]).count }
    #expect(counts == [Int](repeating: 0, count: 99) + [100])
    let short = SpeechActivityDetector.energy.makeSession()
    for index in 0..<30 { #expect(try short.process(noise.frame(index)[...]).isEmpty) }
    #expect(short.flush().count == 30)
    #expect(short.flush().isEmpty)
  }

  @Test(arguments: [Float.nan, .infinity, -.infinity, 3e38])
  func `NaN and infinite samples become silence, and later speech is detected at once`(
    sample: Float
  ) throws {
    let session = SpeechActivityDetector.energy.makeSession()
    var found: [Double] = []
    for index in 0..<300 {
      let isOdd = (150..<160).contains(index)
      let frame = Noise(amplitude: 0.01, frames: 0).frame(index)
      found += try session.process((isOdd ? [Float](repeating: sample, count: 160) : frame)[...])
    }
    #expect(found.allSatisfy { (0...1).contains($0) })
    #expect(found.suffix(130).allSatisfy { $0 < 0.5 })
    let speech = try (0..<20).flatMap {
      try session.process(Noise(amplitude: 0.3, frames: 0).frame($0)[...])
    }
    #expect(speech.dropFirst(2).allSatisfy { $0 >= 0.5 })
  }
}
