import AudioCore
import SoundCard
import Synchronization

/// The mixes of a player's devices, for those who read what it plays.
final class MixTaps: Sendable {
  // The lock is held for a few instructions by openings and readers, and while memory is allocated.
  private let state = Mutex<(taps: [OpenTap], hasReader: Bool)>(([], false))

  private struct OpenTap {
    weak var tap: MixTap?
  }

  /// Makes the tap of a device that is being opened; the device owns it.
  func makeTap(_ configuration: PCMConfiguration) -> MixTap {
    let tap = MixTap(configuration)
    state.withLock { state in
      if state.hasReader { tap.keep() }
      state.taps.removeAll { $0.tap == nil }
      state.taps.append(OpenTap(tap: tap))
    }
    return tap
  }

  /// Returns a function that returns the blocks that were written since its last call to a device,
  /// or to the last opened device for nil.
  func makeReader(_ device: AudioDevice.ID?) -> @Sendable () -> [AudioBuffer] {
    state.withLock { state in
      state.hasReader = true
      for open in state.taps { open.tap?.keep() }
    }
    // A weak reference, because a new tap may have the address of a closed device's tap.
    let position = Mutex<(open: OpenTap, frame: Int)>((OpenTap(), 0))
    return { [self] in
      let tap = state.withLock { state in
        state.taps.reversed().lazy.compactMap { $0.tap }
          .first { device == nil || $0.device == device }
      }
      guard let tap else { return [] }
      return position.withLock { position in
        if position.open.tap !== tap { position = (OpenTap(tap: tap), 0) }
        return tap.read(from: &position.frame)
      }
    }
  }
}

/// The mix that a device gets, from its audio thread to its readers.
///
/// The audio thread overwrites the oldest samples, whether anyone reads them or not. Each reader has
/// its own position. Frames are counted from the first kept one; they do not advance in a pause.
// `@unchecked Sendable` is right because only the audio thread uses `shift`.
final class MixTap: @unchecked Sendable {
  /// The duration of the audio that a reader gets at most.
  private static let length = Duration.seconds(2)

  let device: AudioDevice.ID
  private let format: AudioFormat
  private let kept: Int
  private let capacity: Int
  /// The samples of the frame n from the slot n % `capacity` on; nil before the first reader.
  private let store = AtomicLazyReference<SampleStore>()
  /// The frame after the last one that has been or is being written.
  private let written = Atomic<Int>(0)
  /// The frame after the last one that readers get.
  private let end = Atomic<Int>(0)
  /// The host's time at which the frame 0 was played, counted back from the playhead, in
  /// nanoseconds from `madeAt`.
  private let origin = Atomic<Int64>(0)
  private let madeAt = ContinuousClock.now
  /// The difference between this tap's frames and those of the device.
  private var shift = 0

  fileprivate init(_ configuration: PCMConfiguration) {
    (device, format) = (configuration.device, configuration.format)
    kept = FrameCount(Self.length, at: format.sampleRate).rawValue
    // A reader copies while the audio thread writes.
    capacity = kept + kept / 8 + configuration.period.rawValue
  }

  /// Begins to keep what is written.
  fileprivate func keep() {
    guard store.load() == nil else { return }
    _ = store.storeIfNil(SampleStore(capacity * format.channelCount))
  }

  // MARK: The audio thread

  /// Adds samples that the device accepted, from its frame `frame` on, if there is a reader; they
  /// are read after the next `observe`.
  func tryWrite(_ samples: UnsafeBufferPointer<Float>, at frame: Int) {
    guard let store = store.load() else { return }
    let (first, channels) = (written.load(ordering: .relaxed), format.channelCount)
    shift = first - frame
    written.store(first + samples.count / channels, ordering: .relaxed)
    // A reader that sees a new sample below also sees that its slot was taken.
    atomicMemoryFence(ordering: .releasing)
    var slot = first % capacity * channels
    for sample in samples {
      store[slot].store(sample.bitPattern, ordering: .relaxed)
      slot = slot + 1 == store.count ? 0 : slot + 1
    }
  }

  /// Records that the device had played `frames` frames at `time`, and lets readers read what was
  /// written.
  func observe(_ frames: Int, at time: ContinuousClock.Instant) {
    let begin = time - FrameCount(frames + shift).duration(at: format.sampleRate)
    origin.store((begin - madeAt).inNanoseconds, ordering: .relaxed)
    end.store(written.load(ordering: .relaxed), ordering: .releasing)
  }

  // MARK: Readers

  /// Returns the kept frames from `frame` on, as one block, and sets `frame` to their end.
  func read(from frame: inout Int) -> [AudioBuffer] {
    let (end, channels) = (self.end.load(ordering: .acquiring), format.channelCount)
    let begin = madeAt + .nanoseconds(origin.load(ordering: .relaxed))
    let first = max(frame, end - kept)
    frame = end
    guard first < end, let store = store.load() else { return [] }
    let samples = (first * channels..<end * channels).map {
      Float(bitPattern: store[$0 % store.count].load(ordering: .relaxed))
    }
    atomicMemoryFence(ordering: .acquiring)
    let intact = max(first, written.load(ordering: .relaxed) - capacity)
    guard intact < end else { return [] }
    var block = AudioBuffer(
      format: format, samples: Array(samples.dropFirst((intact - first) * channels)),
      firstFrame: FrameCount(intact))
    block.hostTime = begin + block.firstFrame.duration(at: format.sampleRate)
    return [block]
  }
}

/// Samples that one thread writes while others read; the memory is touched when it is allocated.
// `@unchecked Sendable` is right because each element is atomic.
private final class SampleStore: @unchecked Sendable {
  let count: Int
  private let samples: UnsafeMutablePointer<Atomic<UInt32>>

  init(_ count: Int) {
    self.count = count
    samples = .allocate(capacity: count)
    for index in 0..<count { (samples + index).initialize(to: Atomic(0)) }
  }

  deinit {
    samples.deinitialize(count: count)
    samples.deallocate()
  }

  subscript(index: Int) -> Atomic<UInt32> {
    _read { yield samples[index] }
  }
}
