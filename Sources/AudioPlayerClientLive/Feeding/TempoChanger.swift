import AudioCore
import AudioPlayerClient
import Glibc

/// Plays samples faster or slower at the same pitch.
///
/// The output has exactly the length of the input divided by the speed. A sample is within about
/// 30 ms of its exact place: SoundTouch joins overlapping pieces where they fit best.
///
/// Thread safety: one thread at a time.
final class TempoChanger {
  /// The output frame after the last one returned.
  private(set) var outputFrame = 0
  private let speed: Double
  private let channels: Int
  private let soundTouch: SoundTouch
  /// The frame, of input and output alike, at which the current audio began.
  private var origin = 0
  private var taken = 0

  /// Loads SoundTouch, or finds it loaded.
  ///
  /// - Throws: `AudioPlayerError.speedUnavailable` if it is missing or refuses the format.
  init(speed: Double, format: AudioFormat, library name: String = SoundTouch.libraryName)
    throws(AudioPlayerError)
  {
    self.speed = speed
    channels = format.channelCount
    soundTouch = try SoundTouch(speed: speed, format: format, library: name)
  }

  /// The output frame that corresponds to an input frame.
  func outputFrame(at frame: Int) -> Int {
    origin + Int((Double(frame - origin) / speed).rounded())
  }

  /// Takes samples; returns those that are complete, which may be none.
  func process(_ samples: [Float]) -> [Float] {
    taken += samples.count / channels
    soundTouch.put(samples, channels: channels)
    return returned(soundTouch.receive(channels: channels))
  }

  /// Returns the rest of the samples.
  func finish() -> [Float] {
    guard taken > 0 else { return [] }
    soundTouch.flush()
    let rest = soundTouch.receive(channels: channels)
    let count = max(0, outputFrame(at: origin + taken) - outputFrame) * channels
    let padding = [Float](repeating: 0, count: max(0, count - rest.count))
    return returned(Array(rest.prefix(count)) + padding)
  }

  /// Discards all audio; the next samples begin at this frame.
  func restart(at frame: Int) {
    soundTouch.clear()
    (origin, outputFrame, taken) = (frame, frame, 0)
  }

  private func returned(_ samples: [Float]) -> [Float] {
    outputFrame += samples.count / channels
    return samples
  }
}

/// The owner of a processor of SoundTouch, whose C interface is loaded on demand and never unloaded.
private struct SoundTouch: ~Copyable {
  static let libraryName = "libSoundTouchDll.so.1"

  private typealias Handle = UnsafeMutableRawPointer
  private typealias Create = @convention(c) () -> Handle?
  private typealias Call = @convention(c) (Handle) -> Void
  private typealias SetCount = @convention(c) (Handle, CUnsignedInt) -> CInt
  private typealias SetFactor = @convention(c) (Handle, Float) -> Void
  private typealias Put = @convention(c) (Handle, UnsafePointer<Float>, CUnsignedInt) -> CInt
  private typealias Receive =
    @convention(c) (Handle, UnsafeMutablePointer<Float>, CUnsignedInt) -> CUnsignedInt
  private typealias Count = @convention(c) (Handle) -> CUnsignedInt

  private let handle: Handle
  private let destroyInstance: Call
  private let clearAll: Call
  private let flushInput: Count
  private let putSamples: Put
  private let receiveSamples: Receive
  private let sampleCount: Count

  /// The corresponding C functions are `soundtouch_createInstance` and `soundtouch_setTempo`.
  init(speed: Double, format: AudioFormat, library name: String) throws(AudioPlayerError) {
    guard let library = dlopen(name, RTLD_NOW | RTLD_LOCAL) else {
      throw .speedUnavailable(
        reason: "there is no \(name); install SoundTouch (Debian's package libsoundtouch1)")
    }
    func symbol<Function>(_ symbol: String) throws(AudioPlayerError) -> Function {
      guard let address = dlsym(library, "soundtouch_" + symbol) else {
        throw .speedUnavailable(reason: "\(name) has no soundtouch_\(symbol)")
      }
      // A C function's value is its address; the types are those of SoundTouchDLL.h.
      return unsafeBitCast(address, to: Function.self)
    }
    let create: Create = try symbol("createInstance")
    let setSampleRate: SetCount = try symbol("setSampleRate")
    let setChannels: SetCount = try symbol("setChannels")
    let setTempo: SetFactor = try symbol("setTempo")
    destroyInstance = try symbol("destroyInstance")
    clearAll = try symbol("clear")
    flushInput = try symbol("flush")
    putSamples = try symbol("putSamples")
    receiveSamples = try symbol("receiveSamples")
    sampleCount = try symbol("numSamples")
    guard let handle = create() else {
      throw .speedUnavailable(reason: "SoundTouch created no instance")
    }
    guard
      setSampleRate(handle, CUnsignedInt(format.sampleRate.hertz)) != 0,
      setChannels(handle, CUnsignedInt(format.channelCount)) != 0
    else {
      destroyInstance(handle)
      throw .speedUnavailable(reason: "SoundTouch does not accept \(format)")
    }
    setTempo(handle, Float(speed))
    self.handle = handle
  }

  deinit { destroyInstance(handle) }

  /// The corresponding C function is `soundtouch_putSamples`.
  func put(_ samples: [Float], channels: Int) {
    samples.withUnsafeBufferPointer { samples in
      guard let address = samples.baseAddress else { return }
      _ = putSamples(handle, address, CUnsignedInt(samples.count / channels))
    }
  }

  /// Returns all samples that are complete; the corresponding C function is
  /// `soundtouch_receiveSamples`.
  func receive(channels: Int) -> [Float] {
    let frames = sampleCount(handle)
    let capacity = Int(frames) * channels
    return [Float](unsafeUninitializedCapacity: capacity) { samples, count in
      guard let address = samples.baseAddress, frames > 0 else { return }
      count = Int(receiveSamples(handle, address, frames)) * channels
    }
  }

  /// Completes the samples that were put; the corresponding C function is `soundtouch_flush`.
  func flush() { _ = flushInput(handle) }

  /// Discards all samples; the corresponding C function is `soundtouch_clear`.
  func clear() { clearAll(handle) }
}
