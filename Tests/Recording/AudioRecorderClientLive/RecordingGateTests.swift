import AudioCore
import AudioRecorderClient
import Foundation
import TestTools
import Testing

@testable import AudioRecorderClientLive

@Suite struct RecordingGateTests {
  private let rule = LevelRule(threshold: Decibels(-40), hold: .milliseconds(100))
  private let url = URL(fileURLWithPath: "a.wav")

  private func outputs(
    _ request: RecordingRequest, _ audio: AudioBuffer, cut size: Int = 50
  ) -> [RecordingGate.Output] {
    var gate = RecordingGate(request, rate: 1_000)
    return audio.cut(size).flatMap { gate.process($0) } + gate.flush()
  }

  @Test func `without rules all audio is kept unchanged`() {
    let audio = Steps.audio((0, 50), (0.5, 50))
    #expect(outputs(RecordingRequest(url: url), audio) == audio.cut(50).map { .keep($0) })
  }

  @Test func `the gate records from a sound to the silence after it, with pre-roll`() {
    let audio = Steps.audio((0.001, 1_000), (0.5, 300), (0.001, 1_000))
    let request = RecordingRequest(
      url: url, start: .atSound(rule), preRoll: .milliseconds(300), endAfterSilence: rule)
    let outputs = outputs(request, audio)
    #expect(outputs.first == .began(preRoll: 300))
    #expect(outputs.kept == Array(audio.samples[700..<1_400]))
  }

  @Test(arguments: [1...40] as [ClosedRange<UInt64>])
  func `operators pass the frames that a recording with the same rules keeps`(
    seeds: ClosedRange<UInt64>
  ) async throws {
    for seed in seeds {
      var numbers = SeededNumbers(seed: seed)
      let steps = (0..<12).map { _ in
        let amplitude: Float = Bool.random(using: &numbers) ? 0.5 : 0.001
        return Steps.audio((amplitude, Int.random(in: 1...150, using: &numbers))).samples
      }
      // Silence at the beginning is longer than each pre-roll, so the pre-roll is complete.
      let silence = Steps.audio((0.001, 250)).samples
      let audio = AudioBuffer(format: Steps.format, samples: silence + Array(steps.joined()))
      let preRoll = Duration.milliseconds(Int.random(in: 0...250, using: &numbers))
      let request = RecordingRequest(
        url: url, start: .atSound(rule), preRoll: preRoll, endAfterSilence: rule)
      let size = Int.random(in: 1...200, using: &numbers)
      let buffers = AsyncStream { continuation in
        for buffer in audio.cut(size) { continuation.yield(buffer) }
        continuation.finish()
      }
      let passed = try await buffers.startingAtSound(preRoll: preRoll)
        .endingAfterSilence(hold: rule.hold, preRoll: preRoll).collect()
      #expect(passed.flatMap(\.samples) == outputs(request, audio, cut: size).kept, "seed \(seed)")
    }
  }

  @Test func `the silence that ended the recording is trimmed`() {
    let audio = Steps.audio((0.5, 300), (0.001, 1_000))
    let request = RecordingRequest(
      url: url, endAfterSilence: rule,
      trim: LevelRule(threshold: Decibels(-40), hold: .zero))
    #expect(outputs(request, audio).kept == Array(audio.samples[..<300]))
  }

  @Test func `after silence has ended the recording, later audio is discarded`() {
    var gate = RecordingGate(RecordingRequest(url: url, endAfterSilence: rule), rate: 1_000)
    #expect(gate.process(Steps.audio((0, 200))).kept.count == 100)
    #expect(gate.isOver)
    #expect(gate.process(Steps.audio((0.5, 200))).isEmpty)
  }

  @Test func `a start command begins a recording that waits for a command`() {
    let request = RecordingRequest(url: url, start: .onCommand, preRoll: .milliseconds(20))
    var gate = RecordingGate(request, rate: 1_000)
    let audio = Steps.audio((0.5, 100))
    #expect(gate.process(audio).isEmpty && gate.isWaiting)
    let begun = gate.apply(.start)
    #expect(begun.first == .began(preRoll: 20))
    #expect(begun.kept == Array(audio.samples.suffix(20)))
    #expect(gate.apply(.start).isEmpty)
    #expect(gate.process(audio) == [.keep(audio)])
  }

  @Test func `a pause is reported where it begins and where it ends`() {
    var gate = RecordingGate(RecordingRequest(url: url), rate: 1_000)
    let audio = Steps.audio((0.5, 100))
    _ = gate.apply(.pause)
    let pausing = gate.process(audio)
    #expect(pausing.kept.count == 5 && pausing.last == .paused(held: 0))
    #expect(gate.process(audio).isEmpty && gate.isPaused)
    _ = gate.apply(.resume)
    let resuming = gate.process(audio)
    #expect(resuming.kept.count == 100 && resuming.first == .resumed(held: 0))
  }

  @Test
  func `a pause begins and ends with a fade, which covers the whole block if the block is short`() {
    var gate = RecordingGate(RecordingRequest(url: url), rate: 1_000)
    let block = Steps.audio((1, 10))
    #expect(gate.process(block).kept == block.samples)
    _ = gate.apply(.pause)
    #expect(gate.process(Steps.audio((1, 3))).kept == [0.75, -0.5, 0.25])
    #expect(gate.process(block).isEmpty)
    _ = gate.apply(.resume)
    let rise = (1...5).map { Float($0) / 6 * ($0.isMultiple(of: 2) ? -1 : 1) }
    #expect(gate.process(block).kept == rise + block.samples[5...])
    #expect(gate.process(block).kept == block.samples)
  }

  @Test func `a pause that ends before the next block has no effect`() {
    var gate = RecordingGate(RecordingRequest(url: url), rate: 1_000)
    let block = Steps.audio((1, 10))
    _ = gate.apply(.pause)
    _ = gate.apply(.resume)
    #expect(gate.process(block) == [.keep(block)])
  }

  @Test func `audio omitted by a pause does not count as silence that ends the recording`() {
    var gate = RecordingGate(RecordingRequest(url: url, endAfterSilence: rule), rate: 1_000)
    _ = gate.process(Steps.audio((0.5, 100)))
    _ = gate.apply(.pause)
    for _ in 0..<10 { _ = gate.process(Steps.audio((0, 100))) }
    #expect(!gate.isOver)
  }
}

extension [RecordingGate.Output] {
  /// The kept samples.
  fileprivate var kept: [Float] {
    flatMap { output -> [Float] in
      if case .keep(let buffer) = output { buffer.samples } else { [] }
    }
  }
}
