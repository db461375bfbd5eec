import AudioCore
import Testing

@testable import AudioPlayerClientLive

@Suite struct EdgeFadesTests {
  private let format = AudioFormat(sampleRate: 1_000, channelCount: 2)
  private let ones = [Float](repeating: 1, count: 40)

  private func faded(_ pieces: [[Float]], in rise: Int, out fall: Int) -> [Float] {
    var fades = EdgeFades(in: .milliseconds(rise), out: .milliseconds(fall), format: format)
    var samples: [Float] = []
    var frame = 0
    for piece in pieces {
      samples += fades.apply(piece, at: frame)
      frame += piece.count / 2
    }
    return samples + fades.flush()
  }

  @Test func `samples without fades stay unchanged`() {
    #expect(faded([ones], in: 0, out: 0) == ones)
  }

  @Test
  func `fade-in and fade-out change the gain by equal steps, however the samples are divided`() {
    let expected = (0..<20).flatMap { frame in
      [Float](repeating: min(1, Float(frame + 1) / 4, Float(19 - frame) / 5), count: 2)
    }
    #expect(faded([ones], in: 4, out: 5) == expected)
    let pieces = [
      Array(ones[..<6]), Array(ones[6..<8]), [], Array(ones[8..<38]), Array(ones[38...]),
    ]
    #expect(faded(pieces, in: 4, out: 5) == expected)
  }

  @Test(arguments: [2, 6, 14])
  func `samples held back for a fade-out are returned once and in order`(size: Int) {
    let sound = (0..<400).map { Float($0) }
    let pieces = stride(from: 0, to: 400, by: size).map { Array(sound[$0..<min($0 + size, 400)]) }
    #expect(faded(pieces, in: 0, out: 50) == faded([sound], in: 0, out: 50))
    #expect(faded(pieces, in: 0, out: 50).prefix(300).elementsEqual(sound.prefix(300)))
  }

  @Test func `a sound shorter than its fade-out begins below its volume`() {
    #expect(faded([[1, 1, 1, 1]], in: 0, out: 4) == [0.25, 0.25, 0, 0])
  }

  @Test func `samples that a reset discards are not returned`() {
    var fades = EdgeFades(in: .zero, out: .milliseconds(5), format: format)
    #expect(fades.apply(ones, at: 0).count == 30)
    fades.reset()
    #expect(fades.flush().isEmpty)
  }

  @Test func `fades of any length are accepted`() {
    let longest = Duration.seconds(Int64.max)
    var fades = EdgeFades(in: longest, out: longest, format: format)
    #expect(fades.apply(ones, at: 0).isEmpty)
    #expect(fades.flush().count == 40)
  }
}
