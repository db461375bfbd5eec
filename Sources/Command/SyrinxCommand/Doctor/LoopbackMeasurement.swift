import AudioCore
import SoundCard

/// Measures the time from writing a click to a playback device to reading it from a capture device.
///
/// It blocks; run it on a thread of its own.
struct LoopbackMeasurement {
  let playback: any PlaybackPCM
  let capture: any CapturePCM

  private static let settling = Duration.milliseconds(500)
  private static let limit = Duration.seconds(2)

  /// The time; nil if the click does not arrive within two seconds.
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

  /// Writes the whole block, in as many parts as the device takes, and returns whether it did.
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

  /// The number of frames that could be read without waiting.
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

  /// A period at half of full scale.
  private var click: [Float] { silence.map { _ in 0.5 } }
}
