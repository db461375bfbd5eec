import AudioCore
import CPocketSphinx
import Foundation
import SoundFile
import SpeechEngine
import TestTools
import Testing

@testable import PocketSphinxEngine

@Suite struct MeanScheduleTests {
  private let tenth = FrameCount(1600)

  private func actions(
    _ schedule: inout MeanSchedule, tenths: Int
  ) -> [MeanSchedule.Action] {
    (0..<tenths).map { _ in schedule.add(tenth) }
  }

  @Test
  func `the first utterance waits for 1.5 s, then the mean is set each half second`() {
    var schedule = MeanSchedule()
    schedule.beginUtterance()
    let first = actions(&schedule, tenths: 15)
    #expect(first == Array(repeating: .wait, count: 14) + [.setMeanAndSearch])
    #expect(
      actions(&schedule, tenths: 5)
        == Array(repeating: .search, count: 4) + [.setMeanAndSearch])
  }

  @Test func `an utterance after the first is searched at once`() {
    var schedule = MeanSchedule()
    schedule.beginUtterance()
    _ = actions(&schedule, tenths: 20)
    schedule.beginUtterance()
    #expect(!schedule.isSearching)
    #expect(schedule.add(tenth) == .setMeanAndSearch)
  }

  @Test func `the audio of short utterances adds up`() {
    var schedule = MeanSchedule()
    schedule.beginUtterance()
    _ = actions(&schedule, tenths: 10)
    schedule.beginUtterance()
    #expect(actions(&schedule, tenths: 5).last == .setMeanAndSearch)
  }
}

@Suite struct CepstralMeanTests {
  @Test func `without frames there is no mean`() {
    #expect(CepstralMean().value == nil)
  }

  @Test func `the mean covers all frames`() {
    var mean = CepstralMean()
    mean.add([1, 10])
    mean.add([3, 20])
    #expect(mean.value == [2, 15])
  }

  @Test func `digital silence does not count`() {
    var mean = CepstralMean()
    mean.add([2, 10])
    mean.add([-30, 0])
    #expect(mean.value == [2, 10])
  }

  @Test func `a new utterance begins with the mean of those before`() {
    var mean = CepstralMean()
    for _ in 0..<1000 { mean.add([4]) }
    mean.beginUtterance()
    #expect(mean.value == [4])
  }

  @Test func `earlier utterances weigh no more than two seconds`() {
    var mean = CepstralMean()
    for _ in 0..<1000 { mean.add([4]) }
    mean.beginUtterance()
    for _ in 0..<200 { mean.add([8]) }
    #expect(mean.value == [6])
  }
}

/// The mean that a decoder subtracts, read from PocketSphinx.
@Suite struct DecoderMeanTests {
  private let pool = DecoderPool(location: ModelLocation(chosen: nil))

  /// PocketSphinx formats its numbers with six digits.
  private func mean(of decoder: Decoder) -> [Float] {
    String(cString: ps_get_cmn(decoder.decoder, 0)).split(separator: ",").compactMap { Float($0) }
  }

  private func inSixDigits(_ mean: [Float]?) -> [Float]? {
    mean.map { $0.compactMap { Float(String(format: "%g", $0)) } }
  }

  /// Two seconds of speech, in steps of 0.1 s.
  private func tenths() throws -> [[Float]] {
    let samples = try samples(of: "go-forward.wav")
    return (0..<20).map { Array(samples[$0 * 1600..<($0 + 1) * 1600]) }
  }

  /// The means of a stream after each 0.1 s of an utterance.
  private func means(
    _ tenths: [[Float]], in stream: inout StreamMean, _ frontEnd: borrowing FrontEnd
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

  @Test func `the mean that is set is subtracted, not the model's`() throws {
    let decoder = try pool.take()
    try decoder.begin()
    let wanted = (0..<13).map { Float($0) + 1000.5 }
    #expect(mean(of: decoder) != wanted)
    Decoder.setCepstralMean(wanted, of: decoder.decoder)
    #expect(mean(of: decoder) == wanted)
    // A mean of this utterance alone would be far below 900.
    try decoder.search(try tenths()[5].inSixteenBits)
    try decoder.end()
    #expect(mean(of: decoder).count == 13)
    #expect(mean(of: decoder).allSatisfy { $0 > 900 })
  }

  @Test func `after 1.5 s, and each half second later, the decoder gets the stream's mean`() throws
  {
    let tenths = try tenths()
    let decoder = try pool.take()
    let models = mean(of: decoder)
    var stream = StreamMean()
    let expected = means(tenths, in: &stream, try decoder.makeFrontEnd())
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

  @Test func `the next utterance begins with the mean of the one before`() throws {
    let tenths = try tenths()
    let decoder = try pool.take()
    var stream = StreamMean()
    let frontEnd = try decoder.makeFrontEnd()
    let left = means(tenths, in: &stream, frontEnd).last
    let session = try PocketSphinxSession(decoder: decoder, pool: pool)
    _ = try session.recognizeInSteps(tenths.flatMap(\.self))
    try session.beginUtterance()
    try session.process(tenths[0])
    #expect(mean(of: decoder) == inSixDigits(means([tenths[0]], in: &stream, frontEnd)[0]))
    // A tenth of a second changes it only slightly.
    let change = zip(mean(of: decoder), try #require(left ?? nil)).map { abs($0 - $1) }.max()
    #expect(change.map { $0 < 10 } == true)
  }
}

@Suite(.ownThread) struct PocketSphinxAdaptationTests {
  private static let engine = SpeechEngine.pocketSphinx()

  private func pieces(_ name: String) throws -> [[Float]] {
    let url = Checkout.file("Samples/sounds/\(name)")
    let samples = try SoundFileReader(url: url).read(atMost: 1_000_000).samples
    return stride(from: 0, to: samples.count, by: 1600).map {
      Array(samples[$0..<min($0 + 1600, samples.count)])
    }
  }

  private func words(
    of pieces: [[Float]], in session: any SpeechEngineSession
  ) throws -> [SpeechHypothesis.Word] {
    for samples in pieces { try session.process(samples) }
    return try session.finishUtterance().words
  }

  @Test
  func `a session with the adaptation's state gives the same words as the first session`()
    throws
  {
    let utterances = try ["go-forward.wav", "window.wav", "go-forward.wav"].map(pieces)
    let makeAdaptation = try #require(Self.engine.makeAdaptation)
    let adaptation = try makeAdaptation(SpeechSessionOptions())
    let one = try Self.engine.makeSession(SpeechSessionOptions())
    for utterance in utterances {
      let state = adaptation.state
      adaptation.add(utterance)
      try one.beginUtterance()
      let expected = try words(of: utterance, in: one)
      let other = try Self.engine.makeSession(SpeechSessionOptions())
      try other.beginUtterance(adaptationState: state)
      let words = try words(of: utterance, in: other)
      #expect(words.map(\.text) == expected.map(\.text))
      #expect(words.map(\.frames) == expected.map(\.frames))
      // A decoder's scores depend slightly on earlier utterances: PocketSphinx keeps their best
      // densities.
      for (word, other) in zip(words, expected) {
        let (one, two) = (try #require(word.confidence), try #require(other.confidence))
        #expect(abs(one - two) < 0.001, "\(word) \(other)")
      }
    }
  }

  @Test func `the adaptation computes the same mean as a session`() throws {
    let adaptation = try PocketSphinxAdaptation(model: try ModelLocation(chosen: nil).find())
    adaptation.add(try pieces("go-forward.wav"))
    let state = try #require(adaptation.state as? StreamMean)
    let mean = try #require(state.mean.value)
    #expect(mean.count == 13 && mean[0] > 0)
  }

  @Test func `a state from another engine is an error`() throws {
    let session = try Self.engine.makeSession(SpeechSessionOptions())
    #expect(throws: SpeechEngineError.self) { try session.beginUtterance(adaptationState: 7) }
  }

  @Test func `damaged parameters throw an error`() throws {
    let folder = try ModelFolder()
    try folder.change("en-us/feat.params") { $0.append(Data("-cmn nonsense\n".utf8)) }
    let makeAdaptation = try #require(folder.engine.makeAdaptation)
    #expect(throws: SpeechEngineError.self) { _ = try makeAdaptation(SpeechSessionOptions()) }
  }

  @Test func `the pool keeps decoders up to its limit`() throws {
    let pool = DecoderPool(location: ModelLocation(chosen: nil), limit: 2)
    let decoders = try (0..<3).map { _ in try pool.take() }
    for decoder in decoders { pool.giveBack(decoder) }
    let again = try (0..<2).map { _ in ObjectIdentifier(try pool.take()) }
    #expect(Set(again) == Set(decoders.prefix(2).map(ObjectIdentifier.init)))
  }
}
