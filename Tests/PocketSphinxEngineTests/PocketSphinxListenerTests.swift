import AudioCore
import Foundation
import SoundFile
import SpeechEngine
import Testing

@testable import PocketSphinxEngine

@Suite struct PocketSphinxListenerTests {
  private static let engine = SpeechEngine.pocketSphinx()

  private func pieces(_ name: String) throws -> [[Float]] {
    let url = URL(filePath: #filePath)
      .deletingLastPathComponent().appending(path: "../../Samples/sounds/\(name)")
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
  func `with what the listener knows, another session gives the words that the first would have`()
    throws
  {
    let utterances = try ["go-forward.wav", "window.wav", "go-forward.wav"].map(pieces)
    let makeListener = try #require(Self.engine.makeListener)
    let listener = try makeListener(SpeechSessionOptions())
    let one = try Self.engine.makeSession(SpeechSessionOptions())
    for utterance in utterances {
      let knowledge = listener.knowledge
      listener.add(utterance)
      try one.beginUtterance()
      let expected = try words(of: utterance, in: one)
      let other = try Self.engine.makeSession(SpeechSessionOptions())
      try other.beginUtterance(knowing: knowledge)
      let words = try words(of: utterance, in: other)
      #expect(words.map(\.text) == expected.map(\.text))
      #expect(words.map(\.frames) == expected.map(\.frames))
      // A decoder's scores depend a little on what it heard before: PocketSphinx keeps the best
      // densities of earlier utterances.
      for (word, other) in zip(words, expected) {
        let (one, two) = (try #require(word.confidence), try #require(other.confidence))
        #expect(abs(one - two) < 0.001, "\(word) \(other)")
      }
    }
  }

  @Test func `the listener comes to the mean of a session`() throws {
    let listener = try PocketSphinxListener(model: try ModelLocation(chosen: nil).find())
    listener.add(try pieces("go-forward.wav"))
    let knowledge = try #require(listener.knowledge as? StreamKnowledge)
    let mean = try #require(knowledge.mean.value)
    #expect(mean.count == 13 && mean[0] > 0)
  }

  @Test func `what another engine knows is an error`() throws {
    let session = try Self.engine.makeSession(SpeechSessionOptions())
    #expect(throws: SpeechEngineError.self) { try session.beginUtterance(knowing: 7) }
  }

  @Test func `damaged parameters are an error and not the end of the process`() throws {
    let folder = try ModelFolder()
    try folder.change("en-us/feat.params") { $0.append(Data("-cmn nonsense\n".utf8)) }
    let makeListener = try #require(folder.engine.makeListener)
    #expect(throws: SpeechEngineError.self) { _ = try makeListener(SpeechSessionOptions()) }
  }

  @Test func `as many decoders are kept as there is room for`() throws {
    let pool = DecoderPool(location: ModelLocation(chosen: nil), limit: 2)
    let decoders = try (0..<3).map { _ in try pool.take() }
    for decoder in decoders { pool.giveBack(decoder) }
    let again = try (0..<2).map { _ in ObjectIdentifier(try pool.take()) }
    #expect(Set(again) == Set(decoders.prefix(2).map(ObjectIdentifier.init)))
  }
}
