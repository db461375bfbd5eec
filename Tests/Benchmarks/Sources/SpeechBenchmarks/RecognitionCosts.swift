import AudioCore
import Foundation
import SoundFile
import SpeechClient

/// The time of the processor and of the clock that the clips take, beside `pocketsphinx_batch`.
enum RecognitionCosts {
  /// What a run has used; of several runs the least.
  private struct Use {
    var processor = Double.infinity
    var wall = Double.infinity

    mutating func add(_ processor: Double, _ wall: Double) {
      self.processor = min(self.processor, processor)
      self.wall = min(self.wall, wall)
    }
  }

  static func measure(on bench: SpeechBench) throws -> [Finding] {
    let silence = bench.folder.appending(path: "silence.wav")
    let writer = try SoundFileWriter(url: silence, format: .speech, encoding: .wav16)
    try writer.write(AudioBuffer(silence: 1_600, format: .speech))
    try writer.close()
    let batch = try batchArguments(bench)
    let grammar = bench.file("grammar")
    try "#JSGF V1.0; grammar a; public <a> = go (forward | back);".write(
      toFile: grammar, atomically: true, encoding: .utf8)
    var (peer, one, two, start, withGrammar) = (Use(), Use(), Use(), Use(), Use())
    for _ in 0..<max(1, Options.number("--rounds", or: 2)) {
      try run(syrinx(["--jobs", "1", silence.path], bench), adding: &start)
      try run(syrinx(["--grammar", grammar, silence.path], bench), adding: &withGrammar)
      try run(batch, adding: &peer)
      try run(syrinx(["--jobs", "1"] + bench.clips.map(\.url.path), bench), adding: &one)
      try run(syrinx(["--jobs", "2"] + bench.clips.map(\.url.path), bench), adding: &two)
    }
    let startUp = Finding(
      name: "start-up with a grammar", value: withGrammar.wall, unit: "s", bound: 0.4,
      remark: "one model is loaded, with the whole dictionary")
    return [startUp] + findings(bench, peer, one, two, start) + [try wordErrors(bench)]
  }

  private static func findings(
    _ bench: SpeechBench, _ peer: Use, _ one: Use, _ two: Use, _ start: Use
  ) -> [Finding] {
    let clips = "\(bench.clips.count) clips, \(Int(bench.seconds)) s"
    return [
      Finding(
        name: "start-up: 0.1 s of silence", value: start.wall, unit: "s", bound: 0.4,
        remark: "the model is loaded"),
      Finding(
        name: "RTF, one job, without start-up",
        value: (one.processor - start.processor) / bench.seconds, unit: "s CPU/s", bound: 0.2,
        remark: clips),
      Finding(name: "\(clips) by pocketsphinx_batch", value: peer.processor, unit: "s CPU"),
      Finding(
        name: "\(clips), one job, against pocketsphinx_batch", value: one.processor,
        unit: "s CPU", bound: peer.processor),
      Finding(name: "\(clips) by pocketsphinx_batch", value: peer.wall, unit: "s"),
      Finding(name: "\(clips), one job", value: one.wall, unit: "s"),
      Finding(
        name: "\(clips), two jobs, against pocketsphinx_batch", value: two.wall, unit: "s",
        bound: 0.55 * peer.wall),
      Finding(
        name: "two jobs, share of one job's time", value: two.wall / one.wall, unit: "",
        bound: 1 / 1.8),
    ]
  }

  /// The last transcripts against what was said.
  private static func wordErrors(_ bench: SpeechBench) throws -> Finding {
    let records = try String(contentsOfFile: bench.file("out"), encoding: .utf8)
      .split(separator: "\n").map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
    let rates = bench.clips.map { clip in
      WordErrorRate(
        reference: clip.words,
        hypothesis: records.filter { $0.file == clip.url.path }.map(\.text).joined(separator: " "))
    }
    let rate = rates.dropFirst().reduce(rates[0], +)
    return Finding(
      name: "word error rate", value: (rate.rate ?? 0) * 100, unit: "%",
      bound: bench.isShared ? 22 : nil,
      remark: "\(rate.errorCount) of \(rate.referenceCount) words")
  }

  private struct Line: Decodable {
    let file: String
    let text: String
  }

  private static func syrinx(_ arguments: [String], _ bench: SpeechBench) -> [String] {
    redirected([SpeechBench.syrinx, "transcribe", "--json"] + arguments, to: bench.file("out"))
  }

  private static func batchArguments(_ bench: SpeechBench) throws -> [String] {
    let model = "/usr/share/pocketsphinx/model/en-us"
    let list = bench.clips.map { $0.url.deletingPathExtension().path }.joined(separator: "\n")
    try (list + "\n").write(toFile: bench.file("clips"), atomically: true, encoding: .utf8)
    return redirected(
      [
        Options.value("--batch") ?? "pocketsphinx_batch", "-adcin", "yes", "-adchdr", "44",
        "-cepdir", "/", "-cepext", ".wav", "-ctl", bench.file("clips"), "-hmm", "\(model)/en-us",
        "-lm", "\(model)/en-us.lm.bin", "-dict", "\(model)/cmudict-en-us.dict", "-hyp",
        bench.file("batch"), "-logfn", "/dev/null",
      ], to: "/dev/null")
  }

  private static func redirected(_ arguments: [String], to path: String) -> [String] {
    ["sh", "-c", "exec \"$@\" > '\(path)'", "sh"] + arguments
  }

  private static func run(_ arguments: [String], adding use: inout Use) throws {
    let begin = ContinuousClock.now
    let cost = try Program.run(arguments)
    use.add(cost.seconds, begin.duration(to: .now).inSeconds)
  }
}
