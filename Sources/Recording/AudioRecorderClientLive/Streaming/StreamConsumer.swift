import AudioCore
import AudioRecorderClient
import SoundCard

/// Converts captured audio, cuts it into buffers of one size if requested, and sends it to a stream
/// that drops the oldest blocks if its reader lags.
final class StreamConsumer: CaptureConsumer {
  private let pipe: PolicyPipe<CapturedAudio>
  let converter: CaptureConverter
  /// Cuts the buffers to the requested size; a buffer before a gap and the last buffer may be
  /// shorter.
  private var rechunker: Rechunker?
  /// The blocks passed to the rechunker, without their samples, from the block in which the last
  /// buffer began.
  private var marks: [CapturedAudio] = []
  /// The device's configuration, until the first block reports it.
  private var device: PCMConfiguration?
  let onDeviceLoss: DeviceLossPolicy
  /// The number of samples that were NaN or infinite, to report with the next block.
  private var nonFinite = 0

  init(
    _ pipe: PolicyPipe<CapturedAudio>, _ request: CaptureRequest, device: PCMConfiguration
  ) throws {
    self.pipe = pipe
    self.device = device
    onDeviceLoss = request.onDeviceLoss
    rechunker = request.framesPerBuffer.map { Rechunker(size: $0) }
    let picked = try device.format.picking(request.channels)
    let format = AudioFormat(
      sampleRate: request.sampleRate ?? picked.sampleRate,
      channelCount: request.channelCount ?? picked.channelCount)
    converter = try CaptureConverter(request.channels, of: device.format, to: format)
  }

  func process(_ block: CapturedAudio, number: Int) -> Bool {
    nonFinite += block.nonFiniteCount
    if !block.buffer.isEmpty {
      rechunk(block)
    } else if block.gap != nil {
      // No frames follow a gap at the end, so send the rechunker's remaining frames before the gap.
      finish()
      send(block)
    }
    return true
  }

  func finish() {
    for buffer in rechunker?.flush() ?? [] { send(marked(buffer)) }
  }

  private func rechunk(_ block: CapturedAudio) {
    guard let buffers = rechunker?.process(block.buffer) else { return send(block) }
    var mark = block
    mark.buffer = AudioBuffer(
      silence: 0, format: block.buffer.format, firstFrame: block.buffer.firstFrame)
    marks.append(mark)
    for buffer in buffers { send(marked(buffer)) }
  }

  /// Returns the buffer with the times of the block in which it begins, and with the block's gap if
  /// both begin at the same frame.
  private func marked(_ buffer: AudioBuffer) -> CapturedAudio {
    while marks.count > 1, marks[1].buffer.firstFrame <= buffer.firstFrame { marks.removeFirst() }
    let mark = marks[0]
    let begun = buffer.firstFrame == mark.buffer.firstFrame
    let since = (buffer.firstFrame - mark.buffer.firstFrame).duration(at: buffer.format.sampleRate)
    return CapturedAudio(
      buffer: buffer, time: mark.time + since, gap: begun ? mark.gap : nil,
      capturedAt: mark.capturedAt + since)
  }

  private func send(_ block: CapturedAudio) {
    var block = block
    block.device = device.take()
    (block.nonFiniteCount, nonFinite) = (nonFinite, 0)
    pipe.send(block)
  }
}

extension CaptureRequest {
  /// The request to the device, which also suits later users.
  ///
  /// Live buffers often have a low rate, for a recognizer or a meter that runs all day; a recording
  /// that begins meanwhile needs a higher rate.
  var deviceRequest: PCMRequest {
    let rate = sampleRate ?? 48_000
    let wanted = AudioFormat.requested(at: rate, picking: channels, channelCount: channelCount)
    return PCMRequest(
      device: device, format: wanted.widened, buffering: buffering(at: rate),
      prefersNativeRate: true)
  }

  /// The buffering of the device: one period per buffer of the capture, but at least 5 ms, and a
  /// device buffer of the usual length.
  private func buffering(at rate: SampleRate) -> PCMBuffering {
    let usual = PCMBuffering.capture
    guard let framesPerBuffer else { return usual }
    let period = max(.milliseconds(5), framesPerBuffer.duration(at: rate))
    guard period < usual.period else { return usual }
    let count = (usual.period * usual.periodCount / period).rounded(.up)
    return PCMBuffering(period: period, periodCount: Int(clamping: count))
  }
}

extension PipePolicy<CapturedAudio> {
  /// Keeps at most `limit` of audio.
  ///
  /// The oldest blocks are dropped and counted in the gap of the next block.
  ///
  /// The policy runs on the device's control thread. To be fast, it examines the whole queue only
  /// when blocks are dropped.
  static func droppingOldest(after limit: Duration) -> Self {
    PipePolicy { queue, captured in
      queue.append(captured)
      guard queue.span > limit else { return }
      let dropped = queue.removeOldest(beyond: limit, by: \.buffer.duration)
      if !dropped.isEmpty { queue[0].note(dropped) }
    }
  }
}

extension [CapturedAudio] {
  /// The time from the first frame to the last, gaps included.
  fileprivate var span: Duration {
    guard let first = first?.buffer, let last = last?.buffer else { return .zero }
    return (last.endFrame - first.firstFrame).duration(at: first.format.sampleRate)
  }
}

extension CapturedAudio {
  /// Adds the dropped blocks that precede this block to its gap.
  fileprivate mutating func note(_ dropped: [CapturedAudio]) {
    let lost = dropped.reduce(0) { $0 + $1.buffer.frameCount + ($1.gap?.lost ?? 0) }
    gap = CaptureGap(lost: lost + (gap?.lost ?? 0))
    nonFiniteCount += dropped.reduce(0) { $0 + $1.nonFiniteCount }
    device = dropped.lazy.compactMap(\.device).first ?? device
  }
}
