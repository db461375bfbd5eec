import AudioCore
import CPocketSphinx
import SpeechEngine
import Testing

@testable import PocketSphinxEngine

/// The mean that a decoder subtracts, read where PocketSphinx has it.
@Suite struct DecoderMeanTests {
  private let pool = DecoderPool(location: ModelLocation(chosen: nil))

  private func mean(of decoder: Decoder) -> [Float] {
    var mean = [Float](repeating: .nan, count: 13)
    cmn_live_get(ps_get_feat(decoder.decoder).pointee.cmn_struct, &mean)
    return mean
  }

  /// Two seconds of speech, a tenth at a time.
  private func tenths() throws -> [[Float]] {
    let samples = try samples(of: "go-forward.wav")
    return (0..<20).map { Array(samples[$0 * 1600..<($0 + 1) * 1600]) }
  }

  /// The means of a stream after each tenth of an utterance.
  private func means(
    _ tenths: [[Float]], in stream: inout StreamKnowledge, _ frontEnd: borrowing FrontEnd
  ) -> [[Float]?] {
    stream.beginUtterance()
    frontEnd.begin()
    var means: [[Float]?] = []
    for tenth in tenths {
      _ = stream.add(tenth.inSixteenBits, with: frontEnd)
      means.append(stream.mean.value)
    }
    return means
  }

  @Test func `a mean that is set is subtracted, and not the one of the model`() throws {
    let decoder = try pool.take()
    try decoder.begin()
    let wanted = (0..<13).map { Float($0) - 4 }
    #expect(mean(of: decoder) != wanted)
    decoder.setCepstralMean(wanted)
    #expect(mean(of: decoder) == wanted)
    #expect(ps_get_feat(decoder.decoder).pointee.cmn == CMN_LIVE)
  }

  @Test func `after a second and a half, and each half second later, it is the stream's`() throws {
    let tenths = try tenths()
    let decoder = try pool.take()
    let models = mean(of: decoder)
    var stream = StreamKnowledge()
    let expected = means(tenths, in: &stream, try decoder.makeFrontEnd())
    let session = try PocketSphinxSession(decoder: decoder, pool: pool)
    try session.beginUtterance()
    let found = try tenths.map { tenth in
      try session.process(tenth)
      return mean(of: decoder)
    }
    #expect(found[..<14].allSatisfy { $0 == models })
    #expect(found[14..<19].allSatisfy { $0 == expected[14] })
    #expect(found[19] == expected[19])
    #expect(found[19] != found[14] && found[14] != models)
  }

  @Test func `the next utterance begins with what the one before has left`() throws {
    let tenths = try tenths()
    let decoder = try pool.take()
    var stream = StreamKnowledge()
    let frontEnd = try decoder.makeFrontEnd()
    let left = means(tenths, in: &stream, frontEnd).last
    let session = try PocketSphinxSession(decoder: decoder, pool: pool)
    _ = try session.recognize(tenths.flatMap(\.self))
    try session.beginUtterance()
    try session.process(tenths[0])
    #expect(mean(of: decoder) == means([tenths[0]], in: &stream, frontEnd).last)
    // A tenth changes little of it.
    let change = zip(mean(of: decoder), try #require(left ?? nil)).map { abs($0 - $1) }.max()
    #expect(change.map { $0 < 10 } == true)
  }
}
