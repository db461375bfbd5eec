import AudioCore
import Foundation
import SoundFile
import SpeechEngine
import TestTools
import Testing

@testable import PocketSphinxEngine

@Suite(.ownThread) struct PocketSphinxSessionTests {
  @Test func `each utterance of a session yields words with times and confidences`() throws {
    let session = try SpeechEngine.pocketSphinx().makeSession(SpeechSessionOptions())
    let audio = try samples(of: "go-forward.wav")
    for _ in 0..<2 {
      let (partials, final) = try session.recognizeInSteps(audio)
      #expect(final.words.map(\.text) == ["go", "forward", "ten", "meters"])
      #expect(final.words.allSatisfy { (0.0...1).contains($0.confidence ?? -1) })
      #expect(final.words.map(\.frames.lowerBound) == final.words.map(\.frames.lowerBound).sorted())
      #expect(final.words.last.map { $0.frames.upperBound.rawValue <= audio.count } == true)
      #expect(partials.contains { !$0.isEmpty })
    }
  }

  @Test func `an utterance without audio has no words`() throws {
    let session = try SpeechEngine.pocketSphinx().makeSession(SpeechSessionOptions())
    try session.beginUtterance()
    #expect(try session.finishUtterance().words.isEmpty)
  }

  @Test
  func `a decoder is loaded once for consecutive sessions, and again after an abandoned utterance`()
    throws
  {
    let pool = DecoderPool(location: ModelLocation(chosen: nil))
    var decoder = try pool.acquire()
    let first = ObjectIdentifier(decoder)
    pool.giveBack(decoder)
    decoder = try pool.acquire()
    #expect(ObjectIdentifier(decoder) == first)
    try decoder.begin()
    pool.giveBack(decoder)
    let other = try pool.acquire()
    #expect(other !== decoder)
  }

  @Test func `a pool that returns its memory frees all idle decoders but one`() throws {
    let pool = DecoderPool(location: ModelLocation(chosen: nil), limit: 2)
    var decoders = [try pool.acquire(), try pool.acquire()]
    weak let first = decoders[0]
    weak let second = decoders[1]
    for decoder in decoders { pool.giveBack(decoder) }
    decoders = []
    #expect(first != nil && second != nil)
    pool.returnMemory()
    #expect(first == nil && second != nil)
    #expect(try pool.acquire() === second)
  }

  @Test func `an interruption ends the current call and all later calls`() throws {
    let session = try SpeechEngine.pocketSphinx().makeSession(SpeechSessionOptions())
    let audio = try samples(of: "go-forward.wav")
    let long = (0..<20).flatMap { _ in audio }
    try session.beginUtterance()
    let interrupt = session.interrupt
    let thread = Thread { interrupt() }
    #expect(throws: SpeechEngineError.interrupted) {
      thread.start()
      while true { try session.process(long) }
    }
    #expect(throws: SpeechEngineError.interrupted) { try session.beginUtterance() }
    #expect(throws: SpeechEngineError.interrupted) { _ = try session.finishUtterance() }
  }

  @Test
  func `a decoder that was interrupted at the end of an utterance is not given to other sessions`()
    throws
  {
    let pool = DecoderPool(location: ModelLocation(chosen: nil))
    let speech = try samples(of: "go-forward.wav")
    var decoder: Decoder
    var error: (any Error)?
    repeat {
      decoder = try pool.acquire()
      let session = try PocketSphinxSession(decoder: decoder, pool: pool)
      try session.beginUtterance()
      for _ in 0..<5 { try session.process(speech) }
      let interrupt = session.interrupt
      Thread { interrupt() }.start()
      // If the call returns before the interruption, the loop tries again with another utterance.
      do { _ = try session.finishUtterance() } catch let interruption { error = interruption }
    } while error == nil
    #expect(error as? SpeechEngineError == .interrupted)
    #expect(try pool.acquire() !== decoder)
  }

  @Test func `an interrupted decoder throws the error interrupted`() throws {
    let decoder = try DecoderPool(location: ModelLocation(chosen: nil)).acquire()
    let interruption = InterruptionFlag()
    let audio = try samples(of: "go-forward.wav").inSixteenBits
    try decoder.begin()
    try decoder.search(audio, until: interruption)
    #expect(!decoder.words.isEmpty)
    interruption.interrupt()
    #expect(throws: SpeechEngineError.interrupted) {
      try decoder.search(audio, until: interruption)
    }
  }

  @Test func `a damaged model throws an error`() throws {
    let folder = try ModelFolder()
    try folder.change("en-us/mdef") { $0.removeLast($0.count / 2) }
    #expect(
      throws: SpeechEngineError.modelDamaged(
        path: folder.path("en-us/mdef"), reason: "it is shorter than its header says")
    ) {
      _ = try folder.engine.makeSession(SpeechSessionOptions())
    }
  }
}
