import ALSASoundCard
import AudioCore
import AudioPlayerClient
import AudioPlayerClientLive
import BenchmarkTools
import ClientDependencies
import Foundation
import SoundCard

/// Measures the fraction of a core that 64 voices use, at 48 kHz stereo on ALSA's test card in real
/// time.
enum VoiceCosts {
  private static let count = 64

  @Sendable static func measure(on bench: Workbench) async throws -> [Finding] {
    let seconds = Options.number("--seconds", or: 60) / 2
    let sound = URL(filePath: try bench.sound(seconds: 60))
    let format = AudioFormat(sampleRate: 48_000, channelCount: 2)
    let tone = AudioSignal.sine(440, amplitude: 0.01).buffer(.seconds(60), format: format)
    return [
      try await finding("64 voices from memory", .buffers([tone]), seconds),
      try await finding("64 voices from WAV files", .file(sound), seconds),
    ]
  }

  private static func finding(
    _ name: String, _ source: PlaybackSource, _ seconds: Int
  ) async throws -> Finding {
    let part = try await withDependencies {
      $0.soundCard = .liveValue
      $0.playbackIdleTime = .zero
    } operation: {
      let player = AudioPlayerClient.liveValue
      return try await withThrowingTaskGroup { group in
        for _ in 0..<count {
          group.addTask {
            let request = PlaybackRequest(
              source: source, device: Workbench.device, volume: 0.01, repetition: .forever)
            for try await event in await player.playback(request) {
              if case .xrun(let length) = event { print("an xrun of \(length)") }
            }
          }
        }
        // The start of the voices does not count.
        try await Task.sleep(for: .seconds(2))
        let (began, before) = (MonotonicMoment.now, ProcessorTime.ofThisProcess)
        try await Task.sleep(for: .seconds(seconds))
        let used = ProcessorTime.ofThisProcess - before
        let passed = MonotonicMoment.now - began
        await player.stop()
        try await group.waitForAll()
        return used / passed.inSeconds
      }
    }
    return Finding(
      name: name, value: part * 100, unit: "% core", bound: 5, remark: "over \(seconds) s")
  }
}

/// The CPU time of a process, in seconds.
enum ProcessorTime {
  static var ofThisProcess: Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
