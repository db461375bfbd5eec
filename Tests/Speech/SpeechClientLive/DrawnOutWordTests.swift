import AudioCore
import Foundation
import PocketSphinxEngine
import SoundFile
import SpeechClient
import SpeechEngine
import Testing

@testable import SpeechClientLive

/// Recognizes "go forward ten meters" with "forward" drawn out, with the real engine.
@Suite struct DrawnOutWordTests {
  /// The frames of "forward".
  private static let forward = FrameCount(11_360)..<FrameCount(18_080)

  private func results(
    stretchingBy factor: Double, _ policy: EndpointPolicy = EndpointPolicy()
  ) async throws -> [SpeechRecognitionResult] {
    let reader = try SoundFileReader(url: sound("go-forward.wav"))
    let said = try reader.read(atMost: FrameCount(.seconds(10), at: .speech)).samples
    let word = Self.forward.lowerBound.rawValue..<Self.forward.upperBound.rawValue
    let samples =
      said[..<word.lowerBound] + Stretching(factor: factor).stretched(Array(said[word]))
      + said[word.upperBound...]
    var request = SpeechRequest(
      buffers: stream([AudioBuffer(format: .speech, samples: Array(samples))]))
    request.endpointPolicy = policy
    return try await SpeechTasks().start(request, on: .pocketSphinx()).all()
  }

  @Test
  func `a word drawn out threefold is one word of its full length, and all other words are right`()
    async throws
  {
    let results = try await results(stretchingBy: 3)
    var promise = StablePrefixTests.Promise()
    for result in results { promise.check(result) }
    #expect(results.finals == ["go forward ten meters"])
    let words = try #require(results.last).bestTranscription.segments
    try #require(words.count == 4)
    #expect(words[1].duration > .milliseconds(1_100), "\(words[1])")
    let end = words[3].timestamp + words[3].duration
    #expect((Duration.milliseconds(2_800)...(.milliseconds(2_920))).contains(end), "\(end)")
  }

  @Test func `if a drawn-out word reaches the maximum utterance length, later speech is not lost`()
    async throws
  {
    let results = try await results(
      stretchingBy: 8, EndpointPolicy(maximumLength: .milliseconds(2_500)))
    var promise = StablePrefixTests.Promise()
    for result in results { promise.check(result) }
    let finals = results.filter(\.isFinal)
    #expect(finals.map(\.utterance) == Array(0..<finals.count))
    #expect(finals.count > 1, "\(results.finals)")
    let words = finals.flatMap(\.bestTranscription.segments)
    #expect(words.map(\.timestamp) == words.map(\.timestamp).sorted())
    // The first utterance begins at 0.2 s and is cut at its maximum length. The rest of "forward"
    // follows at once.
    let behind = Duration.milliseconds(2_700)...(.milliseconds(2_900))
    #expect(words.contains { behind.contains($0.timestamp) }, "\(words.map(\.timestamp))")
    #expect(words.first?.substring.hasPrefix("go") == true, "\(results.finals)")
    #expect(words.suffix(2).map(\.substring) == ["ten", "meters"], "\(results.finals)")
  }
}

/// Stretches a sound without lowering its pitch.
///
/// Pieces of the sound overlap; each begins where the sound is most like the continuation of the
/// previous piece.
private struct Stretching {
  let factor: Double
  private let length = 640
  private var step: Int { length / 2 }

  init(factor: Double) {
    self.factor = factor
  }

  func stretched(_ sound: [Float]) -> [Float] {
    var stretched = Array(sound[..<step])
    var begin = 0
    let last = sound.count - length
    while Double(stretched.count) < Double(sound.count) * factor - Double(step) {
      let natural = Array(sound[(begin + step)..<(begin + length)])
      let wanted = min(last, Int(Double(stretched.count) / factor))
      begin =
        (max(0, wanted - 160)...min(wanted + 160, last))
        .max { likeness(sound, $0, natural) < likeness(sound, $1, natural) } ?? wanted
      for index in 0..<step {
        let weight = Float(index) / Float(step)
        stretched.append(natural[index] * (1 - weight) + sound[begin + index] * weight)
      }
    }
    return stretched + sound.suffix(step)
  }

  private func likeness(_ sound: [Float], _ begin: Int, _ natural: [Float]) -> Float {
    stride(from: 0, to: natural.count, by: 4)
      .reduce(0) { $0 + natural[$1] * sound[begin + $1] }
  }
}
