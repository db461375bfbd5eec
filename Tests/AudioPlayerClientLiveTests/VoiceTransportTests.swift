import AudioCore
import Testing

@testable import AudioPlayerClientLive

/// At 1 kHz a fade of 10 ms is 10 frames; a block is 8.
@Suite struct VoiceTransportTests {
  private typealias Supply = VoiceTransport.Supply

  private var sounding: VoiceTransport {
    var transport = VoiceTransport(TransportWishes(gain: 1), rate: 1_000)
    _ = step(&transport)
    return transport
  }

  /// Mixes a block; returns how many frames were taken of the voice.
  private func step(
    _ transport: inout VoiceTransport, readable: Int = 100, isComplete: Bool = false
  ) -> Int {
    let wanted = transport.begin(Supply(readable: readable, isComplete: isComplete), block: 8)
    let frames = min(wanted, readable)
    transport.volume.skip(frames)
    transport.fade.skip(frames)
    let isLast = transport.phase == .sounding && isComplete && frames < wanted
    transport.end(took: frames, of: wanted, isLast: isLast)
    return frames
  }

  private func wish(
    _ transport: inout VoiceTransport, _ change: (inout TransportWishes) -> Void
  ) {
    var wishes = transport.wishes
    change(&wishes)
    transport.wish(wishes)
  }

  @Test func `it begins at its full gain`() {
    let transport = sounding
    #expect(transport.phase == .sounding)
    #expect(transport.volume == GainRamp(1) && transport.fade == GainRamp(1))
    #expect(transport.isSettled)
  }

  @Test func `a pause takes the frames of its fade and no more`() {
    var transport = sounding
    wish(&transport) { $0.isPaused = true }
    #expect(!transport.needsSource && !transport.isSettled)
    #expect((0..<4).map { _ in step(&transport) } == [8, 2, 0, 0])
    #expect(transport.phase == .silent && transport.isSettled)
    wish(&transport) { $0.isPaused = false }
    #expect(!transport.isSettled)
    #expect((0..<2).map { _ in step(&transport) } == [8, 8])
    #expect(transport.phase == .sounding && transport.isSettled)
  }

  @Test func `a resume while it fades out turns round where it is`() {
    var transport = sounding
    wish(&transport) { $0.isPaused = true }
    _ = step(&transport)
    let gain = transport.fade.current
    wish(&transport) { $0.isPaused = false }
    #expect(step(&transport) == 8)
    #expect(transport.phase == .sounding)
    #expect(gain > 0.1 && gain < 0.3 && transport.fade.current > gain)
  }

  @Test func `what is paused before it begins is silent from its first frame on`() {
    var transport = VoiceTransport(TransportWishes(isPaused: true, gain: 1), rate: 1_000)
    #expect(step(&transport) == 0)
    #expect(transport.phase == .silent && transport.isSettled)
  }

  @Test func `a stop fades out and is over within the block, and at once where it is silent`() {
    var transport = sounding
    wish(&transport) { $0.isStopping = true }
    #expect(step(&transport) == 8)
    #expect(step(&transport) == 2)
    #expect(transport.phase == .over)
    var paused = sounding
    wish(&paused) { $0.isPaused = true }
    while paused.phase != .silent { _ = step(&paused) }
    wish(&paused) { $0.isStopping = true }
    #expect(step(&paused) == 0)
    #expect(paused.phase == .over)
  }

  @Test func `a stop that is in a hurry shortens a fade that is not`() {
    var transport = sounding
    wish(&transport) { ($0.isPaused, $0.fade) = (true, .seconds(10)) }
    _ = step(&transport)
    wish(&transport) { ($0.isStopping, $0.fade) = (true, .milliseconds(4)) }
    #expect(step(&transport) == 4)
    #expect(transport.phase == .over)
  }

  @Test func `a fade is no longer than what is left of the sound`() {
    var transport = sounding
    wish(&transport) { $0.isPaused = true }
    #expect(step(&transport, readable: 3, isComplete: true) == 3)
    #expect(transport.phase == .silent && transport.fade.current == 0)
  }

  @Test func `what a pause or a stop fades out with is waited for, and what is thrown away is not`()
  {
    for change: (inout TransportWishes) -> Void in [
      { $0.isPaused = true }, { $0.isStopping = true },
    ] {
      var transport = sounding
      wish(&transport, change)
      #expect(!transport.needsSource)
      _ = step(&transport)
      #expect(transport.phase == .fadingOut && transport.needsSource)
      _ = step(&transport)
      #expect(!transport.needsSource)
    }
    var flushed = sounding
    wish(&flushed) { $0.epoch = 1 }
    _ = step(&flushed)
    #expect(flushed.phase == .fadingOut && !flushed.needsSource)
  }

  @Test func `a source that runs dry in a fade ends it`() {
    var transport = sounding
    wish(&transport) { $0.isPaused = true }
    #expect(step(&transport, readable: 3) == 3)
    #expect(transport.phase == .silent)
    #expect(transport.fade == GainRamp(0))
  }

  @Test func `a flush comes after the fade, and the sound when there is a block of it again`() {
    var transport = sounding
    wish(&transport) { $0.epoch += 1 }
    let early = transport.flush()
    #expect(!early)
    while transport.phase != .silent { _ = step(&transport) }
    #expect(!transport.needsSource)
    let due = transport.flush()
    let again = transport.flush()
    #expect(due && !again && transport.needsSource)
    #expect(step(&transport, readable: 7) == 0)
    #expect(step(&transport, readable: 8) == 8)
    #expect(transport.phase == .sounding)
  }

  @Test func `a flush while it is paused needs no fade and makes no sound`() {
    var transport = sounding
    wish(&transport) { $0.isPaused = true }
    while transport.phase != .silent { _ = step(&transport) }
    wish(&transport) { $0.epoch += 1 }
    #expect(!transport.isSettled)
    let isDue = transport.flush()
    #expect(isDue && transport.isSettled)
    #expect(step(&transport) == 0)
  }

  @Test func `the last frame ends it, but not while it is paused`() {
    var transport = sounding
    #expect(step(&transport, readable: 3, isComplete: true) == 3)
    #expect(transport.phase == .over)
    var paused = sounding
    wish(&paused) { $0.isPaused = true }
    while paused.phase != .silent { _ = step(&paused) }
    #expect(step(&paused, readable: 0, isComplete: true) == 0)
    #expect(paused.phase == .silent)
    wish(&paused) { $0.isPaused = false }
    _ = step(&paused, readable: 0, isComplete: true)
    #expect(paused.phase == .over)
  }

  @Test func `a volume on its way is reached sooner where it is to`() {
    var transport = sounding
    wish(&transport) { ($0.gain, $0.ramp) = (0, .seconds(60)) }
    _ = step(&transport)
    wish(&transport) { $0.ramp = .milliseconds(16) }
    for _ in 0..<2 { _ = step(&transport) }
    #expect(transport.volume.isSteady && transport.volume.current == 0)
  }

  @Test func `a volume on its way goes on where a pause left it, at the same pace`() {
    var transport = sounding
    wish(&transport) { ($0.gain, $0.ramp) = (0, .milliseconds(100)) }
    _ = step(&transport)
    wish(&transport) { $0.isPaused = true }
    while transport.phase != .silent { _ = step(&transport) }
    #expect(transport.volume.framesLeft == 82 && transport.isSettled)
    wish(&transport) { $0.isPaused = false }
    for _ in 0..<2 { _ = step(&transport) }
    #expect(transport.volume.framesLeft == 66)
    #expect(transport.phase == .sounding && transport.isSettled)
  }

  @Test func `a volume that is set while it seeks is not jumped to`() {
    var transport = sounding
    wish(&transport) { $0.epoch += 1 }
    while transport.phase != .silent { _ = step(&transport) }
    wish(&transport) { ($0.gain, $0.ramp) = (0, .seconds(60)) }
    #expect(transport.volume.current == 1)
  }

  @Test func `a volume is moved to while it sounds, and taken over where it is silent`() {
    var transport = sounding
    wish(&transport) { ($0.gain, $0.ramp) = (0.5, .milliseconds(16)) }
    _ = step(&transport)
    #expect(transport.volume.current == 0.75 && !transport.isSettled)
    wish(&transport) { $0.isPaused = true }
    while transport.phase != .silent { _ = step(&transport) }
    wish(&transport) { $0.gain = 0.25 }
    wish(&transport) { $0.isPaused = false }
    for _ in 0..<2 { _ = step(&transport) }
    #expect(transport.volume.current == 0.25)
  }
}
