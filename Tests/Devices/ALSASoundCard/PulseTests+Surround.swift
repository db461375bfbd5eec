import AudioCore
import Foundation
import SoundCard
import Testing

@testable import ALSASoundCard

extension PulseTests {
  /// The value of each 5.1 channel in WAV order, which every format represents exactly.
  private static let marks: [Float] = [1, 2, 3, 4, 5, 6].map { $0 / 16 }

  @Test func `5.1 keeps its channel positions through a sound server, in both directions`()
    async throws
  {
    let playback = try ALSADevice(.playback, request("syrinxpulse51", channels: 6))
    #expect(playback.configuration.format.channelCount == 6)
    let second = Array(repeatElement(Self.marks, count: 48_000).joined())
    #expect(await playback.play(second).error == nil)
    let playing = Task {
      while !Task.isCancelled { #expect(await playback.play(second).error == nil) }
    }
    let others = try await frameCapturedByParec()
    let ours = try await frameCaptured(
      by: ALSADevice(.capture, request("syrinxpulse51", channels: 6)))
    playing.cancel()
    await playing.value
    for frame in [others, ours] {
      let largest = zip(frame, Self.marks).map { abs($0 - $1) }.max() ?? 1
      #expect(frame.count == 6 && largest < 1e-6, "\(frame)")
    }
  }

  /// Returns the first captured frame that is not silent.
  private func frameCaptured(by capture: ALSADevice) async throws -> [Float] {
    while true {
      let account = await capture.record(4_800)
      if let error = account.error { throw error }
      if let frame = account.frames.loudFrame { return frame }
    }
  }

  /// Returns the first frame that is not silent, captured by the server's own recorder in WAV
  /// order.
  private func frameCapturedByParec() async throws -> [Float] {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [
      "parec", "--server=unix:\(bench.pulseDirectory.path())/native", "--device=syrinx51.monitor",
      "--raw", "--format=float32ne", "--rate=48000", "--channels=6", "--latency-msec=50",
      "--channel-map=front-left,front-right,front-center,lfe,rear-left,rear-right",
    ]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let frame = await withCheckedContinuation { found in
      // The read blocks, so it must not run on a thread of the cooperative pool.
      Thread.detachNewThread { found.resume(returning: pipe.fileHandleForReading.loudFrame) }
    }
    process.terminate()
    return frame
  }
}

extension FileHandle {
  /// The first frame of six channels that is not silent; empty if the file ends first.
  fileprivate var loudFrame: [Float] {
    let frameSize = 6 * MemoryLayout<Float>.stride
    while let bytes = try? read(upToCount: 1_000 * frameSize), !bytes.isEmpty {
      let samples = bytes.withUnsafeBytes { bytes in
        (0..<(bytes.count / 4)).map {
          bytes.loadUnaligned(fromByteOffset: $0 * 4, as: Float.self)
        }
      }
      if let frame = samples.loudFrame { return frame }
    }
    return []
  }
}

extension [Float] {
  /// The last frame of six channels that is not silent.
  fileprivate var loudFrame: [Float]? {
    let starts = stride(from: 0, to: count - 5, by: 6).reversed()
    return starts.first { self[$0] != 0 }.map { Array(self[$0..<$0 + 6]) }
  }
}
