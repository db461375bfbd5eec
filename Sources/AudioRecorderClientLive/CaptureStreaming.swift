import AudioCore
import AudioRecorderClient
import SoundCard

/// A consumer that feeds a stream, whose oldest blocks go when nobody fetches them in time.
final class CaptureStreaming: CaptureConsumer {
  private let pipe: StreamPipe<CapturedAudio>
  private let converter: CaptureConverter
  private var pick: ChannelPick
  private var rechunker: CaptureRechunker?
  /// What is said on the first block.
  private var device: PCMConfiguration?

  init(
    _ pipe: StreamPipe<CapturedAudio>, _ request: CaptureRequest, device: PCMConfiguration
  ) throws {
    self.pipe = pipe
    self.device = device
    pick = try ChannelPick(request.channels, of: device.format)
    rechunker = request.framesPerBuffer.map(CaptureRechunker.init)
    let format = AudioFormat(
      sampleRate: request.sampleRate ?? pick.format.sampleRate,
      channelCount: request.channelCount ?? pick.format.channelCount)
    do {
      converter = try CaptureConverter(from: pick.format, to: format)
    } catch {
      throw AudioRecorderError.unsupportedFormat(reason: "\(error)")
    }
  }

  func take(_ captured: DeviceAudio) throws -> Bool {
    for block in try converter.convert(try pick.apply(captured)) { rechunk(block) }
    return true
  }

  func finish() throws {
    if let rest = try converter.finish() { rechunk(rest) }
    for block in rechunker?.finish() ?? [] { send(block) }
  }

  private func rechunk(_ block: CapturedAudio) {
    for block in rechunker?.take(block) ?? [block] { send(block) }
  }

  private func send(_ block: CapturedAudio) {
    var block = block
    block.device = device.take()
    pipe.send(block)
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
        queue[0].device = dropped.device ?? queue[0].device
      }
    }
  }
}
