import AudioCore
import AudioPlayerClient
import AudioPlayerClientLive
import AudioThreads
import ClientDependencies
import Foundation
import SoundCard
import Testing

/// Tests that stop and cancel return even if a device or a source does not respond.
@Suite struct UnresponsiveDeviceTests {
  let format = AudioFormat(sampleRate: 8_000, channelCount: 1)
  var tone: AudioBuffer { AudioSignal.sine(440).buffer(.seconds(1), format: format) }

  @Test
  func `a device that accepts no frames ends the playback with an error that names the device`()
    async throws
  {
    let device = try UnresponsivePlayback(format: format)
    let error = await #expect(throws: AudioPlayerError.self) {
      try await with({ _ in device }) { player in
        for try await _ in await player.playback(request: .init(source: .buffers([tone]))) {}
      }
    }
    #expect(error.map { "\($0)".contains("stubborn") } == true)
    await device.closed.wait()
  }

  @Test func `stop returns even if the device never finishes opening`() async throws {
    let opening = Gate()
    try await with({ _ in try await never(opening) }) { player in
      let stream = await player.playback(request: .init(source: .buffers([tone])))
      await opening.wait()
      await player.stop()
      let events = try await stream.reduce(into: []) { $0.append($1) }
      #expect(events == [.finished(PlaybackFinish(reason: .stopped, played: .zero))])
    }
  }

  @Test func `a canceled play returns even if the device never finishes opening`() async throws {
    let opening = Gate()
    let file = try temporaryWAV(tone)
    try await with({ _ in try await never(opening) }) { player in
      let playing = Task { try await player.play(url: file) }
      await opening.wait()
      await player.setVolume(volume: 0.5)
      playing.cancel()
      await #expect(throws: CancellationError.self) { try await playing.value }
    }
  }

  @Test func `a canceled playback ends while its named pipe stalls`() async throws {
    let path = FileManager.default.temporaryDirectory
      .appendingPathComponent("syrinx-\(UUID().uuidString).fifo").path
    #expect(mkfifo(path, 0o600) == 0)
    defer { unlink(path) }
    // The pipe is open for reading and writing, so `open` does not block, but nothing is written.
    let descriptor = open(path, O_RDWR)
    defer { close(descriptor) }
    try await with({ _ in throw SoundCardError.noSoundCard(.playback) }) { player in
      let playing = Task { try await player.play(url: URL(fileURLWithPath: path)) }
      await Task.yield()
      playing.cancel()
      await #expect(throws: (any Error).self) { try await playing.value }
    }
  }

  @Test func `the next sound opens a failed device again`() async throws {
    let opened = Count()
    try await with({ _ in
      await opened.increment()
      throw SoundCardError.busy("hw:0")
    }) { player in
      for _ in 0..<2 {
        await #expect(throws: AudioPlayerError.self) {
          for try await _ in await player.playback(request: .init(source: .buffers([tone]))) {}
        }
      }
    }
    #expect(await opened.value == 2)
  }

  private actor Count {
    var value = 0
    func increment() { value += 1 }
  }

  /// Never opens a device; returns when the task is canceled.
  private func never(_ opening: Gate) async throws -> any PlaybackPCM {
    opening.open()
    let (stream, _) = AsyncStream<Never>.makeStream()
    for await _ in stream {}
    throw CancellationError()
  }

  private func with<Value: Sendable>(
    _ open: @escaping @Sendable (PCMRequest) async throws -> any PlaybackPCM,
    _ body: (AudioPlayerClient) async throws -> Value
  ) async throws -> Value {
    try await withDependencies {
      $0.soundCard.openPlayback = open
    } operation: {
      try await body(AudioPlayerClient.liveValue)
    }
  }
}
