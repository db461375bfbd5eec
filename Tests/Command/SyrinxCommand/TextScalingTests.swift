import FilePaths
import Foundation
import TestTools
import Testing

@testable import SyrinxCommand

#if Plots
import AudioPlots
#endif

/// Checks that texts are read in linear time, whatever they contain.
@Suite(.serialized) struct TextScalingTests {
  /// The limit for the growth of the time if a text becomes four times as long.
  ///
  /// Linear work takes 4 times as long, and quadratic work 16 times.
  private static let greatestGrowth = 9.0

  #if Plots
  @Test(arguments: [
    "00:00:01.000 --> 00:00:02.000\n", "00:01.000 --> 00:02.000\nGo on\n", "<", "<v ", "&lt;", "\n",
    "1\n00:00:01,000 --> 00:00:02,000\nGo on\n\n", " --> ", "00:01.000 --> 00:02.000",
  ])
  func `the cues of a transcript are read in linear time`(piece: String) {
    for head in ["", "WEBVTT\n\n", "00:00:01.000 --> 00:00:02.000\n"] {
      let text = { (count: Int) in head + String(repeating: piece, count: count) }
      let ratio = growth(to: 4_000, of: text) { _ = TranscriptCues($0) }
      #expect(ratio < Self.greatestGrowth)
    }
  }

  @Test func `a JSON transcript is read in linear time`() {
    let line = #"{"final":true,"text":"Go","start":1,"end":2}"# + "\n"
    let text = { (count: Int) in String(repeating: line, count: count) }
    let ratio = growth(to: 2_000, of: text) { #expect(TranscriptCues($0).cues.count > 100) }
    #expect(ratio < Self.greatestGrowth)
  }

  @Test func `a line with times ends the previous cue, even without an empty line between them`() {
    let text = """
      1
      00:00:01,000 --> 00:00:02,000
      Go on
      2
      00:00:02,000 --> 00:00:03,000
      and on.
      """
    #expect(TranscriptCues(text).cues.map(\.text) == ["Go on", "and on."])
    let plain = "WEBVTT\n\n00:01.000 --> 00:02.000\nGo\n00:02.000 --> 00:03.000\non 7\n7\n"
    #expect(TranscriptCues(plain).cues.map(\.text) == ["Go", "on 7 7"])
  }
  #endif

  @Test(arguments: [PlaylistFormat.m3u, .pls], ["a.wav\n", "File1=a.wav\n", "#\n", " ", "="])
  func `a playlist is read in linear time`(format: PlaylistFormat, piece: String) {
    let text = { (count: Int) in [UInt8](String(repeating: piece, count: count).utf8) }
    let ratio = growth(to: 20_000, of: text) { _ = format.entries($0) }
    #expect(ratio < Self.greatestGrowth)
  }

  @Test(arguments: ["a: b\n", "- a\n", "#\n", "? ", "&a ", "'", "a: >\n b\n"])
  func `the settings are read in linear time`(piece: String) {
    let text = { (count: Int) in [UInt8](String(repeating: piece, count: count).utf8) }
    // Most of these texts contain an error, which must also be found in linear time.
    let ratio = growth(to: 4_000, of: text) { _ = try? YAMLPair.all(in: $0) }
    #expect(ratio < Self.greatestGrowth)
  }
}
