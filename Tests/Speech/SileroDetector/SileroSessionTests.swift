import AudioCore
import Foundation
import SoundFile
import SpeechEngine
import TestTools
import Testing

@testable import SileroDetector

@Suite(.installedEngines, .ownThread, .timeLimit(.minutes(60))) struct SileroSessionTests {
  private let detector: SpeechActivityDetector

  init() throws {
    detector = .silero(library: try Components.library(), model: try Components.model())
  }

  /// Returns one probability for each complete frame of the samples.
  private func probabilities(
    _ samples: [Float], by session: any SpeechActivitySession
  ) throws -> [Double] {
    let length = session.frameLength.rawValue
    return try stride(from: 0, through: samples.count - length, by: length).flatMap {
      try session.process(samples[$0..<$0 + length])
    }
  }

  /// Returns a recording in which "go forward ten meters" begins at 0.4 s.
  private func speech() throws -> [Float] {
    let sound = Checkout.file("Samples/sounds/go-forward.wav")
    return try SoundFileReader(url: sound).read(atMost: 1_000_000).samples
  }

  private func noise(_ count: Int, amplitude: Float) -> [Float] {
    let noise = AudioSignal.noise(seed: 5, amplitude: amplitude)
    return (0..<count).map { noise.sample(at: FrameCount($0), rate: .speech) }
  }

  @Test func `Silero evaluates 32 ms at a time and is deterministic`() throws {
    let (one, other) = (detector.makeSession(), detector.makeSession())
    #expect(one.frameLength == 512 && detector.name == "silero")
    let samples = try speech()
    let first = try probabilities(samples, by: one)
    #expect(first.count == 89 && first.allSatisfy { (0...1).contains($0) })
    #expect(Set(first).count > 30)
    #expect(try probabilities(samples, by: other) == first)
    // The samples continue the previous samples, so the probabilities differ until `flush` resets
    // the network.
    #expect(try probabilities(samples, by: one) != first)
    #expect(one.flush().isEmpty)
    // After `flush`, only the adaptation to the level remains, so the probabilities are similar.
    #expect(try abs(probabilities(samples, by: one)[5] - first[5]) < 0.2)
  }

  @Test func `ten minutes of noise are not detected as speech`() throws {
    let session = detector.makeSession()
    let samples = noise(160_000, amplitude: 0.1)
    for _ in 0..<60 {
      #expect(try probabilities(samples, by: session).allSatisfy { $0 < 0.35 })
    }
  }

  @Test(arguments: [Float.nan, .infinity, -.infinity, 3e38])
  func `NaN and infinite samples become silence, and later speech is detected at once`(
    sample: Float
  ) throws {
    let session = detector.makeSession()
    let odd = [Float](repeating: sample, count: 5_120)
    #expect(try probabilities(odd, by: session).allSatisfy { $0 < 0.5 })
    let after = try probabilities(speech(), by: session)
    let plain = try probabilities(speech(), by: detector.makeSession())
    #expect(after.allSatisfy { $0.isFinite })
    #expect(plain.count { $0 >= 0.5 } > 30)
    #expect(after.count { $0 >= 0.5 } * 10 >= plain.count { $0 >= 0.5 } * 9)
  }
}
