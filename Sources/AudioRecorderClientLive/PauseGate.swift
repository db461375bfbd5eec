import AudioCore

/// Leaves out what is heard during a pause, with a short fade at either edge.
struct PauseGate {
  /// What became of a buffer.
  enum Step: Equatable {
    case goesOn
    case paused
    case resumed
  }

  private let fade: FrameCount
  private var wantsPause = false
  private(set) var isPaused = false

  init(fade: FrameCount) {
    self.fade = fade
  }

  mutating func pause() {
    wantsPause = true
  }

  mutating func resume() {
    wantsPause = false
  }

  /// What of a buffer is kept, and whether a pause begins or ends with it.
  mutating func take(_ buffer: AudioBuffer) -> (kept: AudioBuffer?, step: Step) {
    guard !buffer.isEmpty, wantsPause != isPaused else {
      return (isPaused ? nil : buffer, .goesOn)
    }
    isPaused = wantsPause
    let length = min(fade, buffer.frameCount)
    guard isPaused else { return (faded(buffer, over: length, rising: true), .resumed) }
    return (faded(buffer.frames(0..<length), over: length, rising: false), .paused)
  }

  private func faded(
    _ buffer: AudioBuffer, over length: FrameCount, rising: Bool
  ) -> AudioBuffer {
    let channels = buffer.format.channelCount
    var samples = buffer.samples
    for index in 0..<length.rawValue * channels {
      let passed = Float(index / channels + 1) / Float(length.rawValue + 1)
      samples[index] *= rising ? passed : 1 - passed
    }
    return AudioBuffer(format: buffer.format, samples: samples, firstFrame: buffer.firstFrame)
  }
}
