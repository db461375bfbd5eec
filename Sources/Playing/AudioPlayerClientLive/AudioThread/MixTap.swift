import AudioCore
import SoundCard
import Synchronization

/// Keeps the recent mix of each of a player's devices, for `AudioPlayerClient.makeMixReader`.
final class MixTaps: Sendable {
  // Adding or finding a tap holds the lock for a few instructions. When the first reader is made,
  // and when a device opens after that, the lock is also held while rings are allocated.
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

  /// Returns a function that returns the blocks written to a device since its previous call.
  ///
  /// If `device` is nil, each call reads the device that was opened last.
  func makeReader(_ device: AudioDevice.ID?) -> @Sendable () -> [AudioBuffer] {
    state.withLock { state in
      state.hasReader = true
      for open in state.taps { open.tap?.keep() }
    }
    // A weak reference identifies the tap, because a later tap may have the same address.
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

/// Passes a device's mix from the audio thread to readers.
///
/// The audio thread overwrites the oldest samples, even if no reader has read them. Each reader
/// keeps its own position. The frame count begins at the first kept frame, and stops while the
/// device is paused.
// `@unchecked Sendable` is right because only the audio thread uses `shift`.
final class MixTap: @unchecked Sendable {
  /// The maximum duration of audio that a reader gets.
  private static let length = Duration.seconds(2)

  let device: AudioDevice.ID
  private let format: AudioFormat
  private let kept: Int
  private let capacity: Int
  /// The samples, with frame n in slot n % `capacity`; nil before the first reader.
  private let store = AtomicLazyReference<SampleStore>()
  /// The end of the frames that have been written or are being written.
  private let written = Atomic<Int>(0)
  /// The end of the frames that readers may read.
  private let end = Atomic<Int>(0)
  /// The host's time at which frame 0 was played, computed from the playhead, in nanoseconds since
  /// `madeAt`.
  private let origin = Atomic<Int64>(0)
  private let madeAt = ContinuousClock.now
  /// The number to add to a device frame to get this tap's frame.
  private var shift = 0

  fileprivate init(_ configuration: PCMConfiguration) {
    (device, format) = (configuration.device, configuration.format)
    kept = FrameCount(Self.length, at: format.sampleRate).rawValue
    // The audio thread writes while a reader copies, so the ring is longer than `kept`.
    capacity = kept + kept / 8 + configuration.period.rawValue
  }

  /// Allocates the ring, so that `tryWrite` keeps samples from now on.
  fileprivate func keep() {
    guard store.load() == nil else { return }
    _ = store.storeIfNil(SampleStore(capacity * format.channelCount))
  }

  // MARK: The audio thread

  /// Adds samples that the device accepted; the first sample belongs to the device frame `frame`.
  ///
  /// Readers get the samples after the next `observe`. Before the first reader, samples are
  /// dropped.
  func tryWrite(_ samples: UnsafeBufferPointer<Float>, at frame: Int) {
    guard let store = store.load() else { return }
    let (first, channels) = (written.load(ordering: .relaxed), format.channelCount)
    shift = first - frame
    written.store(first + samples.count / channels, ordering: .relaxed)
    // A reader that copies a sample written below must also see the new `written`, so that it drops
    // the overwritten frame.
    atomicMemoryFence(ordering: .releasing)
    var slot = first % capacity * channels
    for sample in samples {
      store[slot].store(sample.bitPattern, ordering: .relaxed)
      slot = slot + 1 == store.count ? 0 : slot + 1
    }
  }

  /// Records that the device had played `frames` frames at `time`, and makes the written samples
  /// available to readers.
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

/// Samples that one thread writes while others read.
///
/// `init` touches all of the memory, so a write causes no page fault.
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
