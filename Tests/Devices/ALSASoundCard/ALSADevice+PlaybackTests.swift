import AudioCore
import Foundation
import SoundCard
import Testing

@testable import ALSASoundCard

@Suite struct ALSADevicePlaybackTests {
  /// Every value that a 16-bit file can hold.
  let everySample = (-32_768...32_767).map { Float($0) / 32_768 }

  @Test func `samples written to ALSA's file plug-in are stored bit-exactly`() async throws {
    let file = try TestALSA.ready().file()
    let pcm = try ALSADevice(.playback, request("syrinxfile:FILE='\(file.path())'"))
    #expect(pcm.configuration.sampleFormat == .float32)
    #expect(await pcm.play(everySample).error == nil)
    pcm.close()
    #expect(try isFile(file, everySample))
  }

  @Test(arguments: CardFormat.integers)
  func `an integer device plays every sample of a 16-bit file exactly`(
    format: CardFormat
  ) async throws {
    let file = try TestALSA.ready().file()
    let pcm = try ALSADevice(
      .playback, request("syrinxfileas:FILE='\(file.path())',SCRIPT='format=\(format) speed=0'"))
    #expect(pcm.configuration.sampleFormat == format.sampleFormat)
    #expect(await pcm.play(everySample).error == nil)
    pcm.close()
    let isExact = try format.samples(in: file) == everySample
    #expect(isExact)
  }

  @Test func `the period and the buffer have the requested size`() throws {
    _ = try TestALSA.ready()
    let pcm = try ALSADevice(.playback, request(testCard(""), period: .milliseconds(5), count: 3))
    #expect(pcm.configuration.period == 240)
    #expect(pcm.configuration.buffer == 720)
  }

  @Test func `a card that supports only one rate and channel count is opened with them`() throws {
    _ = try TestALSA.ready()
    let pcm = try ALSADevice(
      .playback, request(testCard("rate=44100 channels=2"), 16_000, channels: 1))
    #expect(pcm.configuration.format == AudioFormat(sampleRate: 44_100, channelCount: 2))
  }

  @Test func `timeUntilUnderrun includes frames that were accepted faster than real time`()
    async throws
  {
    let file = try TestALSA.ready().file()
    let pcm = try ALSADevice(.playback, request("syrinxfile:FILE='\(file.path())'"))
    #expect(pcm.timeUntilUnderrun == .zero)
    #expect(await pcm.play(ramp(48_000 * 100)).error == nil)
    #expect(pcm.timeUntilUnderrun > .seconds(50))
    #expect(try pcm.delay() == 0)
    pcm.drop()
    #expect(pcm.timeUntilUnderrun == .zero)
  }

  @Test func `a sound shorter than two periods plays after start`() throws {
    _ = try TestALSA.ready()
    let pcm = try ALSADevice(.playback, request(testCard("")))
    #expect(try pcm.offer(ramp(100)[...]) == .frames(100))
    #expect(try pcm.delay() == 100)
    try pcm.start()
    #expect(try pcm.wait(for: .nothing, atMost: .milliseconds(50)).isXrun)
    #expect(try pcm.delay() == 0)
  }

  @Test func `starting a device without frames has no effect`() throws {
    _ = try TestALSA.ready()
    let pcm = try ALSADevice(.playback, request(testCard("")))
    try pcm.start()
    #expect(try pcm.wait(for: .period, atMost: .zero) == .ready(pcm.configuration.buffer))
  }

  @Test func `a full device accepts frames only as it plays, and no delay exceeds the buffer`()
    async throws
  {
    _ = try TestALSA.ready()
    let pcm = try ALSADevice(.playback, request(testCard(""), count: 4))
    let began = pcm.elapsed
    var delays: [FrameCount] = []
    for start in stride(from: 0, to: 14_400, by: 480) {
      #expect(await pcm.play(ramp(480, from: start)).error == nil)
      delays.append(try pcm.delay())
    }
    #expect(pcm.elapsed - began >= .milliseconds(250))
    #expect(delays.allSatisfy { $0 >= 0 && $0 <= pcm.configuration.buffer })
  }

  @Test func `the playhead's host time is within 5 ms of the start time plus the played duration`()
    throws
  {
    _ = try TestALSA.ready()
    let pcm = try ALSADevice(.playback, request(testCard("")))
    #expect(try pcm.offer(ramp(9_600)[...]) == .frames(9_600))
    let before = ContinuousClock.now
    try pcm.start()
    let after = ContinuousClock.now
    var origins: [ContinuousClock.Instant] = []
    for _ in 0..<9 {
      _ = try pcm.wait(for: .nothing, atMost: .milliseconds(10))
      let played = try 9_600 - pcm.delay()
      origins.append(pcm.hostTime(at: pcm.elapsed) - played.duration(at: 48_000))
    }
    // Another process may run between the two calls, which distorts some of the values, but not the
    // median.
    let median = origins.sorted()[4]
    #expect(median > before - .milliseconds(5) && median < after + .milliseconds(5))
  }

  @Test func `dropped frames are not played, and the device continues`() async throws {
    _ = try TestALSA.ready()
    let pcm = try ALSADevice(.playback, request(testCard("")))
    #expect(await pcm.play(ramp(1_500)).error == nil)
    pcm.drop()
    #expect(try pcm.delay() == 0)
    #expect(try pcm.wait(for: .period, atMost: .zero) == .ready(pcm.configuration.buffer))
    #expect(await pcm.play(ramp(480)).error == nil)
    #expect(try pcm.delay() == 480)
  }

  @Test func `every call on a closed device throws deviceLost`() throws {
    _ = try TestALSA.ready()
    let pcm = try ALSADevice(.playback, request(testCard("")))
    pcm.close()
    pcm.close()
    pcm.drop()
    let lost = SoundCardError.deviceLost(pcm.configuration.device)
    #expect(throws: lost) { try pcm.start() }
    #expect(throws: lost) { try pcm.wait(for: .nothing, atMost: nil) }
    #expect(throws: lost) { try pcm.offer([0]) }
    #expect(throws: lost) { try pcm.delay() }
    #expect(pcm.timeUntilUnderrun == .zero)
  }
}

extension PCMWakeUp {
  var isXrun: Bool {
    if case .interrupted(let interruption) = self { return interruption.cause == .xrun }
    return false
  }
}

/// Returns whether a raw file holds these samples; `#expect` would print both arrays.
func isFile(_ file: URL, _ samples: [Float]) throws -> Bool {
  try values(Float.self, in: file) == samples
}

/// Returns the values in a raw file, in the byte order of the machine.
func values<Value: BitwiseCopyable>(_: Value.Type, in file: URL) throws -> [Value] {
  try Data(contentsOf: file).withUnsafeBytes { bytes in
    (0..<(bytes.count / MemoryLayout<Value>.stride)).map {
      bytes.loadUnaligned(fromByteOffset: $0 * MemoryLayout<Value>.stride, as: Value.self)
    }
  }
}
