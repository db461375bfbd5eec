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
  let onDeviceLoss: DeviceLossPolicy
  /// What was missed while the device was lost, for the block that comes next.
  private var missed: FrameCount = 0
  /// How many samples were NaN or infinite, for the block that is sent next.
  private var nonFinite = 0

  init(
    _ pipe: StreamPipe<CapturedAudio>, _ request: CaptureRequest, device: PCMConfiguration
  ) throws {
    self.pipe = pipe
    self.device = device
    onDeviceLoss = request.onDeviceLoss
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
    guard captured.news == nil else {
      missed += captured.lost
      return true
    }
    var captured = captured
    captured.lost += missed
    missed = 0
    nonFinite += captured.nonFinite
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
    (block.nonFiniteCount, nonFinite) = (nonFinite, 0)
    pipe.send(block)
  }
}

extension PipePolicy<CapturedAudio> {
  /// Keeps at most `limit` of audio: the oldest goes, and the block after it says how much is
  /// missing.
  ///
  /// The thread that captures for everyone calls it: its work does not grow with the queue, but for
  /// once in an eighth of it.
  static func droppingOldest(after limit: Duration) -> Self {
    PipePolicy { queue, captured in
      queue.append(captured)
      guard queue.span > limit else { return }
      let surplus = queue.countBeyond(limit)
      if surplus > 0 { queue.dropOldest(Swift.max(surplus, queue.count / 8)) }
    }
  }
}

extension [CapturedAudio] {
  /// From the first frame to the last, with the gaps between.
  fileprivate var span: Duration {
    guard let first = first?.buffer, let last = last?.buffer else { return .zero }
    return (last.endFrame - first.firstFrame).duration(at: first.format.sampleRate)
  }

  /// How many of the oldest are more than `limit` of audio; one stays however long it is.
  fileprivate func countBeyond(_ limit: Duration) -> Int {
    var waiting = reduce(.zero) { $0 + $1.buffer.duration }
    var count = 0
    while waiting > limit, count < self.count - 1 {
      waiting -= self[count].buffer.duration
      count += 1
    }
    return count
  }

  /// Drops so many, and says so on the one after them.
  fileprivate mutating func dropOldest(_ count: Int) {
    let dropped = self[..<count]
    let lost = dropped.reduce(0) { $0 + $1.buffer.frameCount + ($1.gap?.lost ?? 0) }
    self[count].gap = CaptureGap(lost: lost + (self[count].gap?.lost ?? 0))
    self[count].nonFiniteCount += dropped.reduce(0) { $0 + $1.nonFiniteCount }
    self[count].device = dropped.lazy.compactMap(\.device).first ?? self[count].device
    removeFirst(count)
  }
}

/// Cuts captured blocks to one size; the one before a gap and the last one may be shorter.
struct CaptureRechunker {
  private var rechunker: Rechunker
  /// The blocks, without their frames, whose frames are held back; one more before them.
  private var marks: [CapturedAudio] = []

  /// - Parameter size: above 0.
  init(size: FrameCount) {
    rechunker = Rechunker(size: size)
  }

  mutating func take(_ captured: CapturedAudio) -> [CapturedAudio] {
    // A gap at the very end has no frames after it.
    guard !captured.buffer.isEmpty else { return finish() + [captured] }
    let buffers = rechunker.take(captured.buffer)
    var mark = captured
    mark.buffer = AudioBuffer(
      silence: 0, format: captured.buffer.format, firstFrame: captured.buffer.firstFrame)
    marks.append(mark)
    return buffers.map { marked($0) }
  }

  mutating func finish() -> [CapturedAudio] {
    rechunker.finish().map { marked($0) }
  }

  /// The buffer with the times of the block in which it begins, and what was said of its first
  /// frame.
  private mutating func marked(_ buffer: AudioBuffer) -> CapturedAudio {
    while marks.count > 1, marks[1].buffer.firstFrame <= buffer.firstFrame { marks.removeFirst() }
    let mark = marks[0]
    let begun = buffer.firstFrame == mark.buffer.firstFrame
    let since = (buffer.firstFrame - mark.buffer.firstFrame).duration(at: buffer.format.sampleRate)
    return CapturedAudio(
      buffer: buffer, time: mark.time + since, gap: begun ? mark.gap : nil,
      capturedAt: mark.capturedAt + since)
  }
}
