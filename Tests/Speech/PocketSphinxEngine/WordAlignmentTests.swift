import AudioCore
import Foundation
import SoundFile
import SpeechEngine
import TestTools
import Testing

@testable import PocketSphinxEngine

@Suite(.ownThread) struct WordAlignmentTests {
  private let alignment = WordAlignment()

  private func places(_ words: [String]) throws -> [Range<FrameCount>?]? {
    try alignment.places(
      of: words, in: try samples(of: "go-forward.wav"), language: "en", while: { true })
  }

  @Test func `words are found at their positions, whatever their spelling`() throws {
    let places = try #require(try places(["Go", "forward,", "TEN", "meters!"]))
    let expected = [(0.48, 0.71), (0.71, 1.13), (1.13, 1.41), (1.41, 2.01)]
    for (place, (begin, end)) in zip(places, expected) {
      let place = try #require(place)
      #expect(abs(Double(place.lowerBound.rawValue) / 16_000 - begin) <= 0.06)
      #expect(abs(Double(place.upperBound.rawValue) / 16_000 - end) <= 0.06)
    }
  }

  @Test func `numbers are aligned as they are read aloud`() throws {
    #expect(
      try places(["Go", "forward", "10", "meters"]) == places(["go", "forward", "ten", "meters"]))
    #expect(try places(["\"25,\""]) == places(["twenty-five"]))
    // "25%" and "$40" have no position, because the position would include the word "percent" or
    // "dollars".
    #expect(try places(["25%"]) == nil && places(["$40"]) == nil)
  }

  @Test func `an unknown word has no position, and the known words keep their positions`() throws {
    let places = try #require(try places(["Go", "xyzzyforward", "ten-meters", "\u{2014}"]))
    #expect(places.map { $0 != nil } == [true, false, true, false])
    #expect(abs((places[2]?.lowerBound.rawValue ?? 0) - 18_080) <= 960)
    #expect(abs((places[2]?.upperBound.rawValue ?? 0) - 32_160) <= 960)
  }

  @Test func `without known words or audio, there are no positions`() throws {
    #expect(try places([]) == nil)
    #expect(try places(["xyzzy", "2024"]) == nil)
    #expect(
      try alignment.places(of: ["go"], in: [], language: "en", while: { true }) == nil)
  }

  @Test
  func `a canceled alignment stops, and an unsupported language is an error`()
    throws
  {
    let audio = try samples(of: "go-forward.wav")
    #expect(throws: SpeechEngineError.interrupted) {
      _ = try alignment.places(of: ["go"], in: audio, language: "en", while: { false })
    }
    #expect(throws: SpeechEngineError.languageMissing(wanted: "ja", available: "en-US")) {
      _ = try alignment.places(of: ["go"], in: audio, language: "ja", while: { true })
    }
    #expect(try places(["go", "forward", "ten", "meters"]) != nil)
  }
}
