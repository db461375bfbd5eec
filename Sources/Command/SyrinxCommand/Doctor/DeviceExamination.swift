import AudioCore
import AudioThreads
import ClientDependencies
import FilePaths
import SoundCard

/// Checks whether the default devices can be opened, and measures the delay until a played sound is
/// captured.
struct DeviceExamination {
  /// The IDs of the kernel's sound cards.
  let cardIDs: [String]
  /// Whether the user has connected the default output with the default input.
  var isConnected = false

  @Dependency(\.soundCard) private var soundCard

  init(cardIDs: [String], isConnected: Bool = false) {
    (self.cardIDs, self.isConnected) = (cardIDs, isConnected)
  }

  /// Returns the findings on the sound server, playback, recording, and latency.
  func findings() async -> [HealthFinding] {
    let playing = await opened("playing") { try await soundCard.openPlayback(request: $0) }
    let recording = await opened("recording") { try await soundCard.openCapture(request: $0) }
    let works = playing.state == .ok && recording.state == .ok
    return [await server(), playing, recording, await latency(works: works)]
  }

  private func server() async -> HealthFinding {
    let ids = ((try? await soundCard.devices()) ?? []).map(\.id.rawValue)
    let servers = ["pipewire", "pulse"].filter(ids.contains)
    guard servers.isEmpty else {
      return .ok("sound server", "\(servers.joined(separator: ", ")) through ALSA's plug-in")
    }
    return .note(
      "sound server", "none answers: a device serves one program at a time",
      remedy: """
        start PipeWire (with the package pipewire-alsa) or PulseAudio (with libasound2-plugins) to \
        share devices
        """)
  }

  /// Opens the default device, and closes it on a separate thread, because closing may be slow.
  private func opened(
    _ check: String, _ open: (PCMRequest) async throws -> any PCM
  ) async -> HealthFinding {
    do {
      let pcm = try await open(PCMRequest(format: Self.format))
      let configuration = pcm.configuration
      await DedicatedThread.run(name: "syrinx-close", abandoned: (), failed: { _ in pcm.close() }) {
        pcm.close()
      }
      return .ok(check, "\(configuration.device): \(configuration)")
    } catch let error as SoundCardError {
      return .failure(check, error.detail, remedy: error.remedy)
    } catch {
      return .failure(check, "\(error)", remedy: nil)
    }
  }

  private func latency(works: Bool) async -> HealthFinding {
    let check = "latency"
    guard works || loopbackCard != nil else {
      return .note(check, "not measured, because playing or recording does not work")
    }
    guard isConnected || loopbackCard != nil else {
      return .note(
        check, "not measured, because it plays a click and needs an input that captures it",
        remedy: "connect the output with the input and run `syrinx doctor --loopback`")
    }
    do {
      guard let latency = try await measured() else {
        return .note(
          check, "not measured, because the click that was played was not captured",
          remedy: "connect the output with the input, and raise the volume of both")
      }
      return .ok(check, "\(latency.millisecondsText) from writing a click to reading it")
    } catch {
      return .note(check, "not measured: \(error)")
    }
  }

  private func measured() async throws -> Duration? {
    let card = loopbackCard
    let buffering = PCMBuffering.lowLatency
    let playback = try await soundCard.openPlayback(
      request: PCMRequest(
        device: card.map { .init(rawValue: "plughw:CARD=\($0),DEV=0") }, format: Self.format,
        buffering: buffering))
    let capture: any CapturePCM
    do {
      capture = try await soundCard.openCapture(
        request: PCMRequest(
          device: card.map { .init(rawValue: "plughw:CARD=\($0),DEV=1") }, format: Self.format,
          buffering: buffering))
    } catch {
      playback.close()
      throw error
    }
    return try await DedicatedThread.run(name: "syrinx-loopback") {
      defer {
        playback.close()
        capture.close()
      }
      return try LoopbackMeasurement(playback: playback, capture: capture).run()
    }
  }

  /// The ID of a loopback card (kernel module snd-aloop), whose input captures its own output.
  ///
  /// It is nil if the user has connected the default output with the default input.
  private var loopbackCard: String? {
    isConnected ? nil : cardIDs.first { $0.hasPrefix("Loopback") }
  }

  private static let format = AudioFormat(sampleRate: 48_000, channelCount: 2)
}

extension SoundCardError {
  /// The description of the failure, without its remedy.
  fileprivate var detail: String {
    let parts = "\(self)".split(separator: ";", maxSplits: 1)
    return remedy == nil ? "\(self)" : String(parts.first ?? "")
  }

  fileprivate var remedy: String? {
    switch self {
    case .noSoundCard:
      "connect a sound card or start a sound server; --device virtual works without"
    case .unknownDevice: "choose another device: `syrinx devices` lists them"
    case .busy: "close that program, or share the device through a sound server"
    case .permissionDenied: "`sudo usermod -aG audio $USER`, then log in again"
    case .notResponding: "restart the sound server: `systemctl --user restart pipewire pulseaudio`"
    default: nil
    }
  }
}

extension Duration {
  fileprivate var millisecondsText: String { "\((inSeconds * 10_000).rounded() / 10) ms" }
}

/// Measures the time from writing a click to a playback device to reading it from a capture device.
///
/// It blocks, so run it on a separate thread.
struct LoopbackMeasurement {
  let playback: any PlaybackPCM
  let capture: any CapturePCM

  private static let settling = Duration.milliseconds(500)
  private static let limit = Duration.seconds(2)

  /// Returns the measured time; nil if the click does not arrive within two seconds.
  func run() throws(SoundCardError) -> Duration? {
    let clock = ContinuousClock()
    var samples = [Float](repeating: 0, count: 48_000)
    var (noise, clickedAt): (Float, ContinuousClock.Instant?) = (0, nil)
    let begin = clock.now
    try capture.start()
    while clock.now - begin < Self.settling + Self.limit {
      let isDue = clickedAt == nil && clock.now - begin > Self.settling
      if try writeBlock(isDue ? click : silence), isDue { clickedAt = clock.now }
      while case let count = try read(into: &samples), count > 0 {
        let end = clock.now
        let block = samples[..<(count * capture.configuration.format.channelCount)]
        guard let clickedAt else {
          noise = block.reduce(noise) { max($0, abs($1)) }
          continue
        }
        guard let frame = frame(above: max(0.05, noise * 4), in: block) else { continue }
        let rate = capture.configuration.format.sampleRate
        return end - FrameCount(count - frame).duration(at: rate) - clickedAt
      }
    }
    return nil
  }

  /// Writes a block in as many writes as the device needs; returns false if the device did not
  /// accept all of it.
  private func writeBlock(_ block: [Float]) throws(SoundCardError) -> Bool {
    let channels = playback.configuration.format.channelCount
    var rest = block[...]
    for _ in 0..<100 where !rest.isEmpty {
      let wakeUp = try playback.wait(for: .period, atMost: .milliseconds(20))
      guard case .ready = wakeUp else { continue }
      let transfer = try rest.withUnsafeBufferPointer { samples throws(SoundCardError) in
        try playback.write(samples)
      }
      if case .frames(let count) = transfer { rest = rest.dropFirst(count.rawValue * channels) }
    }
    return rest.isEmpty
  }

  /// Reads the available frames without waiting, and returns their number.
  private func read(into samples: inout [Float]) throws(SoundCardError) -> Int {
    let transfer = try samples.withUnsafeMutableBufferPointer { samples throws(SoundCardError) in
      try capture.read(into: samples)
    }
    guard case .frames(let count) = transfer else { return 0 }
    return count.rawValue
  }

  private func frame(above threshold: Float, in block: ArraySlice<Float>) -> Int? {
    block.firstIndex { abs($0) > threshold }.map {
      ($0 - block.startIndex) / capture.configuration.format.channelCount
    }
  }

  private var silence: [Float] {
    let configuration = playback.configuration
    return [Float](
      repeating: 0, count: configuration.period.rawValue * configuration.format.channelCount)
  }

  /// A click: one device period of samples at half of full scale.
  private var click: [Float] { silence.map { _ in 0.5 } }
}
