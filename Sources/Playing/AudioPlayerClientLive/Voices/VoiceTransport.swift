import AudioCore

/// Determines, block by block on the audio thread, whether a voice is audible, and avoids clicks.
///
/// A voice begins at its full gain. A pause, a stop, and a flush fade the voice out. During a
/// fade-out, only the frames of the fade are taken from the voice. Volume is a separate gain; a
/// fade does not reset the volume.
struct VoiceTransport: Equatable {
  enum Phase: Equatable {
    /// No frame of the voice has been mixed.
    case primed
    case sounding
    case fadingOut
    /// The voice is paused, or waits for samples after a flush.
    case silent
    case over
  }

  private(set) var phase = Phase.primed
  private(set) var parameters: VoiceParameters
  private var flushCount = 0
  private let rate: SampleRate
  /// Whether the newest parameters changed the volume.
  ///
  /// If so, the parameters take effect only at the end of the volume ramp.
  private var awaitsVolume = false
  /// Whether nothing has been mixed since the device was lost.
  private var isDeviceSilent = false
  var volume: SmoothedGain
  var fade = SmoothedGain(1)

  init(_ parameters: VoiceParameters, rate: SampleRate) {
    self.parameters = parameters
    self.rate = rate
    volume = SmoothedGain(parameters.gain)
  }

  /// Whether the audio thread should wait for frames if the source is late.
  var needsSource: Bool {
    let fadesOutInFull = phase == .fadingOut && parameters.flushCount == flushCount
    return phase != .over && (!isToBeSilent || fadesOutInFull)
  }

  /// Whether the newest parameters have taken effect.
  var isSettled: Bool {
    switch phase {
    case .primed, .fadingOut: false
    case .sounding:
      !isToBeSilent && (isDeviceSilent || fade.isSteady && !(awaitsVolume && !volume.isSteady))
    case .silent:
      (parameters.isPaused || isDeviceSilent) && !parameters.isStopping
        && parameters.flushCount == flushCount
    case .over: true
    }
  }

  /// Puts the parameters into effect without a fade while the device plays nothing; the voice fades
  /// in when the device plays again.
  mutating func settleInSilence() {
    isDeviceSilent = true
    volume = SmoothedGain(parameters.gain)
    switch phase {
    case .primed, .sounding, .fadingOut:
      if isToBeSilent {
        fallSilent()
      } else if phase == .fadingOut {
        phase = .silent
      }
    case .silent, .over: break
    }
  }

  private var isToBeSilent: Bool {
    parameters.isPaused || parameters.isStopping || parameters.flushCount != flushCount
  }

  /// Applies new parameters.
  mutating func apply(_ parameters: VoiceParameters) {
    awaitsVolume =
      parameters.gain != self.parameters.gain || parameters.ramp != self.parameters.ramp
    self.parameters = parameters
    if awaitsVolume { moveVolume() }
  }

  /// Ramps to the new volume; before the voice begins and during a pause, sets it at once.
  private mutating func moveVolume() {
    if phase == .primed || (phase == .silent && parameters.isPaused) {
      volume = SmoothedGain(parameters.gain)
    } else {
      volume.move(to: parameters.gain, in: frames(parameters.ramp))
    }
  }

  /// Returns whether to discard the ring's content now.
  mutating func flush() -> Bool {
    guard phase == .silent || phase == .primed, flushCount != parameters.flushCount else {
      return false
    }
    flushCount = parameters.flushCount
    fallSilent()
    return true
  }

  /// Begins a block; returns the number of frames to take from the voice.
  ///
  /// - Parameters:
  ///   - readable: the frames that the voice has now.
  ///   - isComplete: whether no more frames follow.
  ///   - block: the length of the block.
  mutating func begin(readable: Int, isComplete: Bool, block: Int) -> Int {
    isDeviceSilent = false
    // If the sound ends before the fade does, the fade is shortened.
    let length = frames(parameters.fade)
    let fadeOut = isComplete ? min(length, readable) : length
    switch phase {
    case .primed: if isToBeSilent { fallSilent() } else { phase = .sounding }
    case .sounding:
      if isToBeSilent {
        fade.move(to: 0, in: fadeOut)
        phase = .fadingOut
      }
    case .fadingOut: if isToBeSilent { fade.arrive(within: fadeOut) } else { fadeIn() }
    case .silent: if !isToBeSilent, isComplete || readable >= block { fadeIn() }
    case .over: break
    }
    if phase == .silent, parameters.isStopping { phase = .over }
    return switch phase {
    case .sounding: block
    case .fadingOut: min(block, fade.framesLeft)
    case .primed, .silent, .over: 0
    }
  }

  /// Ends a block that took `frames` of the `wanted` frames; `isLast` means that no audio follows.
  mutating func end(took frames: Int, of wanted: Int, isLast: Bool) {
    if phase == .sounding, isLast { phase = .over }
    guard phase == .fadingOut, fade.isSteady || frames < wanted else { return }
    fallSilent()
    if parameters.isStopping { phase = .over }
  }

  private mutating func fadeIn() {
    fade.move(to: 1, in: frames(parameters.fade))
    phase = .sounding
  }

  private mutating func fallSilent() {
    fade = SmoothedGain(0)
    phase = .silent
  }

  private func frames(_ duration: Duration) -> Int {
    max(0, FrameCount(duration, at: rate).rawValue)
  }
}
