import AudioCore

/// When a voice sounds and when it is silent, without a click in between: what the card's thread
/// does with it, block by block.
///
/// It begins at its full gain. A pause, a stop and a flush fade it out; the frames of the fade are
/// taken from it, and no more. Its volume is a gain of its own, which goes on where a fade left it.
struct VoiceTransport: Equatable {
  enum Phase: Equatable {
    /// Nothing of it has been mixed.
    case primed
    case sounding
    case fadingOut
    /// It is paused, or waits for samples in the place of those that were thrown away.
    case silent
    case over
  }

  /// What a voice can give now.
  struct Supply {
    var readable: Int
    /// Whether nothing follows.
    var isComplete: Bool
  }

  private(set) var phase = Phase.primed
  private(set) var wishes: TransportWishes
  private var epoch = 0
  private let rate: SampleRate
  /// Whether the last wish was one for a volume.
  private var awaitsVolume = false
  /// Whether nothing was taken from it since its device was lost.
  private var isUnheard = false
  var volume: GainRamp
  var fade = GainRamp(1)

  init(_ wishes: TransportWishes, rate: SampleRate) {
    self.wishes = wishes
    self.rate = rate
    volume = GainRamp(wishes.gain)
  }

  /// Whether a source that is late is worth waiting for.
  var needsSource: Bool {
    let fadesOutInFull = phase == .fadingOut && wishes.epoch == epoch
    return phase != .over && (!isToBeSilent || fadesOutInFull)
  }

  /// Whether what is wished has come about.
  var isSettled: Bool {
    switch phase {
    case .primed, .fadingOut: false
    case .sounding:
      !isToBeSilent && (isUnheard || fade.isSteady && !(awaitsVolume && !volume.isSteady))
    case .silent:
      (wishes.isPaused || isUnheard) && !wishes.isStopping && wishes.epoch == epoch
    case .over: true
    }
  }

  /// Applies all commands without a fade while the voice is silent and gives nothing; it fades in when
  /// it can sound again.
  mutating func settleUnheard() {
    isUnheard = true
    volume = GainRamp(wishes.gain)
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
    wishes.isPaused || wishes.isStopping || wishes.epoch != epoch
  }

  /// Takes note of what is wished now.
  mutating func wish(_ wishes: TransportWishes) {
    awaitsVolume = wishes.gain != self.wishes.gain || wishes.ramp != self.wishes.ramp
    self.wishes = wishes
    if awaitsVolume { moveVolume() }
  }

  /// Where nobody hears it, it need not be moved.
  private mutating func moveVolume() {
    let isUnheard = phase == .primed || (phase == .silent && wishes.isPaused)
    if isUnheard {
      volume = GainRamp(wishes.gain)
    } else {
      volume.move(to: wishes.gain, in: frames(wishes.ramp))
    }
  }

  /// Whether all that the voice holds is to be thrown away now.
  mutating func flush() -> Bool {
    guard phase == .silent || phase == .primed, epoch != wishes.epoch else { return false }
    epoch = wishes.epoch
    fallSilent()
    return true
  }

  /// How many frames of a block are to be taken from the voice.
  mutating func begin(_ supply: Supply, block: Int) -> Int {
    isUnheard = false
    switch phase {
    case .primed: if isToBeSilent { fallSilent() } else { phase = .sounding }
    case .sounding: if isToBeSilent { fadeOut(supply) }
    case .fadingOut: if isToBeSilent { hurry(supply) } else { fadeIn() }
    case .silent: if !isToBeSilent, supply.isComplete || supply.readable >= block { fadeIn() }
    case .over: break
    }
    if phase == .silent, wishes.isStopping { phase = .over }
    return switch phase {
    case .sounding: block
    case .fadingOut: min(block, fade.framesLeft)
    case .primed, .silent, .over: 0
    }
  }

  /// Takes note of what was taken; nothing follows what is last.
  mutating func end(took frames: Int, of wanted: Int, isLast: Bool) {
    if phase == .sounding, isLast { phase = .over }
    guard phase == .fadingOut, fade.isSteady || frames < wanted else { return }
    fallSilent()
    if wishes.isStopping { phase = .over }
  }

  private mutating func fadeIn() {
    fade.move(to: 1, in: frames(wishes.fade))
    phase = .sounding
  }

  private mutating func fadeOut(_ supply: Supply) {
    fade.move(to: 0, in: length(supply))
    phase = .fadingOut
  }

  private mutating func hurry(_ supply: Supply) {
    fade.arrive(within: length(supply))
  }

  private mutating func fallSilent() {
    fade = GainRamp(0)
    phase = .silent
  }

  /// What is left of a sound may be shorter than a fade.
  private func length(_ supply: Supply) -> Int {
    let length = frames(wishes.fade)
    return supply.isComplete ? min(length, supply.readable) : length
  }

  private func frames(_ duration: Duration) -> Int {
    max(0, FrameCount(duration, at: rate).rawValue)
  }
}
