import AudioCore
import Resampling

/// The steps of a conversion, one after another.
struct ConversionChain {
  private var resampler: StreamResampler
  private var trimmer: SilenceTrimmer?
  private var amplifier: Amplifier?
  private var fader: Fader?
  private var limiter: TruePeakLimiter?
  private(set) var silencedSampleCount = 0

  /// - Parameters:
  ///   - gain: the gain of every sample.
  ///   - isLimited: whether the peaks of the result are limited.
  init(_ conversion: AudioConversion, to format: AudioFormat, gain: Float, isLimited: Bool) {
    resampler = StreamResampler(to: format)
    trimmer = conversion.trimming.map(SilenceTrimmer.init)
    if gain != 1 { amplifier = Amplifier(GainRamp(constant: gain)) }
    if conversion.fadeIn > .zero || conversion.fadeOut > .zero {
      fader = Fader(fadeIn: conversion.fadeIn, fadeOut: conversion.fadeOut)
    }
    if isLimited { limiter = TruePeakLimiter(format) }
  }

  /// The lowest gain of the limiter; 1 if it changed nothing.
  var lowestGain: Float { limiter?.lowestGain ?? 1 }

  mutating func take(_ buffer: AudioBuffer) throws -> [AudioBuffer] {
    var buffer = buffer
    silencedSampleCount += buffer.silenceNonFinite()?.count ?? 0
    return try process(try resampler.take(buffer), isLast: false)
  }

  mutating func finish() throws -> [AudioBuffer] {
    try process(try resampler.finish(), isLast: true)
  }

  private mutating func process(_ buffers: [AudioBuffer], isLast: Bool) throws -> [AudioBuffer] {
    var buffers = buffers
    try step(&trimmer, &buffers, isLast)
    try step(&amplifier, &buffers, isLast)
    try step(&fader, &buffers, isLast)
    try step(&limiter, &buffers, isLast)
    return buffers
  }

  private func step<Step: AudioProcessor>(
    _ processor: inout Step?, _ buffers: inout [AudioBuffer], _ isLast: Bool
  ) throws where Step.Output == AudioBuffer {
    guard var step = processor else { return }
    buffers = try buffers.flatMap { try step.take($0) }
    if isLast { buffers += try step.finish() }
    processor = step
  }
}

/// Divides the audio into parts.
struct ConversionDivider {
  private let every: FrameCount?
  private var splitter: SilenceSplitter?
  private var filled: FrameCount = 0

  /// An item for the writer.
  enum Item: Sendable {
    case audio(AudioBuffer)
    /// The next item belongs to another file.
    case nextPart
  }

  init(_ division: AudioConversion.Division?, rate: SampleRate) {
    switch division {
    case .every(let length): every = max(1, FrameCount(length, at: rate))
    case .silence(let policy):
      every = nil
      splitter = SilenceSplitter(policy)
    case nil: every = nil
    }
  }

  mutating func take(_ buffer: AudioBuffer) -> [Item] {
    if let parts = splitter?.take(buffer) { return parts.compactMap(item) }
    guard let every else { return [.audio(buffer)] }
    var items: [Item] = []
    var position: FrameCount = 0
    while position < buffer.frameCount {
      if filled == every {
        items.append(.nextPart)
        filled = 0
      }
      let end = min(buffer.frameCount, position + every - filled)
      items.append(.audio(buffer.frames(position..<end)))
      filled += end - position
      position = end
    }
    return items
  }

  mutating func finish() -> [Item] { (splitter?.finish() ?? []).compactMap(item) }

  private func item(_ part: SoundPart) -> Item? {
    switch part {
    case .began: nil
    case .audio(let buffer): .audio(buffer)
    case .ended: .nextPart
    }
  }
}
