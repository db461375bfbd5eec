import AudioCore
import AudioPlayerClient
import FilePaths

/// Plays samples faster or slower at the same pitch.
///
/// The output has exactly the length of the input divided by the speed. A sample is within 100 ms
/// of its exact position, because SoundTouch joins overlapping pieces where they fit best.
///
/// Thread safety: one thread at a time.
final class TempoChanger: TimingStage {
  /// The index after the last returned output frame.
  private(set) var outputFrame = 0
  private let speed: Double
  private let channels: Int
  private let soundTouch: SoundTouch
  private let handle: SoundTouch.Handle
  /// The frame at which the current audio began; its number is the same in the input and the
  /// output.
  private var origin = 0
  private var taken = 0
  /// The last samples, up to half a second; `flush` uses the last quarter of a second.
  private var tail: [Float] = []
  private let tailLength: Int

  /// Creates an instance of SoundTouch; the first call loads the library.
  ///
  /// - Throws: `AudioPlayerError.speedUnavailable` if SoundTouch is missing or refuses the format.
  init(speed: Double, format: AudioFormat, library name: String = SoundTouch.libraryName)
    throws(AudioPlayerError)
  {
    self.speed = speed
    channels = format.channelCount
    tailLength = format.sampleRate.hertz / 4 * channels
    soundTouch = try SoundTouch(library: name)
    guard let handle = soundTouch.create() else {
      throw .speedUnavailable(reason: "SoundTouch created no instance")
    }
    self.handle = handle
    guard soundTouch.setSampleRate(handle, CUnsignedInt(format.sampleRate.hertz)) != 0,
      soundTouch.setChannels(handle, CUnsignedInt(channels)) != 0
    else {
      throw .speedUnavailable(
        reason: "SoundTouch does not accept \(format); open the device with at most 192 kHz and "
          + "16 channels")
    }
    soundTouch.setTempo(handle, Float(speed))
  }

  deinit { soundTouch.destroy(handle) }

  /// The output frame that corresponds to an input frame.
  func outputFrame(at frame: Int) -> Int {
    origin + Int(clamping: Double(frame - origin) / speed)
  }

  /// Processes samples and returns the completed output, which may be empty.
  func process(_ samples: [Float]) -> [Float] {
    taken += samples.count / channels
    tail += samples
    if tail.count > 2 * tailLength { tail.removeFirst(tail.count - tailLength) }
    put(samples)
    return returned(completed())
  }

  private func put(_ samples: [Float]) {
    samples.withUnsafeBufferPointer { samples in
      guard let address = samples.baseAddress else { return }
      _ = soundTouch.put(handle, address, CUnsignedInt(samples.count / channels))
    }
  }

  /// Returns the remaining output.
  func flush() -> [Float] {
    guard taken > 0 else { return [] }
    // Without these samples, SoundTouch would crossfade the last samples with silence.
    put(mirroredTail)
    _ = soundTouch.flush(handle)
    let rest = completed()
    let count = max(0, outputFrame(at: origin + taken) - outputFrame) * channels
    let padding = [Float](repeating: 0, count: max(0, count - rest.count))
    return returned(Array(rest.prefix(count)) + padding)
  }

  /// Discards all audio; the next samples begin at this frame.
  func restart(at frame: Int) {
    soundTouch.clear(handle)
    (origin, outputFrame, taken) = (frame, frame, 0)
    tail = []
  }

  /// The frames of the last quarter of a second in reverse order.
  private var mirroredTail: [Float] {
    let tail = Array(tail.suffix(tailLength))
    return stride(from: tail.count - channels, through: 0, by: -channels).flatMap {
      tail[$0..<($0 + channels)]
    }
  }

  /// Removes and returns the samples that SoundTouch has completed.
  private func completed() -> [Float] {
    let frames = soundTouch.count(handle)
    return [Float](unsafeUninitializedCapacity: Int(frames) * channels) { samples, count in
      guard let address = samples.baseAddress, frames > 0 else { return }
      count = Int(soundTouch.receive(handle, address, frames)) * channels
    }
  }

  private func returned(_ samples: [Float]) -> [Float] {
    outputFrame += samples.count / channels
    return samples
  }
}

/// SoundTouch's C interface, loaded on demand and never unloaded.
private struct SoundTouch {
  static let libraryName = "libSoundTouchDll.so.1"

  typealias Handle = UnsafeMutableRawPointer

  let create: @convention(c) () -> Handle?
  let destroy: @convention(c) (Handle) -> Void
  let setSampleRate: @convention(c) (Handle, CUnsignedInt) -> CInt
  let setChannels: @convention(c) (Handle, CUnsignedInt) -> CInt
  let setTempo: @convention(c) (Handle, Float) -> Void
  let put: @convention(c) (Handle, UnsafePointer<Float>, CUnsignedInt) -> CInt
  let count: @convention(c) (Handle) -> CUnsignedInt
  let receive: @convention(c) (Handle, UnsafeMutablePointer<Float>, CUnsignedInt) -> CUnsignedInt
  let flush: @convention(c) (Handle) -> CInt
  let clear: @convention(c) (Handle) -> Void

  init(library name: String) throws(AudioPlayerError) {
    let remedy = "install SoundTouch (Debian's package libsoundtouch1)"
    let library: LoadedLibrary
    do throws(LoadedLibrary.Failure) {
      library = try LoadedLibrary(FilePath(name))
    } catch {
      throw .speedUnavailable(reason: "\(error.reason); \(remedy)")
    }
    do throws(LoadedLibrary.MissingFunction) {
      create = try library.required("soundtouch_createInstance")
      destroy = try library.required("soundtouch_destroyInstance")
      setSampleRate = try library.required("soundtouch_setSampleRate")
      setChannels = try library.required("soundtouch_setChannels")
      setTempo = try library.required("soundtouch_setTempo")
      put = try library.required("soundtouch_putSamples")
      count = try library.required("soundtouch_numSamples")
      receive = try library.required("soundtouch_receiveSamples")
      flush = try library.required("soundtouch_flush")
      clear = try library.required("soundtouch_clear")
    } catch {
      throw .speedUnavailable(reason: "\(name) has no \(error.name); \(remedy)")
    }
  }
}
