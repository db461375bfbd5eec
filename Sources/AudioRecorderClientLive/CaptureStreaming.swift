import AudioCore
import AudioRecorderClient
import SoundCard

/// A consumer that feeds a stream, whose oldest blocks go when nobody fetches them in time.
final class CaptureStreaming: CaptureConsumer {
  private let pipe: StreamPipe<CapturedAudio>
  private let converter: CaptureConverter

  init(_ pipe: StreamPipe<CapturedAudio>, _ request: CaptureRequest, device: AudioFormat) throws {
    self.pipe = pipe
    let format = AudioFormat(
      sampleRate: request.sampleRate ?? device.sampleRate,
      channelCount: request.channelCount ?? device.channelCount)
    do {
      converter = try CaptureConverter(from: device, to: format)
    } catch {
      throw AudioRecorderError.unsupportedFormat(reason: "\(error)")
    }
  }

  func take(_ captured: DeviceAudio) throws -> Bool {
    for block in try converter.convert(captured) { pipe.send(block) }
    return true
  }

  func finish() throws {
    if let rest = try converter.finish() { pipe.send(rest) }
  }
}

extension PipePolicy<CapturedAudio> {
  /// Keeps at most `limit` of audio: the oldest goes, and the block after it says how much is
  /// missing.
  static func droppingOldest(after limit: Duration) -> Self {
    PipePolicy { queue, captured in
      queue.append(captured)
      var waiting = queue.reduce(.zero) { $0 + $1.buffer.duration }
      while waiting > limit, queue.count > 1 {
        let dropped = queue.removeFirst()
        waiting -= dropped.buffer.duration
        let lost = dropped.buffer.frameCount + (dropped.gap?.lost ?? 0)
        queue[0].gap = CaptureGap(lost: lost + (queue[0].gap?.lost ?? 0))
      }
    }
  }
}
