import AudioCore
import AudioRecorderClient
import Resampling

/// Converts captured blocks for one user of a device.
///
/// It picks channels, converts the samples to the requested format, keeps gaps in place, and adds
/// timestamps. The frame count and the clock continue when a lost device is opened again, even in
/// another format. The first block, and each block after a gap, has the time of the clock. The
/// times of other blocks are computed from the number of frames, because held frames and late
/// wake-ups would make the clock's times inaccurate.
final class CaptureConverter {
  /// The format of the converted blocks.
  let format: AudioFormat
  /// The device's format when the device was first opened; after a loss, the format may differ.
  private let device: AudioFormat
  private let picked: AudioFormat
  /// Picks the channels; nil if all are picked.
  private var mapper: ChannelMapper?
  private let resampler: Resampler
  /// Converts from the returned device's format to `device`, in which channels are picked; nil if
  /// the formats are equal.
  private var restoring: (resampler: Resampler, from: AudioFormat)?
  /// The index after the last converted frame; nil before the first frame.
  private var end: FrameCount?
  /// The frame from which times are counted, and its time: the first frame of the capture, or the
  /// first frame after the last gap.
  private var anchor = (frame: FrameCount.zero, time: Duration.zero)
  /// The offset of the resampler's frame numbers, which restart whenever the device is opened.
  private var shift: FrameCount = 0
  /// The time without capture before a lost device was reopened; nil if the device was not lost.
  private var absence: Duration?
  /// The offset of the device's times, which restart whenever the device is opened.
  private var origin = Duration.zero
  /// The time at which the capture began, since the device was first opened; nil before the first
  /// block.
  private var began: Duration?
  /// The times of the last block: `offset` is computed from its frame number; `start` and `end` are
  /// device times, counted from the device's first opening.
  private var last = (offset: Duration.zero, start: Duration.zero, end: Duration.zero)
  private var captureInfo = CaptureInfo()
  /// Whether `flush` was called after the last block.
  private var isFlushed = false

  /// - Parameters:
  ///   - channels: the channels of the device; nil for all.
  ///   - device: the device's format when the device was first opened.
  ///   - format: the requested format.
  init(
    _ channels: [Int]?, of device: AudioFormat, to format: AudioFormat
  ) throws(AudioRecorderError) {
    (self.device, self.format) = (device, format)
    picked = try device.picking(channels)
    mapper = channels.map { ChannelMapper(.channels($0)) }
    do {
      resampler = try Resampler(from: picked, to: format)
    } catch {
      throw .unsupportedFormat(reason: "\(error)")
    }
  }

  /// Records that the device is open again after `absence` without capture.
  ///
  /// If the device is lost again before its first frame, the absence counts from the first loss.
  func deviceReturned(after absence: Duration) {
    self.absence = absence
  }

  /// Returns how long the device was absent before this block; nil if it was not absent.
  func gapEnding(with captured: CapturedAudio) -> Duration? {
    absence.map { end == nil ? .zero : $0 + captured.time }
  }

  /// Converts a block in the device's format.
  ///
  /// Before a gap, the frames held by the converter are returned as a separate block. The block
  /// after the gap reports it in `gap`.
  func process(_ captured: CapturedAudio) throws -> [CapturedAudio] {
    let missed = gapEnding(with: captured)
    absence = nil
    let isGap = end != nil && (captured.gap != nil || missed != nil)
    let hasChanged = restoring?.from ?? device != captured.buffer.format
    let rest = isGap || hasChanged ? try flush() : nil
    if hasChanged { try restore(from: captured.buffer.format) }
    if isFlushed {
      for resampler in [resampler, restoring?.resampler].compactMap(\.self) {
        // If the device was opened again, its frame numbers restart at 0, so the resampler must be
        // reset.
        if missed == nil { try resampler.resume() } else { try resampler.reset() }
      }
      isFlushed = false
    }

    if isGap, let missed { origin = last.end + missed - captured.time }
    var restored = try restoring?.resampler.process(captured.buffer) ?? captured.buffer
    restored.setTime(from: captured.buffer)
    restored.silencedSampleCount = captured.nonFiniteCount
    captureInfo.add(restored)
    note(restored, at: captured.time + origin, lasting: captured.buffer.duration)
    let buffer = try resampler.process(try pick(restored))
    guard isGap, let end else { return [rest, placed(buffer)].compactMap(\.self) }
    if let missed { shift = end + FrameCount(missed, at: format.sampleRate) - buffer.firstFrame }
    // The loss is counted in converted frames, so that the sum with the captured frames is exact.
    let gap = CaptureGap(lost: buffer.firstFrame + shift - end)
    return [rest, placed(buffer, gap: gap)].compactMap(\.self)
  }

  /// Returns the held frames; nil if there are none.
  func flush() throws -> CapturedAudio? {
    guard !isFlushed else { return nil }
    isFlushed = true
    let restored = try restoring.map { try pick(try $0.resampler.flush()) }
    let converted = try restored.map { try resampler.process($0) }
    var rest = try resampler.flush()
    if let converted, !converted.isEmpty {
      rest = AudioBuffer(
        format: format, samples: converted.samples + rest.samples,
        firstFrame: converted.firstFrame)
    }
    return rest.isEmpty ? nil : placed(rest)
  }

  private func restore(from found: AudioFormat) throws {
    restoring = found == device ? nil : (try Resampler(from: found, to: device), found)
  }

  private func pick(_ buffer: AudioBuffer) throws -> AudioBuffer {
    let samples = try mapper?.process(buffer).first?.samples ?? buffer.samples
    return AudioBuffer(format: picked, samples: samples, firstFrame: buffer.firstFrame)
  }

  /// Records the times of a block.
  private func note(_ buffer: AudioBuffer, at time: Duration, lasting length: Duration) {
    last = (buffer.firstFrame.duration(at: buffer.format.sampleRate), time, time + length)
    if began == nil { began = time }
  }

  private func placed(_ buffer: AudioBuffer, gap: CaptureGap? = nil) -> CapturedAudio {
    var buffer = captureInfo.applied(to: buffer)
    let offset = buffer.firstFrame.duration(at: format.sampleRate)
    let capturedAt = max(.zero, last.start + offset - last.offset)
    buffer.firstFrame += shift
    if let end, let began, gap != nil {
      // The time never decreases, even if the estimate of the loss was too low.
      anchor = (buffer.firstFrame, max(time(of: end), last.start - began))
    } else if end == nil {
      anchor = (buffer.firstFrame, .zero)
    }
    end = buffer.endFrame
    return CapturedAudio(
      buffer: buffer, time: time(of: buffer.firstFrame), gap: gap, capturedAt: capturedAt)
  }

  private func time(of frame: FrameCount) -> Duration {
    anchor.time + (frame - anchor.frame).duration(at: format.sampleRate)
  }
}

extension AudioFormat {
  /// Returns the format of the picked channels, or of all channels if `channels` is nil.
  ///
  /// More than two channels are treated as microphones at unknown positions, regardless of the
  /// device's channel names, so a mix includes the low-frequency channel.
  ///
  /// - Throws: `AudioRecorderError.unsupportedFormat` if the device lacks a channel.
  func picking(_ channels: [Int]?) throws(AudioRecorderError) -> AudioFormat {
    try checkChannels(channels, on: self)
    let count = channels?.count ?? channelCount
    let unknown = ChannelLayout(Array(repeating: .unknown, count: max(1, count)))
    return AudioFormat(sampleRate: sampleRate, layout: count > 2 ? unknown : .wav(count))
  }

  /// Returns the format to request from a device.
  ///
  /// If channels are picked, the format has enough channels for them, and at least two: a sound
  /// server or ALSA's `plug` would mix all channels into a single one. Otherwise, the format has
  /// `channelCount` channels, or two if `channelCount` is nil.
  static func requested(
    at rate: SampleRate, picking channels: [Int]?, channelCount: Int?
  ) -> AudioFormat {
    let count = channels.map { max(2, 1 + ($0.max() ?? 0)) } ?? channelCount ?? 2
    return AudioFormat(sampleRate: rate, channelCount: count)
  }
}
