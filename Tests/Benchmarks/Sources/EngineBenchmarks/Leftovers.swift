import AudioCore
import AudioPlayerClient
import AudioPlayerClientLive
import AudioRecorderClient
import AudioRecorderClientLive
import BenchmarkTools
import CMalloc
import ClientDependencies
import Foundation
import SoundCard
import VirtualSoundCard

/// Measures the resources that many started and canceled operations do not release.
enum Leftovers {
  private struct Count {
    var threads: Int
    var descriptors: Int
    var bytes: Int

    init() throws {
      let files = FileManager.default
      threads = try files.contentsOfDirectory(atPath: "/proc/self/task").count
      descriptors = try files.contentsOfDirectory(atPath: "/proc/self/fd").count
      bytes = mallinfo2().uordblks
    }
  }

  @Sendable static func measure(on bench: Workbench) async throws -> [Finding] {
    let starts = Options.number("--starts", or: 10_000)
    let card = VirtualSoundCard(
      pace: .realTime, microphone: .steady, keepsPlayback: false)
    return try await withDependencies {
      $0.soundCard = card.soundCard
      $0.playbackIdleTime = .zero
    } operation: {
      let format = AudioFormat(sampleRate: 48_000, channelCount: 2)
      let tone = AudioSignal.sine(440).buffer(.seconds(1), format: format)
      // Fills the caches and starts the threads of the pool before the count.
      try await begin(starts / 10, tone, on: card, in: bench)
      let before = try Count()
      try await begin(starts, tone, on: card, in: bench)
      let after = try Count()
      return findings(before, after, starts)
    }
  }

  private static func findings(_ before: Count, _ after: Count, _ starts: Int) -> [Finding] {
    let name = "\(starts) starts and cancels: "
    let bytes = Double(after.bytes - before.bytes)
    return [
      Finding(
        name: name + "more threads", value: Double(after.threads - before.threads), unit: "",
        bound: 0),
      Finding(
        name: name + "more descriptors",
        value: Double(after.descriptors - before.descriptors), unit: "", bound: 0),
      // The bound allows for the memory of the allocator itself, but not for a leak in each start:
      // the smallest allocation has 24 bytes.
      Finding(
        name: name + "more memory, per start", value: bytes / Double(starts), unit: "bytes",
        bound: 8, remark: "\(Int(bytes)) bytes in all"),
    ]
  }

  /// Begins playbacks, captures, and recordings in turn, and cancels each of them after a varying
  /// time.
  private static func begin(
    _ count: Int, _ tone: AudioBuffer, on card: VirtualSoundCard, in bench: Workbench
  ) async throws {
    let url = URL(filePath: bench.file("left.wav"))
    let player = AudioPlayerClient.liveValue
    let recorder = AudioRecorderClient.liveValue
    for index in 0..<count {
      let task = Task {
        switch index % 3 {
        case 0:
          for try await _ in await player.playback(PlaybackRequest(source: .buffers([tone]))) {}
        case 1: for try await _ in await recorder.capture(CaptureRequest()) {}
        default: for try await _ in await recorder.recording(RecordingRequest(url: url)) {}
        }
      }
      try await Task.sleep(for: .microseconds(index % 7 * 500))
      task.cancel()
      do { try await task.value } catch is CancellationError {}
    }
    await player.stop()
    // Waits until the canceled recordings have completed their files.
    await recorder.stopRecording()
    while card.openDeviceCount > 0 { try await Task.sleep(for: .milliseconds(10)) }
    // After this time, only leaks remain.
    try await Task.sleep(for: .seconds(1))
  }
}
