import Testing

@testable import MoonshineEngine

@Suite struct SpokenAudioTests {
  private func shortened(_ pieces: [(Float, Int)]) -> [(Float, Int)] {
    let samples = pieces.flatMap { [Float](repeating: $0.0, count: $0.1 * 160) }
    return withoutLongSilences(samples + [0.7]).dropLast().reduce(into: [(Float, Int)]()) {
      found, sample in
      if found.last?.0 == sample {
        found[found.count - 1].1 += 1
      } else {
        found.append((sample, 1))
      }
    }.map { ($0.0, $0.1 / 160) }
  }

  private func expect(_ pieces: [(Float, Int)], _ counts: [Int]) {
    #expect(shortened(pieces).map(\.1) == counts)
  }

  @Test
  func `long silences at the ends and between words are shortened, and short silences are kept`() {
    expect(
      [(0, 200), (0.5, 20), (0, 100), (0.4, 20), (0, 25), (0.5, 10), (0, 31)],
      [30, 20, 30, 20, 25, 10, 30])
    expect([(0.001, 200), (0.5, 20), (0.001, 100)], [30, 20, 30])
  }

  @Test func `quiet speech beside loud speech is kept if it is louder than the noise`() {
    expect([(0.5, 50), (0.01, 80), (0.001, 100), (0.02, 60)], [50, 80, 30, 60])
    expect([(0.1, 300), (0.2, 50)], [300, 50])
  }

  @Test func `audio without sound is shortened, and empty audio stays empty`() {
    expect([(0, 500)], [30])
    #expect(withoutLongSilences([]).isEmpty)
    #expect(withoutLongSilences([0.1, 0.2]) == [0.1, 0.2])
  }
}
