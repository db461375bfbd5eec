import SpeechClient
import Testing

@testable import SyrinxCommand

struct LossSummaryTests {
  private let why =
    "was lost during capture: the device stopped, or this machine is too slow or busy"

  private func stretch(_ begin: Int, _ length: Int) -> Range<Duration> {
    .milliseconds(begin) ..< .milliseconds(begin + length)
  }

  @Test
  func `repeated small losses cause one line per second`() {
    var losses = LossSummary()
    var lines: [String] = []
    // In ten minutes, 10 ms of every 100 ms are lost.
    for tenth in 0..<6_000 { lines += losses.add(stretch(tenth * 100, 10), .gap) }
    lines += losses.flush()
    #expect(lines.count <= 601)
    #expect(lines.first == "0.010 s of audio at 0:00.0 \(why)")
    #expect(lines.dropFirst().first == "0.100 s of audio in 10 places from 0:00.1 on \(why)")
    // Every loss is reported exactly once.
    let sum = lines.compactMap { Double($0.prefix { $0 != " " }) }.reduce(0, +)
    #expect(abs(sum - 60) < 0.001)
    #expect(losses.flush().isEmpty)
  }

  @Test
  func `a loss within a second of a reported loss is reported when the second is over`() {
    var losses = LossSummary()
    #expect(losses.add(stretch(0, 20), .gap).count == 1)
    #expect(losses.add(stretch(100, 20), .gap).isEmpty)
    #expect(losses.reach(.milliseconds(1_019)).isEmpty)
    #expect(losses.reach(.milliseconds(1_020)) == ["0.020 s of audio at 0:00.1 \(why)"])
    #expect(losses.reach(.seconds(10)).isEmpty)
  }

  @Test
  func `losses are summed per reason, and an engine failure is reported at once`() {
    var losses = LossSummary()
    var lines: [String] = []
    for tenth in 0..<10 {
      lines += losses.add(stretch(tenth * 100, 10), tenth % 2 == 0 ? .gap : .engineTooSlow)
    }
    #expect(lines.count == 2)
    let crash = SpeechRecognitionEvent.DropReason.engineFailed(.engineFailed(reason: "crash"))
    #expect(
      losses.add(stretch(1_000, 500), crash) == [
        "0.040 s of audio in 4 places from 0:00.2 on \(why)",
        "0.040 s of audio in 4 places from 0:00.3 on was dropped: "
          + "recognition lags too far behind",
        "0.500 s of audio at 0:01.0 was dropped: speech recognition failed: crash",
      ])
    #expect(losses.add(stretch(1_500, 500), crash).count == 1)
  }
}
