import AudioCore
import AudioThreads
import ClientDependencies
import SoundCard
import Testing
import VirtualSoundCard

@Suite struct VirtualSoundCardTests {
  let format = AudioFormat(sampleRate: 8_000, channelCount: 2)

  @Test func `the virtual card lists one device, never as the default`() async throws {
    let devices = try await VirtualSoundCard().soundCard.devices()
    #expect(devices == [VirtualSoundCard.device])
    #expect(devices.allSatisfy { $0.isVirtual && !$0.isDefault })
  }

  @Test func `the virtual card refuses the name of any other device`() async {
    let card = VirtualSoundCard().soundCard
    await #expect(throws: SoundCardError.unknownDevice("hw:9", .playback)) {
      _ = try await card.openPlayback(request: PCMRequest(device: "hw:9", format: format))
    }
  }

  @Test func `an infinite period is limited to a minute`() async throws {
    let endless = PCMBuffering(period: .seconds(Int64.max), periodCount: 2)
    let pcm = try await VirtualSoundCard().soundCard.openPlayback(
      request: PCMRequest(format: format, buffering: endless))
    #expect(pcm.configuration.period == FrameCount(480_000))
    #expect(pcm.configuration.buffer == FrameCount(960_000))
    pcm.close()
  }

  @Test func `an untimed card keeps written samples exactly`() async throws {
    let card = VirtualSoundCard(pace: .untimed)
    let pcm = try await card.soundCard.openPlayback(request: PCMRequest(format: format))
    let tone = AudioSignal.sine(440).buffer(1_600, format: format)
    try pcm.start()
    try write(tone, to: pcm)
    #expect(card.played == [tone])
    #expect(pcm.elapsed == .milliseconds(200))
    #expect(card.openDeviceCount == 1)
    pcm.close()
    #expect(card.openDeviceCount == 0)
  }

  @Test
  func `an unplugged card can be opened again after its scripted time, and reports the change`()
    async throws
  {
    let clock = TestClock<Duration>()
    let card = VirtualSoundCard(
      pace: .clock(clock), faults: [.unplugged(at: 100, for: .seconds(2))])
    let soundCard = card.soundCard
    let request = PCMRequest(format: format)
    var changes = soundCard.deviceChanges().makeAsyncIterator()
    let pcm = try await soundCard.openCapture(request: request)
    try pcm.start()
    await clock.sleepers(atLeast: 1)
    await clock.advance(by: .milliseconds(20))
    await changes.next()
    #expect(throws: SoundCardError.deviceLost("virtual")) {
      _ = try pcm.wait(for: .period, atMost: nil)
    }
    pcm.close()
    #expect(!card.isPluggedIn)
    await #expect(throws: SoundCardError.unknownDevice("virtual", .capture)) {
      _ = try await soundCard.openCapture(request: request)
    }
    await clock.sleepers(atLeast: 1)
    await clock.advance(by: .seconds(2))
    await changes.next()
    let again = try await soundCard.openCapture(request: request)
    #expect(card.isPluggedIn)
    again.close()
  }

  @Test func `every call on a closed device throws deviceLost`() async throws {
    let card = VirtualSoundCard(pace: .untimed)
    let pcm = try await card.soundCard.openPlayback(request: PCMRequest(format: format))
    pcm.close()
    pcm.close()
    #expect(throws: SoundCardError.deviceLost("virtual")) {
      _ = try pcm.wait(for: .period, atMost: nil)
    }
    #expect(card.openDeviceCount == 0)
  }

  @Test func `a microphone that captures a buffer delivers all its frames and then ends`()
    async throws
  {
    let captured = AudioSignal.noise(seed: 3).buffer(1_001, format: format)
    let card = VirtualSoundCard(pace: .untimed, microphone: .buffer(captured))
    let pcm = try await card.soundCard.openCapture(
      request: PCMRequest(format: AudioFormat(sampleRate: 48_000, channelCount: 1)))
    #expect(pcm.configuration.format == format)
    try pcm.start()
    #expect(try readToTheEnd(pcm) == captured.samples)
  }

  @Test func `a clock paces the card, and no frame comes early`() async throws {
    let clock = TestClock()
    let card = VirtualSoundCard(
      pace: .lockstep(clock), microphone: .signal(.impulse(at: 300)))
    let pcm = try await card.soundCard.openCapture(request: PCMRequest(format: format))
    try pcm.start()
    let reader = try DedicatedThread.start(name: "reader") {
      // If a wait throws, the loop ends; the expectations below check the card's time.
      while let wakeUp = try? pcm.wait(for: .period, atMost: .milliseconds(500)),
        wakeUp == .woken
      {}
    }
    await clock.sleepers(atLeast: 1)
    #expect(pcm.elapsed == .zero)
    await clock.advance(by: .milliseconds(25))
    await reader.join()
    #expect(pcm.elapsed == .milliseconds(25))
    pcm.close()
  }

  private func write(_ buffer: AudioBuffer, to pcm: any PlaybackPCM) throws {
    var rest = buffer.samples[...]
    while !rest.isEmpty {
      guard case .ready = try pcm.wait(for: .period, atMost: nil) else { continue }
      let transfer = try rest.withUnsafeBufferPointer { try pcm.write($0) }
      if case .frames(let count) = transfer {
        rest = rest.dropFirst(count.rawValue * buffer.format.channelCount)
      }
    }
  }

  private func readToTheEnd(_ pcm: any CapturePCM) throws -> [Float] {
    var captured: [Float] = []
    var block = [Float](repeating: 0, count: 512)
    while try pcm.wait(for: .period, atMost: nil) != .ended {
      if case .frames(let count) = try block.withUnsafeMutableBufferPointer({
        try pcm.read(into: $0)
      }) {
        captured += block.prefix(count.rawValue * pcm.configuration.format.channelCount)
      }
    }
    return captured
  }
}
