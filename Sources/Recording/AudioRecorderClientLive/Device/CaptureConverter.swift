import AudioCore
import AudioRecorderClient
import Resampling

/// Picks channels of captured blocks, converts them to the requested format, keeps gaps in place, and
/// dates every block; the only stage between a port and its user.
///
/// Successive openings of a device, also in other formats, have one frame count and one clock.
final class CaptureConverter {
  /// The format of the converted blocks.
  let format: AudioFormat
  /// The format of the device's first opening.
  private let device: AudioFormat
  private var pick: ChannelPick
  private let resampler: Resampler
  /// Restores the first opening's format, in which channels are picked.
  private var restoring: (resampler: Resampler, from: AudioFormat)?
  private var times: CaptureTimes
  /// The frame after the last converted one; nil before the first.
  private var end: FrameCount?
  /// Added to the resampler's frame numbers, which begin anew with each opening.
  private var shift: FrameCount = 0
  /// How long a device that returned did not capture before it was open.
  private var absence: Duration?
  /// Added to the device's times, which begin anew with each opening.
  private var origin = Duration.zero
  /// The end of the last block, on the clock of the first opening.
  private var lastTime = Duration.zero
  private var nonFiniteCount = 0
  /// Whether the held-back frames were delivered since the last block.
  private var isFlushed = false

  /// - Parameters:
  ///   - pick: the channels of the device.
  ///   - device: the format of the device's first opening.
  ///   - format: the requested format.
  init(
    _ pick: ChannelPick, of device: AudioFormat, to format: AudioFormat
  ) throws(AudioRecorderError) {
    (self.pick, self.device, self.format) = (pick, device, format)
    do {
      resampler = try Resampler(from: pick.format, to: format)
    } catch {
      throw .unsupportedFormat(reason: "\(error)")
    }
    times = CaptureTimes(rate: format.sampleRate)
  }

  /// Notes that the device is open again; it did not capture for `absence`.
  ///
  /// A device that is lost again before it delivered a frame is away since the first loss.
  func deviceReturned(after absence: Duration) {
    self.absence = absence
  }

  /// The length of the absence that ends with this block; nil if none does.
  func gapEnding(with captured: CapturedAudio) -> Duration? {
    absence.map { end == nil ? .zero : $0 + captured.time }
  }

  /// Converts a block in the device's format; before a gap come the held-back frames, and the block after
  /// it has the gap.
  func process(_ captured: CapturedAudio) throws -> [CapturedAudio] {
    let missed = gapEnding(with: captured)
    absence = nil
    let isGap = end != nil && (captured.gap != nil || missed != nil)
    let hasChanged = restoring?.from ?? device != captured.buffer.format
    let rest = isGap || hasChanged ? try finish() : nil
    if hasChanged { try restore(from: captured.buffer.format) }
    if isFlushed {
      for resampler in [resampler, restoring?.resampler].compactMap(\.self) {
        // Each opening of a device counts its own frames.
        if missed == nil { try resampler.resume() } else { try resampler.reset() }
      }
      isFlushed = false
    }

    var captured = captured
    if isGap, let missed { origin = lastTime + missed - captured.time }
    captured.time += origin
    lastTime = captured.time + captured.buffer.duration
    nonFiniteCount += captured.nonFiniteCount
    captured.buffer = try restoring?.resampler.process(captured.buffer) ?? captured.buffer
    times.note(captured, isGap: isGap)
    let buffer = try resampler.process(try pick.apply(captured.buffer))
    guard isGap, let end else { return [rest, placed(buffer)].compactMap(\.self) }
    if let missed { shift = end + FrameCount(missed, at: format.sampleRate) - buffer.firstFrame }
    // Counted between converted frames, so that lost and captured frames add up.
    let gap = CaptureGap(lost: buffer.firstFrame + shift - end)
    return [rest, placed(buffer, gap: gap)].compactMap(\.self)
  }

  /// The frames that are held back; nil if there are none.
  func finish() throws -> CapturedAudio? {
    guard !isFlushed else { return nil }
    isFlushed = true
    let restored = try restoring.map { try pick.apply(try $0.resampler.finish()) }
    let last = try restored.map { try resampler.process($0) }
    var rest = try resampler.finish()
    if let last, !last.isEmpty {
      rest = AudioBuffer(
        format: format, samples: last.samples + rest.samples, firstFrame: last.firstFrame)
    }
    return rest.isEmpty ? nil : placed(rest)
  }

  private func restore(from found: AudioFormat) throws {
    restoring = found == device ? nil : (try Resampler(from: found, to: device), found)
  }

  private func placed(_ buffer: AudioBuffer, gap: CaptureGap? = nil) -> CapturedAudio {
    var buffer = buffer
    let capturedAt = times.capturedAt(buffer.firstFrame)
    buffer.firstFrame += shift
    end = buffer.endFrame
    defer { nonFiniteCount = 0 }
    return CapturedAudio(
      buffer: buffer, time: times.take(buffer.frameCount), gap: gap, capturedAt: capturedAt,
      nonFiniteCount: nonFiniteCount)
  }
}

/// The capture times of converted frames, since the capture began.
///
/// The device's clock counts at the beginning and after each gap, and the number of frames in between:
/// a converter holds frames back, and a wake-up may be late.
struct CaptureTimes {
  private let rate: SampleRate
  /// The device's time when the capture began.
  private var began: Duration?
  private var start = Duration.zero
  private var framesSinceStart: FrameCount = 0
  /// The offset by frames and the device's time of the last block.
  private var last = (offset: Duration.zero, time: Duration.zero)

  init(rate: SampleRate) {
    self.rate = rate
  }

  /// Notes a captured block.
  ///
  /// - Parameter isGap: whether frames were lost right before it.
  mutating func note(_ captured: CapturedAudio, isGap: Bool) {
    let offset = captured.buffer.firstFrame.duration(at: captured.buffer.format.sampleRate)
    last = (offset, captured.time)
    if began == nil { began = captured.time }
    guard isGap, let began else { return }
    // Time never goes back, even if the estimate of the loss was too low.
    start = max(next, captured.time - began)
    framesSinceStart = 0
  }

  /// The time of the first of the next `frames`.
  mutating func take(_ frames: FrameCount) -> Duration {
    defer { framesSinceStart += frames }
    return next
  }

  /// When this frame of the present opening was captured, in the device's time.
  func capturedAt(_ frame: FrameCount) -> Duration {
    max(.zero, last.time + frame.duration(at: rate) - last.offset)
  }

  private var next: Duration { start + framesSinceStart.duration(at: rate) }
}
