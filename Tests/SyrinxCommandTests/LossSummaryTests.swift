import SpeechClient
import Testing

@testable import SyrinxCommand

struct LossSummaryTests {
  private let why = "were lost before they were heard; is this machine too slow or busy?"

  private func stretch(_ begin: Int, _ length: Int) -> Range<Duration> {
    .milliseconds(begin) ..< .milliseconds(begin + length)
  }

  @Test
  func `a machine that loses a little again and again gets a line for each second`() {
    var losses = LossSummary()
    var lines: [String] = []
    // Ten minutes, 10 ms in every tenth of a second.
    for tenth in 0..<6_000 { lines += losses.add(stretch(tenth * 100, 10), .gap) }
    lines += losses.finish()
    #expect(lines.count <= 601)
    #expect(lines.first == "0.010 s of sound at 0:00.0 \(why)")
    #expect(lines.dropFirst().first == "0.100 s of sound in 10 places from 0:00.1 on \(why)")
    // Nothing is told twice, and nothing is left out.
    let sum = lines.compactMap { Double($0.prefix { $0 != " " }) }.reduce(0, +)
    #expect(abs(sum - 60) < 0.001)
    #expect(losses.finish().isEmpty)
  }

  @Test
  func `what has not been told is told once the sound has come further`() {
    var losses = LossSummary()
    #expect(losses.add(stretch(0, 20), .gap).count == 1)
    #expect(losses.add(stretch(100, 20), .gap).isEmpty)
    #expect(losses.reach(.milliseconds(1_019)).isEmpty)
    #expect(losses.reach(.milliseconds(1_020)) == ["0.020 s of sound at 0:00.1 \(why)"])
    #expect(losses.reach(.seconds(10)).isEmpty)
  }

  @Test
  func `reasons are summed up each for itself, and a failure is told at once`() {
    var losses = LossSummary()
    var lines: [String] = []
    for tenth in 0..<10 {
      lines += losses.add(stretch(tenth * 100, 10), tenth % 2 == 0 ? .gap : .engineTooSlow)
    }
    #expect(lines.count == 2)
    let crash = SpeechRecognitionEvent.DropReason.engineFailed(.engineFailed(reason: "crash"))
    #expect(
      losses.add(stretch(1_000, 500), crash) == [
        "0.040 s of sound in 4 places from 0:00.2 on \(why)",
        "0.040 s of sound in 4 places from 0:00.3 on were dropped: "
          + "too much waited for the recogniser",
        "0.500 s of sound at 0:01.0 were dropped: speech recognition failed: crash",
      ])
    #expect(losses.add(stretch(1_500, 500), crash).count == 1)
  }
}
