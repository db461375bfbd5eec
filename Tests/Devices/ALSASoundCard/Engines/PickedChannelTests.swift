import AudioCore
import AudioRecorderClient
import Foundation
import SoundCard
import Testing

/// Tests the capture of a single channel of a device.
@Suite struct PickedChannelTests {
  @Test(arguments: [(2, 0), (2, 1), (4, 0), (4, 1), (4, 2), (4, 3)])
  func `a channel picked through ALSA's plug contains no sound of other channels`(
    channels: Int, picked: Int
  ) async throws {
    let bench = try EngineHarness()
    let file = bench.bench.file()
    // The low bits of each sample are the frame number, and the high bits are the channel number.
    let samples = (0..<20_000).flatMap { frame in
      (0..<channels).map { Float(frame + $0 * 32_768) / 0x1p20 }
    }
    try samples.withUnsafeBytes { Data($0) }.write(to: file)
    let recorded = try await bench.record(
      .milliseconds(200), from: "syrinxplugged:FILE='\(file.path())',CHANNELS=\(channels)",
      channel: picked)
    #expect(recorded.error == nil && recorded.lost == .zero)
    let captured = recorded.samples
    let expected = (0..<9_600).map { Float($0 + picked * 32_768) / 0x1p20 }
    // The file has 16-bit samples, so the values are rounded.
    let largest = zip(captured, expected).map { abs($0 - $1) }.max() ?? 1
    #expect(captured.count == 9_600 && largest < 0x1p-14, "\(largest)")
  }
}
