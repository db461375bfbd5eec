import AudioCore
import Resampling

/// Joins the audio of successive openings of a device: one format, one frame count, one clock.
final class CaptureTimeline: CaptureConsumer {
  private let consumer: any CaptureConsumer
  private let format: AudioFormat
  /// The index and the time of the next frame.
  private var nextFrame: FrameCount = 0
  private var nextTime = Duration.zero
  /// The frame at which this opening begins.
  private var firstFrame: FrameCount = 0
  /// The time since the last captured frame when the device was lost.
  private var withoutAudio = Duration.zero
  /// The length of the absence, to report before the first block of a new opening.
  private var absence: Duration?
  /// The start of this opening's clock, on that of the first opening.
  private var origin = Duration.zero
  private var resampler: Resampler?

  /// - Parameter format: the format of the first opening.
  init(_ consumer: any CaptureConsumer, format: AudioFormat) {
    (self.consumer, self.format) = (consumer, format)
  }

  /// Whether a frame was captured since the device was lost.
  private(set) var hasReturned = true

  /// Notes that the device is lost, and that its last frame is so old.
  ///
  /// A device that is lost again before it delivered a frame is away since the first loss.
  ///
  /// - Returns: the event to report.
  func lose(withoutAudio: Duration) throws -> DeviceAudio {
    try finish()
    if hasReturned { self.withoutAudio = withoutAudio }
    defer { hasReturned = false }
    return event(.lost, missing: 0)
  }

  /// Records that the device is open again, in its own format, `gap` after the loss.
  func reopen(after away: Duration, in format: AudioFormat) throws(ResamplingError) {
    let missed = withoutAudio + away
    (absence, origin) = (missed, nextTime + missed)
    resampler = format == self.format ? nil : try Resampler(from: format, to: self.format)
  }

  func take(_ captured: DeviceAudio) throws -> Bool {
    let isFirst = absence != nil
    if let missed = absence.take() { try reportReturn(missed + captured.time) }
    let rate = captured.buffer.format.sampleRate
    if captured.lost > 0 {
      // Frames in the resampler were captured before the loss.
      try deliverRest(number: captured.number)
      try resampler?.reset()
    }
    let buffer = try resampler?.process(captured.buffer) ?? captured.buffer
    let heldBack =
      captured.buffer.firstFrame.duration(at: rate)
      - buffer.firstFrame.duration(at: format.sampleRate)
    nextTime = origin + captured.time - heldBack
    // The absence ends at this block.
    if isFirst { firstFrame = nextFrame - buffer.firstFrame }
    // Counted from the start of this opening: the rounding errors of many small gaps would add up.
    let place = captured.lost > 0 ? max(nextFrame, firstFrame + buffer.firstFrame) : nextFrame
    return try deliver(
      buffer, lost: place - nextFrame, number: captured.number, nonFinite: captured.nonFinite)
  }

  var batchDuration: Duration { consumer.batchDuration }

  func beginRound() { consumer.beginRound() }

  func endRound() throws -> Bool { try consumer.endRound() }

  func finish() throws {
    defer { resampler = nil }
    try deliverRest()
  }

  private func deliverRest(number: Int = 0) throws {
    guard let rest = try resampler?.finish(), !rest.isEmpty else { return }
    _ = try deliver(rest, lost: 0, number: number)
  }

  /// The consumer's answer is ignored: the first block follows in any case, and its answer counts.
  private func reportReturn(_ missed: Duration) throws {
    let missing = FrameCount(missed, at: format.sampleRate)
    nextFrame += missing
    firstFrame = nextFrame
    hasReturned = true
    _ = try consumer.take(event(.returned, missing: missing))
  }

  private func deliver(
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

  private func event(_ event: DeviceAudio.Event, missing: FrameCount) -> DeviceAudio {
    DeviceAudio(
      buffer: AudioBuffer(silence: 0, format: format, firstFrame: nextFrame), time: nextTime,
      lost: missing, event: event)
  }
}
