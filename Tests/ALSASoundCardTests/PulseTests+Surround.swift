import AudioCore
import Foundation
import SoundCard
import Testing

@testable import ALSASoundCard

extension PulseTests {
  /// What each channel of 5.1 plays, in the order of WAV files: bits that every format keeps.
  private static let marks: [Float] = [1, 2, 3, 4, 5, 6].map { $0 / 16 }

  @Test func `on a sound server 5.1 comes out of the right loudspeakers, and back into our order`()
    async throws
  {
    let playback = try ALSAPlayback(request("syrinxpulse51", channels: 6, count: 20))
    #expect(playback.configuration.format.channelCount == 6)
    let second = Array(repeatElement(Self.marks, count: 48_000).joined())
    #expect(await playback.play(second).error == nil)
    let playing = Task {
      while !Task.isCancelled { #expect(await playback.play(second).error == nil) }
    }
    let others = try await heardByParec()
    let capture = try ALSACapture(request("syrinxpulse51", channels: 6, count: 20))
    let ours = await capture.record(24_000)
    playing.cancel()
    await playing.value
    #expect(ours.error == nil)
    for frames in [others, ours.frames] {
      let loud = try #require(frames.loudFrame)
      let largest = zip(loud, Self.marks).map { abs($0 - $1) }.max() ?? 1
      #expect(loud.count == 6 && largest < 1e-6, "\(loud)")
    }
  }

  /// Half a second of the sink's monitor as the server's own tool gives it, told to keep the order
  /// of WAV files.
  private func heardByParec() async throws -> [Float] {
    let file = bench.file()
    let process = Process()
    process.executableURL = URL(filePath: "/bin/bash")
    process.arguments = [
      "-c",
      """
      parec --server='unix:\(bench.pulseDirectory.path())/native' --device=syrinx51.monitor \
        --raw --format=float32ne --rate=48000 --channels=6 --latency-msec=50 \
        --channel-map=front-left,front-right,front-center,lfe,rear-left,rear-right \
        | head -c \(24_000 * 6 * 4) >'\(file.path())'
      """,
    ]
    try await withCheckedThrowingContinuation { (ended: CheckedContinuation<Void, any Error>) in
      process.terminationHandler = { _ in ended.resume() }
      do {
        try process.run()
      } catch {
        ended.resume(throwing: error)
      }
    }
    return try values(Float.self, in: file)
  }
}

extension [Float] {
  /// The last frame of six channels in which something is heard.
  fileprivate var loudFrame: [Float]? {
    let starts = stride(from: 0, to: count - 5, by: 6).reversed()
    return starts.first { self[$0] != 0 }.map { Array(self[$0..<$0 + 6]) }
  }
}
