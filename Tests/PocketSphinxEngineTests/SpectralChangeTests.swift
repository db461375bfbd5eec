import Testing

@testable import PocketSphinxEngine

@Suite struct SpectralChangeTests {
  /// What is told after so many frames of 10 ms, by each frame's amplitude and spectrum.
  private func change(
    frames: Int, _ frame: (Int) -> (amplitude: Int16, spectrum: Float)
  ) -> SpectralChange {
    var change = SpectralChange()
    for index in 0..<frames {
      let (amplitude, spectrum) = frame(index)
      change.add(Array(repeating: amplitude, count: Decoder.samplesPerFrame))
      change.add([Float(amplitude), spectrum, 0])
    }
    return change
  }

  /// A spectrum that goes to another every 40 ms.
  private func alternating(_ index: Int, by size: Float) -> Float {
    (index / 4).isMultiple(of: 2) ? 0 : size
  }

  @Test func `a changing sound of a third of a second is found at once, and stays found`() {
    #expect(change(frames: 36) { (1000, alternating($0, by: 8)) }.hasChanged)
    #expect(change(frames: 400) { (1000, $0 < 36 ? alternating($0, by: 8) : 0) }.hasChanged)
  }

  @Test func `small changes, and the level alone, are no speech`() {
    let steady = change(frames: 100) { (1000, alternating($0, by: 2)) }
    #expect(!steady.hasChanged && !steady.canBeSpeech)
    let swelling = change(frames: 100) { (Int16(500 + 4 * $0), 0) }
    #expect(!swelling.canBeSpeech)
  }

  @Test func `a single change of a steady sound is no speech`() {
    #expect(!change(frames: 100) { (1000, $0 < 50 ? 0 : 40) }.canBeSpeech)
  }

  @Test func `the background does not count`() {
    let background = change(frames: 100) {
      $0 < 50 ? (1000, 0) : (100, alternating($0, by: 40))
    }
    #expect(!background.canBeSpeech)
  }

  @Test func `a sound that is too short is not judged`() {
    #expect(SpectralChange().canBeSpeech)
    #expect(change(frames: 12) { _ in (1000, 0) }.canBeSpeech)
    #expect(!change(frames: 20) { _ in (1000, 0) }.canBeSpeech)
    #expect(change(frames: 20) { (1000, alternating($0, by: 8)) }.canBeSpeech)
  }
}
