import AudioCore
import Foundation
import TestTools
import Testing

/// Tests the command with `--wait` on a card that is unplugged and plugged in again.
@Suite(.timeLimit(.minutes(5))) struct WaitEndToEndTests {
  let folder: TestFolder
  let alsa: ALSASetup

  init() async throws {
    folder = try TestFolder()
    alsa = try await ALSASetup(in: folder)
  }

  @Test func `'play --wait' resumes when the card returns, and reports the return`() async throws {
    let run = try await shell(
      """
      syrinx play --wait 30 --json \
        --device "syrinxtest:SCRIPT='gone_at=24000 gone_for_ms=300'" '\(ALSASetup.sample("tone.wav"))'
      """)
    #expect(run.status == 0, "\(run.error)")
    #expect(run.error.contains("the device is lost"), "\(run.error)")
    #expect(run.error.contains("the device is back after"), "\(run.error)")
    let events = try run.records
    let names = events.compactMap { $0["event"] as? String }
    let lost = try #require(names.firstIndex(of: "deviceLost"))
    let back = try #require(names.firstIndex(of: "deviceReturned"))
    #expect(lost < back)
    #expect(try #require(events[back]["gap"] as? Double) >= 0.3)
    #expect(events.last?["reason"] as? String == "completed")
    #expect(events.last?["played"] as? Double == 3)
  }

  @Test func `'play --wait' fails if the card does not return in time`() async throws {
    let run = try await shell(
      """
      syrinx play --wait 1.2 --device "syrinxtest:SCRIPT='gone_at=24000 gone_for_ms=600000'" \
        '\(ALSASetup.sample("tone.wav"))'
      """)
    #expect(run.status == 1)
    #expect(run.error.contains("was lost"), "\(run.error)")
  }

  @Test func `'record --wait' reopens a card when the system announces it and keeps the timeline`()
    async throws
  {
    // The card returns after 5 s. If its return were not announced, the next retry would come only
    // after 9 s, too late for this recording.
    let run = try await shell(
      """
      touch native
      syrinx record --wait 60 --json --seconds 8 --rate 48000 --channels 1 \
        --device "syrinxtest:SCRIPT='plugged=$PWD/native'" recorded.wav & recording=$!
      until [ -s recorded.wav ]; do sleep 0.05; done
      sleep 0.5; rm native; sleep 5; touch native
      wait $recording
      """)
    #expect(run.status == 0, "\(run.error)")
    #expect(run.error.contains("the device is back"), "\(run.error)")
    let gap = try #require(
      try run.records.first { $0["event"] as? String == "deviceReturned" }?["gap"] as? Double)
    #expect((4.5..<8.5).contains(gap), "\(gap)")
    let samples = try folder.samples("recorded.wav")
    #expect(samples.count == 8 * 48_000)
    #expect(Double(samples.count { $0 == 0 }) >= gap * 48_000 - 4_800)
  }

  @Test func `if the card does not return in time, 'record --wait' fails and completes the file`()
    async throws
  {
    let run = try await shell(
      """
      syrinx record --wait 1.2 --rate 48000 --channels 1 \
        --device "syrinxtest:SCRIPT='gone_at=24000 gone_for_ms=600000'" recorded.wav
      """)
    #expect(run.status == 1)
    #expect(run.error.contains("was lost"), "\(run.error)")
    #expect(try folder.samples("recorded.wav").count >= 19_200)
  }

  @Test func `'listen --wait' continues when the card returns, and reports the gap`() async throws {
    let run = try await shell(
      """
      syrinx listen --wait 30 --json --keep kept.wav \
        --device "syrinxtest:SCRIPT='rate=16000 gone_at=24000 gone_for_ms=300'" >events & listening=$!
      until grep -q gap events || ! kill -0 $listening; do sleep 0.05; done
      kill -INT $listening
      wait $listening
      cat events
      """)
    #expect(run.status == 0, "\(run.error)")
    let gap = try #require(try run.records.first { $0["reason"] as? String == "gap" })
    let (start, end) = (
      try #require(gap["start"] as? Double), try #require(gap["end"] as? Double)
    )
    #expect((1.3...1.5).contains(start) && end - start >= 0.3, "\(gap)")
    // The kept audio contains silence for the gap, and continues after it.
    #expect(Double(try folder.samples("kept.wav").count) >= end * 16_000)
  }

  @Test func `'listen --wait' fails if the card does not return in time`() async throws {
    let run = try await shell(
      """
      syrinx listen --wait 1.2 --keep kept.wav \
        --device "syrinxtest:SCRIPT='rate=16000 gone_at=24000 gone_for_ms=600000'"
      """)
    #expect(run.status == 1)
    #expect(run.error.contains("was lost"), "\(run.error)")
    #expect(try folder.samples("kept.wav").count >= 19_200)
  }

  @Test func `Ctrl-C ends 'play' and 'record' while the card is unplugged`() async throws {
    let run = try await shell(
      """
      card="syrinxtest:SCRIPT='gone_at=4800 gone_for_ms=600000'"
      syrinx play --wait 600 --device "$card" '\(ALSASetup.sample("tone.wav"))' 2>play.log & playing=$!
      syrinx record --wait 600 --device "$card" recorded.wav 2>record.log & recording=$!
      until grep -q lost play.log && grep -q lost record.log; do sleep 0.05; done
      kill -INT $playing $recording
      status=0; wait $playing || status=$?
      wait $recording && echo $status
      """)
    #expect(run.outputLines == ["130"], "\(run.error)")
  }

  private func shell(_ script: String) async throws -> BuiltCommand.Outcome {
    var environment = alsa.environment
    environment["XDG_RUNTIME_DIR"] = folder.url.path
    return try await BuiltCommand.shell(script, in: folder, environment: environment)
  }
}

extension BuiltCommand.Outcome {
  /// The objects that `--json` printed.
  fileprivate var records: [[String: Any]] {
    get throws {
      try outputLines.map { line in
        let record = try JSONSerialization.jsonObject(with: Data(line.utf8))
        return try #require(record as? [String: Any])
      }
    }
  }
}
