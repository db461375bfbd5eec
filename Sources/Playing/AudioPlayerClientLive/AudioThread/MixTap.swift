import AudioCore
import AudioThreads
import SoundCard
import Synchronization

/// The mixes of a player's devices, for those who read what it plays.
final class MixTaps: Sendable {
  /// Whether the audio threads write to their taps: from the first reader on.
  let hasReader = Atomic<Bool>(false)
  // The lock is held for a few instructions by openings and readers.
  private let taps = Mutex<[OpenTap]>([])

  private struct OpenTap {
    weak var tap: MixTap?
  }

  /// Makes the tap of a device that is being opened; the device owns it.
  func makeTap(_ configuration: PCMConfiguration) -> MixTap {
    let tap = MixTap(configuration, of: self)
    taps.withLock { taps in
      taps.removeAll { $0.tap == nil }
      taps.append(OpenTap(tap: tap))
    }
    return tap
  }

  /// Returns a function that returns the blocks that were written since its last call to a device,
  /// or to the last opened device for nil.
  func makeReader(_ device: AudioDevice.ID?) -> @Sendable () -> [AudioBuffer] {
    hasReader.store(true, ordering: .relaxed)
    let position = Mutex<(tap: ObjectIdentifier?, block: Int)>((nil, 0))
    return { [self] in
      let tap = taps.withLock { taps in
        taps.reversed().lazy.compactMap { $0.tap }.first { device == nil || $0.device == device }
      }
      guard let tap else { return [] }
      return position.withLock { position in
        if position.tap != ObjectIdentifier(tap) { position = (ObjectIdentifier(tap), 0) }
        return tap.read(after: &position.block)
      }
    }
  }
}

/// The mix that a device gets, from its audio thread to its readers.
final class MixTap: Sendable {
  private struct Block: BitwiseCopyable {
    let frame: Int
    let sampleCount: Int
  }

  /// The duration of the kept audio.
  private static let length = Duration.seconds(2)

  let device: AudioDevice.ID
  private let format: AudioFormat
  private let owner: MixTaps
  private let samples: RingBuffer<Float>
  private let blocks: RingBuffer<Block>
  /// The host's time at which the device played its first frame, counted back from the playhead, in
  /// nanoseconds from `madeAt`; the least number until the device has a frame.
  private let origin = Atomic<Int64>(.min)
  private let madeAt = ContinuousClock.now
  // The lock is held while a reader empties the rings.
  private let recent = Mutex<(blocks: [AudioBuffer], count: Int)>(([], 0))

  fileprivate init(_ configuration: PCMConfiguration, of owner: MixTaps) {
    (device, format, self.owner) = (configuration.device, configuration.format, owner)
    let frames = FrameCount(Self.length, at: format.sampleRate) + configuration.period * 2
    samples = RingBuffer(capacity: frames.rawValue * format.channelCount)
    blocks = RingBuffer(capacity: 1_024)
  }

  // MARK: The audio thread

  /// Adds samples that the device accepted, from its frame `frame` on; without a reader, or if no
  /// reader reads, they are dropped.
  func tryWrite(_ written: UnsafeBufferPointer<Float>, at frame: Int) {
    guard owner.hasReader.load(ordering: .relaxed), samples.writable >= written.count,
      blocks.writable > 0
    else { return }
    samples.tryWrite(written)
    blocks.tryWrite(Block(frame: frame, sampleCount: written.count))
  }

  /// Records the host's time at which the device had played `frames` frames.
  func observe(_ frames: Int, at time: ContinuousClock.Instant) {
    let begin = time - FrameCount(frames).duration(at: format.sampleRate)
    origin.store((begin - madeAt).inNanoseconds, ordering: .relaxed)
  }

  // MARK: Readers

  /// Returns the kept blocks after the block number `number`, and sets it to the last one.
  func read(after number: inout Int) -> [AudioBuffer] {
    let origin = origin.load(ordering: .relaxed)
    guard origin != .min else { return [] }
    return recent.withLock { recent in
      while let block = blocks.tryRead() {
        recent.blocks.append(audio(block))
        recent.count += 1
      }
      let kept = FrameCount(Self.length, at: format.sampleRate)
      while recent.blocks.reduce(0, { $0 + $1.frameCount }) > kept { recent.blocks.removeFirst() }
      let news = recent.blocks.suffix(recent.count - number)
      number = recent.count
      return news.map { block in
        var block = block
        let offset = block.firstFrame.duration(at: format.sampleRate)
        block.hostTime = madeAt + .nanoseconds(origin) + offset
        return block
      }
    }
  }

  private func audio(_ block: Block) -> AudioBuffer {
    let read = [Float](unsafeUninitializedCapacity: block.sampleCount) { target, count in
      count = samples.tryRead(
        into: UnsafeMutableBufferPointer(rebasing: target[..<block.sampleCount]))
    }
    return AudioBuffer(format: format, samples: read, firstFrame: FrameCount(block.frame))
  }
}
