import AudioCore
import Testing

@testable import AudioPlayerClientLive

/// At the rate of 1 kHz, a fade of 10 ms has 10 frames; each block has 8 frames.
@Suite struct VoiceTransportTests {
  private var sounding: VoiceTransport {
    var transport = VoiceTransport(VoiceParameters(gain: 1), rate: 1_000)
    _ = step(&transport)
    return transport
  }

  /// Mixes a block, and returns the number of frames taken from the voice.
  private func step(
    _ transport: inout VoiceTransport, readable: Int = 100, isComplete: Bool = false
  ) -> Int {
    let wanted = transport.begin(readable: readable, isComplete: isComplete, block: 8)
    let frames = min(wanted, readable)
    transport.volume.skip(frames)
    transport.fade.skip(frames)
    let isLast = transport.phase == .sounding && isComplete && frames < wanted
    transport.end(took: frames, of: wanted, isLast: isLast)
    return frames
  }

  private func set(
    _ transport: inout VoiceTransport, _ change: (inout VoiceParameters) -> Void
  ) {
    var parameters = transport.parameters
    change(&parameters)
    transport.apply(parameters)
  }

  @Test func `a voice begins at its full gain`() {
    let transport = sounding
    #expect(transport.phase == .sounding)
    #expect(transport.volume == SmoothedGain(1) && transport.fade == SmoothedGain(1))
    #expect(transport.isSettled)
  }

  @Test func `a pause takes only the frames of its fade from the source`() {
    var transport = sounding
    set(&transport) { $0.isPaused = true }
    #expect(!transport.needsSource && !transport.isSettled)
    #expect((0..<4).map { _ in step(&transport) } == [8, 2, 0, 0])
    #expect(transport.phase == .silent && transport.isSettled)
    set(&transport) { $0.isPaused = false }
    #expect(!transport.isSettled)
    #expect((0..<2).map { _ in step(&transport) } == [8, 8])
    #expect(transport.phase == .sounding && transport.isSettled)
  }

  @Test func `a resume during a fade-out reverses the fade`() {
    var transport = sounding
    set(&transport) { $0.isPaused = true }
    _ = step(&transport)
    let gain = transport.fade.current
    set(&transport) { $0.isPaused = false }
    #expect(step(&transport) == 8)
    #expect(transport.phase == .sounding)
    #expect(gain > 0.1 && gain < 0.3 && transport.fade.current > gain)
  }

  @Test func `a voice paused before it begins is silent`() {
    var transport = VoiceTransport(VoiceParameters(isPaused: true, gain: 1), rate: 1_000)
    #expect(step(&transport) == 0)
    #expect(transport.phase == .silent && transport.isSettled)
  }

  @Test func `a stop fades out within a block, and ends a silent voice at once`() {
    var transport = sounding
    set(&transport) { $0.isStopping = true }
    #expect(step(&transport) == 8)
    #expect(step(&transport) == 2)
    #expect(transport.phase == .over)
    var paused = sounding
    set(&paused) { $0.isPaused = true }
    while paused.phase != .silent { _ = step(&paused) }
    set(&paused) { $0.isStopping = true }
    #expect(step(&paused) == 0)
    #expect(paused.phase == .over)
  }

  @Test func `a stop with a short fade shortens a longer fade`() {
    var transport = sounding
    set(&transport) { ($0.isPaused, $0.fade) = (true, .seconds(10)) }
    _ = step(&transport)
    set(&transport) { ($0.isStopping, $0.fade) = (true, .milliseconds(4)) }
    #expect(step(&transport) == 4)
    #expect(transport.phase == .over)
  }

  @Test func `the fade of a pause is shortened to the rest of the voice`() {
    var transport = sounding
    set(&transport) { $0.isPaused = true }
    #expect(step(&transport, readable: 3, isComplete: true) == 3)
    #expect(transport.phase == .silent && transport.fade.current == 0)
  }

  @Test func `a fade-out needs frames of a late source, but a flush does not`() {
    for change: (inout VoiceParameters) -> Void in [
      { $0.isPaused = true }, { $0.isStopping = true },
    ] {
      var transport = sounding
      set(&transport, change)
      #expect(!transport.needsSource)
      _ = step(&transport)
      #expect(transport.phase == .fadingOut && transport.needsSource)
      _ = step(&transport)
      #expect(!transport.needsSource)
    }
    var flushed = sounding
    set(&flushed) { $0.flushCount = 1 }
    _ = step(&flushed)
    #expect(flushed.phase == .fadingOut && !flushed.needsSource)
  }

  @Test func `a fade ends early if the source has no more frames`() {
    var transport = sounding
    set(&transport) { $0.isPaused = true }
    #expect(step(&transport, readable: 3) == 3)
    #expect(transport.phase == .silent)
    #expect(transport.fade == SmoothedGain(0))
  }

  @Test func `a flush waits for the end of the fade, and the voice resumes with a full block`() {
    var transport = sounding
    set(&transport) { $0.flushCount += 1 }
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

  @Test func `a flush during a pause needs no fade and is silent`() {
    var transport = sounding
    set(&transport) { $0.isPaused = true }
    while transport.phase != .silent { _ = step(&transport) }
    set(&transport) { $0.flushCount += 1 }
    #expect(!transport.isSettled)
    let isDue = transport.flush()
    #expect(isDue && transport.isSettled)
    #expect(step(&transport) == 0)
  }

  @Test func `the last frame ends a voice, but not during a pause`() {
    var transport = sounding
    #expect(step(&transport, readable: 3, isComplete: true) == 3)
    #expect(transport.phase == .over)
    var paused = sounding
    set(&paused) { $0.isPaused = true }
    while paused.phase != .silent { _ = step(&paused) }
    #expect(step(&paused, readable: 0, isComplete: true) == 0)
    #expect(paused.phase == .silent)
    set(&paused) { $0.isPaused = false }
    _ = step(&paused, readable: 0, isComplete: true)
    #expect(paused.phase == .over)
  }

  @Test func `a shorter ramp to the same volume shortens the current ramp of a voice`() {
    var transport = sounding
    set(&transport) { ($0.gain, $0.ramp) = (0, .seconds(60)) }
    _ = step(&transport)
    set(&transport) { $0.ramp = .milliseconds(16) }
    for _ in 0..<2 { _ = step(&transport) }
    #expect(transport.volume.isSteady && transport.volume.current == 0)
  }

  @Test func `a volume ramp continues after a pause at the same pace`() {
    var transport = sounding
    set(&transport) { ($0.gain, $0.ramp) = (0, .milliseconds(100)) }
    _ = step(&transport)
    set(&transport) { $0.isPaused = true }
    while transport.phase != .silent { _ = step(&transport) }
    #expect(transport.volume.framesLeft == 82 && transport.isSettled)
    set(&transport) { $0.isPaused = false }
    for _ in 0..<2 { _ = step(&transport) }
    #expect(transport.volume.framesLeft == 66)
    #expect(transport.phase == .sounding && transport.isSettled)
  }

  @Test func `a volume that is set during a flush is ramped`() {
    var transport = sounding
    set(&transport) { $0.flushCount += 1 }
    while transport.phase != .silent { _ = step(&transport) }
    set(&transport) { ($0.gain, $0.ramp) = (0, .seconds(60)) }
    #expect(transport.volume.current == 1)
  }

  @Test func `a volume is ramped while a voice sounds and set at once while it is silent`() {
    var transport = sounding
    set(&transport) { ($0.gain, $0.ramp) = (0.5, .milliseconds(16)) }
    _ = step(&transport)
    #expect(transport.volume.current == 0.75 && !transport.isSettled)
    set(&transport) { $0.isPaused = true }
    while transport.phase != .silent { _ = step(&transport) }
    set(&transport) { $0.gain = 0.25 }
    set(&transport) { $0.isPaused = false }
    for _ in 0..<2 { _ = step(&transport) }
    #expect(transport.volume.current == 0.25)
  }
}
