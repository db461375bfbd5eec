import AudioCore
import AudioRecorderClient
import Resampling

/// The only stage between a port and its user: it picks channels of captured blocks, converts them
/// to the requested format, keeps gaps in place, and adds timestamps.
///
/// Successive openings of a device, even in other formats, share one frame count and one clock.
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
  /// The index after the last converted frame; nil before the first frame.
  private var end: FrameCount?
  /// The offset of the resampler's frame numbers, which restart at each opening.
  private var shift: FrameCount = 0
  /// The time without capture before a lost device was opened again; nil for the first opening.
  private var absence: Duration?
  /// The offset of the device's times, which restart at each opening.
  private var origin = Duration.zero
  /// The end of the last block, on the clock of the first opening.
  private var lastTime = Duration.zero
  private var nonFiniteCount = 0
  /// Whether the held frames were delivered since the last block.
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

  /// Records that the device is open again after `absence` without capture.
  ///
  /// If a device is lost again before it delivers a frame, its absence includes the first loss.
  func deviceReturned(after absence: Duration) {
    self.absence = absence
  }

  /// The length of the absence that ends with this block; nil if there is none.
  func gapEnding(with captured: CapturedAudio) -> Duration? {
    absence.map { end == nil ? .zero : $0 + captured.time }
  }

  /// Converts a block in the device's format.
  ///
  /// Before a gap, the held frames are returned, and the block after it contains the gap.
  func process(_ captured: CapturedAudio) throws -> [CapturedAudio] {
    let missed = gapEnding(with: captured)
    absence = nil
    let isGap = end != nil && (captured.gap != nil || missed != nil)
    let hasChanged = restoring?.from ?? device != captured.buffer.format
    let rest = isGap || hasChanged ? try flush() : nil
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

  /// Returns the held frames; nil if there are none.
  func flush() throws -> CapturedAudio? {
    guard !isFlushed else { return nil }
    isFlushed = true
    let restored = try restoring.map { try pick.apply(try $0.resampler.flush()) }
    let last = try restored.map { try resampler.process($0) }
    var rest = try resampler.flush()
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
      buffer: buffer, time: times.advance(by: buffer.frameCount), gap: gap, capturedAt: capturedAt,
      nonFiniteCount: nonFiniteCount)
  }
}

/// The capture times of converted frames, since the capture began.
///
/// At the beginning and after each gap, the times follow the device's clock. In between, they
/// follow the number of frames, because a converter holds frames and a wake-up may be late.
struct CaptureTimes {
  private let rate: SampleRate
  /// The device's time at the beginning of the capture.
  private var began: Duration?
  private var start = Duration.zero
  private var framesSinceStart: FrameCount = 0
  /// The offset by frames and the device's time of the last block.
  private var last = (offset: Duration.zero, time: Duration.zero)

  init(rate: SampleRate) {
    self.rate = rate
  }

  /// Records a captured block.
  ///
  /// - Parameter isGap: whether frames were lost right before it.
  mutating func note(_ captured: CapturedAudio, isGap: Bool) {
    let offset = captured.buffer.firstFrame.duration(at: captured.buffer.format.sampleRate)
    last = (offset, captured.time)
    if began == nil { began = captured.time }
    guard isGap, let began else { return }
    // The time never decreases, even if the estimate of the loss was too low.
    start = max(next, captured.time - began)
    framesSinceStart = 0
  }

  /// Returns the time of the first of the next `frames`.
  mutating func advance(by frames: FrameCount) -> Duration {
    defer { framesSinceStart += frames }
    return next
  }

  /// The device's time at which this frame of the current opening was captured.
  func capturedAt(_ frame: FrameCount) -> Duration {
    max(.zero, last.time + frame.duration(at: rate) - last.offset)
  }

  private var next: Duration { start + framesSinceStart.duration(at: rate) }
}
