import AudioCore
import AudioPlayerClient
import SoundCard
import Synchronization
import Testing

@testable import AudioPlayerClientLive

/// Tests the bus gains of a device's voices, block by block.
@Suite struct VoiceTableTests {
  private let link: DeviceLink<Voice>
  private let bus = BusVolume()

  init() throws {
    link = try DeviceLink(limit: VoiceTable.limit)
  }

  /// Adds a voice at a rate of 1,000 Hz.
  private func add(_ bus: BusVolume, in place: Int = 0) throws -> Voice {
    let voice = Voice(
      format: AudioFormat(sampleRate: 1_000, channelCount: 1), capacity: .milliseconds(100),
      prefill: .zero, parameters: SharedVoiceParameters("a", gain: 1), bus: bus
    ) { _ in }
    link.ports.put(voice, in: place)
    link.ports.serve(place)
    return voice
  }

  @Test func `the gain of a bus begins at its volume and moves block by block`() throws {
    let voice = try add(bus)
    bus.setting = (0.5, .seconds(1))
    link.ports.moveBusGains(by: 10)
    #expect(voice.busGain?.volume == SmoothedGain(0.5))
    bus.setting = (1, .milliseconds(20))
    link.ports.moveBusGains(by: 10)
    var ramp = try #require(voice.busGain?.volume)
    #expect((0..<10).map { _ in ramp.next() }.last.map { abs($0 - 0.75) < 1e-6 } == true)
    link.ports.moveBusGains(by: 10)
    #expect(voice.busGain?.volume == ramp)
    link.ports.moveBusGains(by: 10)
    #expect(voice.busGain?.volume.isSteady == true)
    #expect(voice.busGain?.volume.current == 1)
  }

  @Test func `a shorter ramp to the same volume speeds up the ramp of a bus`() throws {
    let voice = try add(bus)
    link.ports.moveBusGains(by: 10)
    bus.setting = (0, .seconds(60))
    for _ in 0..<3 { link.ports.moveBusGains(by: 10) }
    bus.setting = (0, .milliseconds(20))
    for expected in [20, 10, 0] {
      link.ports.moveBusGains(by: 10)
      #expect(voice.busGain?.volume.framesLeft == expected)
    }
    #expect(voice.busGain?.volume.current == 0)
  }

  @Test func `a voice waits for enough of a live stream, but not longer than that would take`()
    throws
  {
    let voice = try add(bus)
    let mixer = Mixer(
      period: 10, format: voice.format, events: link.events, volume: BusVolume())
    voice.give([Float](repeating: 0.5, count: 10))
    for _ in 0..<2 { mixer.mix(link.ports, at: 0, held: 0) }
    #expect(voice.isInDropout)
    voice.give([Float](repeating: 0.5, count: 20))
    voice.refill.store(50, ordering: .relaxed)
    #expect(voice.isRefilling(held: 29))
    #expect(!voice.isRefilling(held: 30))
    #expect(link.ports.areStarving(period: 10, held: 0))
    #expect(!link.ports.areStarving(period: 10, held: 30))
    for _ in 0..<5 {
      #expect(voice.isRefilling(held: 0))
      mixer.mix(link.ports, at: 0, held: 0)
    }
    #expect(!voice.isRefilling(held: 0))
    mixer.mix(link.ports, at: 0, held: 0)
    #expect(voice.readableFrames == 10)
  }

  @Test func `when a bus has no voices left, its next voice begins at the new volume`() throws {
    _ = try add(bus)
    link.ports.moveBusGains(by: 10)
    bus.setting = (0, .seconds(60))
    link.ports.moveBusGains(by: 10)
    _ = link.ports.remove(at: 0)
    let next = try add(bus, in: 1)
    link.ports.moveBusGains(by: 10)
    #expect(next.busGain?.volume == SmoothedGain(0))
  }

  @Test func `a later voice adopts the gain of its own bus, not that of another bus`()
    throws
  {
    bus.setting = (0, .zero)
    let other = BusVolume()
    other.setting = (0.25, .zero)
    let first = try add(bus)
    link.ports.moveBusGains(by: 10)
    bus.setting = (1, .milliseconds(40))
    link.ports.moveBusGains(by: 10)
    let voices = [try add(other, in: 1), try add(bus, in: 2), try add(bus, in: 3)]
    for framesLeft in [30, 20] {
      link.ports.moveBusGains(by: 10)
      #expect(first.busGain?.volume.framesLeft == framesLeft)
      #expect(voices[0].busGain?.volume == SmoothedGain(0.25))
      #expect(voices[1].busGain == first.busGain && voices[2].busGain == first.busGain)
    }
    // The removal moves the last voice to the first place in the table.
    _ = link.ports.remove(at: 0)
    link.ports.moveBusGains(by: 10)
    #expect(voices[1].busGain?.volume.framesLeft == 10 && voices[2].busGain == voices[1].busGain)
  }

  @Test func `a bus ramp continues while its voice is paused; a volume set in a pause has no ramp`()
    throws
  {
    let harness = try AudioThreadHarness()
    let voice = try harness.voice([Float](repeating: 0.5, count: 16_000), bus: bus)
    harness.pcm.at(200) { _ in voice.parameters.update { $0.isPaused = true } }
    harness.pcm.at(400) { [bus] _ in bus.setting = (0.5, .seconds(60)) }
    harness.pcm.at(600) { _ in voice.parameters.update { $0.isPaused = false } }
    harness.pcm.at(900) { [bus] _ in bus.setting = (1, .seconds(2)) }
    harness.pcm.at(1_000) { _ in voice.parameters.update { $0.isPaused = true } }
    harness.pcm.at(1_400) { _ in voice.parameters.update { $0.isPaused = false } }
    try harness.run([voice])
    let written = harness.pcm.written
    #expect(written[(800 * 8)..<(880 * 8)].allSatisfy { $0 == 0.25 })
    let resumed = written[(1_525 * 8)..<(1_625 * 8)]
    #expect(resumed.allSatisfy { $0 > 0.3 && $0 < 0.45 }, "\(resumed.first ?? 0)")
  }
}
