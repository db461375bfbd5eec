import AudioCore
import CPocketSphinx
import Foundation
import SoundFile
import SpeechEngine
import TestTools
import Testing

@testable import PocketSphinxEngine

@Suite struct UtteranceMeanTests {
  private var mean = UtteranceMean()

  /// Returns whether the mean is due after each tenth of a second.
  private mutating func dues(tenths: Int) -> [Bool] {
    (0..<tenths).map { _ in mean.isDue(after: FrameCount(1600)) }
  }

  @Test
  mutating func `the mean is first due after 1.5 s, when the search begins, then every 0.5 s`() {
    let first = dues(tenths: 15)
    #expect(first == Array(repeating: false, count: 14) + [true])
    #expect(mean.isSearching)
    let next = dues(tenths: 5)
    #expect(next == Array(repeating: false, count: 4) + [true])
  }

  @Test func `without frames there is no mean`() {
    #expect(mean.value == nil)
  }

  @Test mutating func `the mean covers all frames`() {
    mean.add([1, 10])
    mean.add([3, 20])
    #expect(mean.value == [2, 15])
  }

  @Test mutating func `digital silence is not part of the mean`() {
    mean.add([2, 10])
    mean.add([-30, 0])
    #expect(mean.value == [2, 10])
  }
}

/// The mean that a decoder subtracts, read from PocketSphinx.
@Suite struct DecoderMeanTests {
  private let pool = DecoderPool(location: ModelLocation(chosen: nil))

  /// Returns the decoder's mean, which PocketSphinx formats with six digits.
  private func mean(of decoder: Decoder) -> [Float] {
    String(cString: ps_get_cmn(decoder.decoder, 0)).split(separator: ",").compactMap { Float($0) }
  }

  private func inSixDigits(_ mean: [Float]?) -> [Float]? {
    mean.map { $0.compactMap { Float(String(format: "%g", $0)) } }
  }

  /// Returns two seconds of speech, in steps of 0.1 s.
  private func tenths() throws -> [[Float]] {
    let samples = try samples(of: "go-forward.wav")
    return (0..<20).map { Array(samples[$0 * 1600..<($0 + 1) * 1600]) }
  }

  /// Returns the means after each 0.1 s of an utterance.
  private func means(_ tenths: [[Float]], _ frontEnd: borrowing FrontEnd) -> [[Float]?] {
    frontEnd.begin()
    var mean = UtteranceMean()
    var means: [[Float]?] = []
    for tenth in tenths {
      frontEnd.process(tenth.inSixteenBits) { mean.add($0) }
      means.append(mean.value)
    }
    return means
  }

  @Test func `the decoder subtracts the mean that was set for it, not the model's mean`() throws {
    let decoder = try pool.acquire()
    try decoder.begin()
    let wanted = (0..<13).map { Float($0) + 1000.5 }
    #expect(mean(of: decoder) != wanted)
    Decoder.setCepstralMean(wanted, of: decoder.decoder)
    #expect(mean(of: decoder) == wanted)
    // If the decoder replaced the set mean with the mean of this utterance, it would be far below
    // 900.
    try decoder.search(try tenths()[5].inSixteenBits)
    try decoder.end()
    #expect(mean(of: decoder).count == 13)
    #expect(mean(of: decoder).allSatisfy { $0 > 900 })
  }

  @Test
  func `after 1.5 s and then every half second, the decoder gets the utterance's mean so far`()
    throws
  {
    let tenths = try tenths()
    let decoder = try pool.acquire()
    let models = mean(of: decoder)
    let expected = means(tenths, try decoder.makeFrontEnd())
    let session = try PocketSphinxSession(decoder: decoder, pool: pool)
    try session.beginUtterance()
    let found = try tenths.map { tenth in
      try session.process(tenth)
      return mean(of: decoder)
    }
    #expect(found[..<14].allSatisfy { $0 == models })
    #expect(found[14..<19].allSatisfy { $0 == inSixDigits(expected[14]) })
    #expect(found[19] == inSixDigits(expected[19]))
    #expect(found[19] != found[14] && found[14] != models)
  }

  @Test func `the mean of an utterance does not depend on the previous utterance`() throws {
    let tenths = try tenths()
    let decoder = try pool.acquire()
    let expected = means(Array(tenths.reversed()), try decoder.makeFrontEnd())
    let session = try PocketSphinxSession(decoder: decoder, pool: pool)
    _ = try session.recognizeInSteps(tenths.flatMap(\.self))
    try session.beginUtterance()
    for tenth in tenths.reversed() { try session.process(tenth) }
    #expect(mean(of: decoder) == inSixDigits(expected[19]))
  }

  @Test
  func `a session recognizes the same words as a session that processed other utterances before`()
    throws
  {
    let utterances = try ["go-forward.wav", "window.wav", "go-forward.wav"].map(samples)
    let one = try PocketSphinxSession(decoder: try pool.acquire(), pool: pool)
    for utterance in utterances {
      let expected = try one.recognizeInSteps(utterance).final.words
      let other = try PocketSphinxSession(decoder: try pool.acquire(), pool: pool)
      let words = try other.recognizeInSteps(utterance).final.words
      #expect(words.map(\.text) == expected.map(\.text))
      #expect(words.map(\.frames) == expected.map(\.frames))
      // PocketSphinx keeps the best densities of earlier utterances, so the confidences may differ
      // slightly.
      for (word, other) in zip(words, expected) {
        let (one, two) = (try #require(word.confidence), try #require(other.confidence))
        #expect(abs(one - two) < 0.001, "\(word) \(other)")
      }
    }
  }

  @Test func `the pool stores returned decoders up to its limit`() throws {
    let pool = DecoderPool(location: ModelLocation(chosen: nil), limit: 2)
    let decoders = try (0..<3).map { _ in try pool.acquire() }
    for decoder in decoders { pool.giveBack(decoder) }
    let again = try (0..<2).map { _ in ObjectIdentifier(try pool.acquire()) }
    #expect(Set(again) == Set(decoders.prefix(2).map(ObjectIdentifier.init)))
  }
}
