import CPocketSphinx
import Foundation
import SpeechEngine
import TestTools
import Testing

@testable import PocketSphinxEngine

/// A decoder's configuration, read from PocketSphinx.
@Suite struct SphinxConfigurationTests {
  private func decoder(_ options: [String: String] = [:]) throws -> Decoder {
    try DecoderPool(location: ModelLocation(chosen: nil)).acquire(DecoderSettings(options))
  }

  @Test func `the tuned settings take precedence over the model's parameters`()
    throws
  {
    let decoder = try decoder()
    let configuration = ps_get_config(decoder.decoder)
    #expect(ps_config_float(configuration, "lw") == 6)
    let whole = ["fwdflat", "maxhmmpf", "maxwpf", "remove_noise"]
    #expect(whole.map { ps_config_int(configuration, $0) } == [0, 5000, 20, 0])
    // Unset values keep PocketSphinx's defaults.
    #expect(ps_config_int(configuration, "bestpath") == 1)
    #expect(ps_config_float(configuration, "beam") == 1e-48)
  }

  @Test func `a request's settings override the tuned settings`() throws {
    let decoder = try decoder(["lw": "5.5", "maxwpf": "10", "fwdflat": "yes"])
    let configuration = ps_get_config(decoder.decoder)
    #expect(ps_config_float(configuration, "lw") == 5.5)
    let whole = ["fwdflat", "maxhmmpf", "maxwpf"]
    #expect(whole.map { ps_config_int(configuration, $0) } == [1, 5000, 10])
  }
}

@Suite(.ownThread, .serialized) struct DecoderSettingsTests {
  @Test func `engine options have the names of PocketSphinx's settings`() throws {
    let settings = try DecoderSettings([
      "lw": "5.5", "maxwpf": "10", "fwdflat": "yes", "beam": "1e-60",
    ])
    #expect(settings.integers == ["maxwpf": 10, "fwdflat": 1])
    #expect(settings.numbers == ["lw": 5.5, "beam": 1e-60])
  }

  @Test(arguments: [
    ("lw", "much", "\"much\" is not a number from 0.1 to 100.0"),
    ("lw", "nan", "not a number from"),
    ("lw", "0", "not a number from"), ("beam", "1e-11", "not a number from 1e-200 to 1e-12"),
    ("ds", "0", "not a whole number from 1 to 4"), ("maxwpf", "1.5", "not a whole number"),
    ("maxhmmpf", "99999999999999999999", "not a whole number"),
    ("fwdflat", "true", "not yes or no"),
    ("hmm", "/tmp", "PocketSphinx has beam, bestpath, ds,"), ("-lw", "5", "PocketSphinx has"),
    ("vad_threshold", "1", "PocketSphinx has"),
  ])
  func `an unknown name or an invalid value is an error`(
    name: String, value: String, reason: String
  ) throws {
    var options = SpeechSessionOptions()
    options.engineOptions = [name: value]
    let error = #expect(throws: SpeechEngineError.self) {
      _ = try SpeechEngine.pocketSphinx().makeSession(options)
    }
    guard case .optionInvalid(let errorName, let errorReason) = error else {
      Issue.record("\(String(describing: error)) is another error")
      return
    }
    #expect(errorName == name)
    #expect(errorReason.contains(reason), "\(errorReason)")
  }

  @Test func `different settings load another decoder, which works`() throws {
    let pool = DecoderPool(location: ModelLocation(chosen: nil))
    let usual = try pool.acquire()
    pool.giveBack(usual)
    // Extreme values of the settings must not end the process.
    let settings = try DecoderSettings([
      "lw": "0.1", "wip": "1", "pip": "1e-10", "beam": "1e-12", "pbeam": "1", "wbeam": "1",
      "maxhmmpf": "100", "maxwpf": "1", "ds": "4", "topn": "16", "fwdflat": "yes", "bestpath": "no",
    ])
    let other = try pool.acquire(settings)
    #expect(other !== usual && other.settings == settings)
    let session = try PocketSphinxSession(decoder: other, pool: pool)
    _ = try session.recognizeInSteps(samples(of: "go-forward.wav"))
  }

  @Test func `a session's settings apply, and an earlier session's settings do not`() throws {
    let engine = SpeechEngine.pocketSphinx()
    func words(_ settings: [String: String]) throws -> [SpeechHypothesis.Word] {
      var options = SpeechSessionOptions(wantsPartialHypotheses: false)
      options.engineOptions = settings
      return try engine.makeSession(options).recognizeInSteps(samples(of: "go-forward.wav")).final
        .words
    }
    let sentence = ["go", "forward", "ten", "meters"]
    let narrow = ["beam": "1e-12", "pbeam": "1", "wbeam": "1"]
    #expect(try words(narrow).map(\.text) != sentence)
    #expect(try words([:]).map(\.text) == sentence)
    // Without its best-path search, PocketSphinx reports no confidences.
    #expect(try words(["bestpath": "no"]).allSatisfy { $0.confidence == nil })
  }
}

@Suite struct MemoryFileTests {
  @Test func `an in-memory file can be read more than once by its path`() {
    let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0) }
    let copies = withMemoryFile(bytes) { path in
      (0..<2).map { _ in path.flatMap(FileManager.default.contents).map(Array.init) }
    }
    #expect(copies == [bytes, bytes])
  }

  @Test func `no in-memory file is created for empty data`() {
    #expect(withMemoryFile([]) { $0 } == nil)
  }
}
