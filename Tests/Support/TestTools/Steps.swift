package import AudioCore

/// Test audio at 1,000 Hz, so that a frame lasts a millisecond.
package enum Steps {
  package static let format = AudioFormat(sampleRate: 1_000, channelCount: 1)

  /// Returns a 500 Hz square wave whose amplitude changes with each step; `offset` is added to all
  /// samples.
  package static func audio(
    _ steps: (amplitude: Float, frames: Int)..., offset: Float = 0
  ) -> AudioBuffer {
    let samples = steps.flatMap { step in
      (0..<step.frames).map { offset + ($0.isMultiple(of: 2) ? step.amplitude : -step.amplitude) }
    }
    return AudioBuffer(format: format, samples: samples)
  }
}

extension AudioBuffer {
  /// Returns the buffer in pieces of at most `size` frames.
  package func cut(_ size: Int) -> [AudioBuffer] {
    stride(from: 0, to: frameCount.rawValue, by: size).map {
      frames(FrameCount($0)..<FrameCount(min($0 + size, frameCount.rawValue)))
    }
  }
}
