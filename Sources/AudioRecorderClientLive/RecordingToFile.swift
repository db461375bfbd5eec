import AudioCore
import AudioRecorderClient
import Foundation
import Resampling
import SoundFile

/// A consumer that writes a file: converted, with silence for what was lost, cut at the length
/// asked for.
final class RecordingToFile: CaptureConsumer {
  private let writer: SoundFileWriter
  private let resampler: Resampler
  private let url: URL
  private let limit: FrameCount?
  private let report: (RecordingEvent) -> Void
  private let progress: (Duration) -> Void
  private let finished: (RecordingFinish) -> Void
  private var levels: LevelReport

  /// Makes the file; throws `AudioRecorderError` where it cannot be made.
  init(
    _ plan: RecordingPlan, device: AudioFormat, progress: @escaping (Duration) -> Void,
    report: @escaping (RecordingEvent) -> Void, finished: @escaping (RecordingFinish) -> Void
  ) throws(AudioRecorderError) {
    let format = plan.fileFormat(on: device)
    url = plan.request.url
    limit = plan.request.maximumDuration.map { FrameCount($0, at: format.sampleRate) }
    levels = LevelReport(format: format)
    self.progress = progress
    self.report = report
    self.finished = finished
    do {
      resampler = try Resampler(from: device, to: format)
    } catch {
      throw .unsupportedFormat(reason: "\(error)")
    }
    do {
      writer = try SoundFileWriter(url: url, format: format, encoding: plan.encoding)
    } catch {
      throw AudioRecorderError(error, file: url)
    }
  }

  /// The file's format.
  var format: AudioFormat { writer.format }

  private var summary: RecordingFinish {
    RecordingFinish(
      reason: isComplete ? .lengthReached : .deviceEnded, frameCount: framesWritten,
      recorded: framesWritten.duration(at: format.sampleRate))
  }

  /// The frames in the file.
  private var framesWritten: FrameCount { writer.framesWritten }

  /// Whether the file has the length that was asked for.
  private var isComplete: Bool { limit.map { framesWritten >= $0 } ?? false }

  func take(_ captured: DeviceAudio) throws -> Bool {
    if captured.lost > 0 {
      let rate = captured.buffer.format.sampleRate
      report(.xrun(captured.lost.duration(at: rate)))
      try writeSilence(captured.lost, like: captured.buffer)
    }
    try write(try resampler.process(captured.buffer))
    return !isComplete
  }

  func finish() throws {
    let ending = Result { try write(try resampler.finish()) }
    defer { finished(summary) }
    do {
      try writer.close()
    } catch {
      throw AudioRecorderError(error, file: url)
    }
    try ending.get()
  }

  /// Silence in the place of lost frames, a second at a time however much was lost.
  private func writeSilence(_ lost: FrameCount, like buffer: AudioBuffer) throws {
    var left = lost
    while left > 0 && !isComplete {
      let count = min(left, FrameCount(.seconds(1), at: buffer.format.sampleRate))
      let silence = AudioBuffer(silence: count, format: buffer.format)
      try write(try resampler.process(silence))
      left -= count
    }
  }

  private func write(_ buffer: AudioBuffer) throws {
    let room = limit.map { $0 - framesWritten } ?? buffer.frameCount
    let kept = room < buffer.frameCount ? buffer.frames(0..<max(0, room)) : buffer
    guard !kept.isEmpty else { return }
    do {
      try writer.write(kept)
    } catch {
      throw AudioRecorderError(error, file: url)
    }
    progress(framesWritten.duration(at: format.sampleRate))
    levels.add(kept, recorded: framesWritten).map { report(.levels($0)) }
  }
}
