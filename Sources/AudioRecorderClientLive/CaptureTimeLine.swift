import AudioCore
import Resampling

/// A consumer that is told when a device is back.
protocol CaptureAudience: CaptureConsumer {
  func comeBack(_ news: DeviceAudio)
}

/// Joins what is heard from one opening of a device to what was heard from the one before it: one
/// format, one count of frames, one clock.
final class CaptureTimeLine: CaptureConsumer {
  private let consumer: any CaptureAudience
  private let format: AudioFormat
  /// The frame and the time of the device that come next.
  private var nextFrame: FrameCount = 0
  private var nextTime = Duration.zero
  /// The frame at which what is heard from this opening begins.
  private var firstFrame: FrameCount = 0
  /// How long nothing had been heard when the device was lost.
  private var unheard = Duration.zero
  /// What is to be told before the first block of another opening.
  private var absence: Duration?
  /// Where the device's clock began, on that of the first opening.
  private var origin = Duration.zero
  private var resampler: Resampler?

  /// - Parameter format: that of the first opening.
  init(_ consumer: any CaptureAudience, format: AudioFormat) {
    (self.consumer, self.format) = (consumer, format)
  }

  /// Whether something has been heard since the device was lost.
  private(set) var hasReturned = true

  /// The device is lost; nothing of it had been heard for so long.
  ///
  /// Where nothing has been heard since it was last lost, it is away since then.
  ///
  /// - Returns: what tells of it.
  func lose(unheard: Duration) throws -> DeviceAudio {
    try finish()
    if hasReturned { self.unheard = unheard }
    defer { hasReturned = false }
    return news(.lost, missing: 0)
  }

  /// The device is open again, so long after it was lost, in its own format.
  func comeBack(after away: Duration, in format: AudioFormat) throws(ResamplingError) {
    let missed = unheard + away
    (absence, origin) = (missed, nextTime + missed)
    resampler = format == self.format ? nil : try Resampler(from: format, to: self.format)
  }

  func take(_ captured: DeviceAudio) throws -> Bool {
    let isFirst = absence != nil
    if let missed = absence.take() { tellReturn(missed + captured.time) }
    let rate = captured.buffer.format.sampleRate
    if captured.lost > 0 {
      // What is held back was heard before that.
      try giveRest(number: captured.number)
      try resampler?.reset()
    }
    let buffer = try resampler?.process(captured.buffer) ?? captured.buffer
    let heldBack =
      captured.buffer.firstFrame.duration(at: rate)
      - buffer.firstFrame.duration(at: format.sampleRate)
    nextTime = origin + captured.time - heldBack
    // The absence reaches up to this block, whatever the device had before it.
    if isFirst { firstFrame = nextFrame - buffer.firstFrame }
    // Counted from where this opening began: of many small gaps, each rounded, the errors add up.
    let place = captured.lost > 0 ? max(nextFrame, firstFrame + buffer.firstFrame) : nextFrame
    return try give(
      buffer, lost: place - nextFrame, number: captured.number, nonFinite: captured.nonFinite)
  }

  var patience: Duration { consumer.patience }

  func beginRound() { consumer.beginRound() }

  func endRound() throws -> Bool { try consumer.endRound() }

  func finish() throws {
    defer { resampler = nil }
    try giveRest()
  }

  private func giveRest(number: Int = 0) throws {
    guard let rest = try resampler?.finish(), !rest.isEmpty else { return }
    _ = try give(rest, lost: 0, number: number)
  }

  private func tellReturn(_ missed: Duration) {
    let missing = FrameCount(missed, at: format.sampleRate)
    nextFrame += missing
    firstFrame = nextFrame
    hasReturned = true
    consumer.comeBack(news(.returned, missing: missing))
  }

  private func give(
    _ buffer: AudioBuffer, lost: FrameCount, number: Int = 0, nonFinite: Int = 0
  ) throws -> Bool {
    var buffer = buffer
    buffer.firstFrame = nextFrame + lost
    let time = nextTime
    nextFrame = buffer.endFrame
    nextTime += buffer.duration
    return try consumer.take(
      DeviceAudio(
        buffer: buffer, time: time, lost: lost, number: number, nonFinite: nonFinite))
  }

  private func news(_ news: DeviceAudio.News, missing: FrameCount) -> DeviceAudio {
    DeviceAudio(
      buffer: AudioBuffer(silence: 0, format: format, firstFrame: nextFrame), time: nextTime,
      lost: missing, news: news)
  }
}
