import AudioCore
import AudioPlayerClient
import FilePaths

/// libspeexdsp's echo canceller and preprocessor for one channel, in frames of 10 ms.
///
/// Thread safety: one thread at a time.
final class SpeexVoice {
  private static let longestTail = Duration.seconds(2)

  /// The number of samples in a frame.
  let frame: Int
  private let speex: SpeexDSP
  private let echo: SpeexDSP.State?
  private let preprocessor: SpeexDSP.State
  private var captured: [Int16]
  private var played: [Int16]
  private var result: [Int16]

  /// Creates the echo canceller and the preprocessor; the first call loads the library.
  ///
  /// `tail` is the longest delay of an echo, at most 2 s; nil disables echo cancellation. `noise`
  /// is the attenuation of noise and residual echo, and `level` the level to which speech is
  /// amplified; nil disables them.
  ///
  /// - Throws: `AudioPlayerError.voiceProcessingUnavailable` if the library is missing.
  init(
    at rate: SampleRate, tail: Duration?, noise: Decibels?, level: Decibels?,
    library name: String = SpeexDSP.libraryName
  ) throws(AudioPlayerError) {
    let (frame, speex) = (max(1, rate.hertz / 100), try SpeexDSP(library: name))
    (self.frame, self.speex) = (frame, speex)
    let zeros = [Int16](repeating: 0, count: frame)
    (captured, played, result) = (zeros, zeros, zeros)
    let (size, hertz) = (CInt(clamping: frame), CInt(clamping: rate.hertz))
    let echo = tail.flatMap {
      // The library does not check the length, so limit it here.
      let length = FrameCount(min($0, Self.longestTail), at: rate).rawValue
      return speex.makeEcho(size, CInt(clamping: max(frame, length)))
    }
    guard let preprocessor = speex.makePreprocessor(size, hertz), tail == nil || echo != nil else {
      if let echo { speex.destroyEcho(echo) }
      throw .voiceProcessingUnavailable(reason: "libspeexdsp has no memory for its state")
    }
    (self.echo, self.preprocessor) = (echo, preprocessor)
    if let echo {
      set(24, hertz, of: echo, speex.controlEcho)
      _ = speex.controlPreprocessor(preprocessor, 24, UnsafeMutableRawPointer(echo))
    }
    set(0, noise == nil ? 0 : 1)
    if let noise { set(18, CInt(clamping: Int(clamping: noise.value))) }
    if let level {
      set(2, 1)
      set(46, CInt(clamping: Int(clamping: 32_768 * level.amplitude)))
    }
  }

  deinit {
    speex.destroyPreprocessor(preprocessor)
    if let echo { speex.destroyEcho(echo) }
  }

  /// Sets a parameter of the preprocessor.
  ///
  /// The corresponding C macros are `SPEEX_PREPROCESS_SET_DENOISE` (0), `_AGC` (2),
  /// `_NOISE_SUPPRESS` (18), `_ECHO_STATE` (24), and `_AGC_TARGET` (46), and
  /// `SPEEX_ECHO_SET_SAMPLING_RATE` (24).
  private func set(_ parameter: CInt, _ value: CInt) {
    set(parameter, value, of: preprocessor, speex.controlPreprocessor)
  }

  private func set(
    _ parameter: CInt, _ value: CInt, of state: SpeexDSP.State, _ control: SpeexDSP.Control
  ) {
    var value = value
    _ = control(state, parameter, &value)
  }

  /// Processes a frame, and returns the result of the previous frame.
  ///
  /// `reference` contains the samples that were played when the frame was captured.
  func process(_ samples: some Sequence<Float>, reference: [Float]) -> [Float] {
    for (index, sample) in samples.enumerated() { captured[index] = Int16(fullScale: sample) }
    if let echo {
      for (index, sample) in reference.enumerated() { played[index] = Int16(fullScale: sample) }
      speex.cancel(echo, captured, played, &result)
    } else {
      swap(&captured, &result)
    }
    _ = speex.preprocess(preprocessor, &result)
    return result.map { Float($0) / 32_768 }
  }
}

extension Int16 {
  fileprivate init(fullScale sample: Float) {
    self.init(clamping: Int(clamping: Double(sample) * 32_768))
  }
}

/// libspeexdsp's C interface, loaded on demand and never unloaded.
struct SpeexDSP {
  static let libraryName = "libspeexdsp.so.1"

  typealias State = OpaquePointer
  typealias Control = @convention(c) (State, CInt, UnsafeMutableRawPointer) -> CInt

  let makeEcho: @convention(c) (CInt, CInt) -> State?
  let destroyEcho: @convention(c) (State) -> Void
  let controlEcho: Control
  let cancel:
    @convention(c) (State, UnsafePointer<Int16>, UnsafePointer<Int16>, UnsafeMutablePointer<Int16>)
      -> Void
  let makePreprocessor: @convention(c) (CInt, CInt) -> State?
  let destroyPreprocessor: @convention(c) (State) -> Void
  let controlPreprocessor: Control
  let preprocess: @convention(c) (State, UnsafeMutablePointer<Int16>) -> CInt

  init(library name: String) throws(AudioPlayerError) {
    let remedy = "install libspeexdsp (Debian's package libspeexdsp1)"
    let library: LoadedLibrary
    do throws(LoadedLibrary.Failure) {
      library = try LoadedLibrary(FilePath(name))
    } catch {
      throw .voiceProcessingUnavailable(reason: "\(error.reason); \(remedy)")
    }
    do throws(LoadedLibrary.MissingFunction) {
      makeEcho = try library.required("speex_echo_state_init")
      destroyEcho = try library.required("speex_echo_state_destroy")
      controlEcho = try library.required("speex_echo_ctl")
      cancel = try library.required("speex_echo_cancellation")
      makePreprocessor = try library.required("speex_preprocess_state_init")
      destroyPreprocessor = try library.required("speex_preprocess_state_destroy")
      controlPreprocessor = try library.required("speex_preprocess_ctl")
      preprocess = try library.required("speex_preprocess_run")
    } catch {
      throw .voiceProcessingUnavailable(reason: "\(name) has no \(error.name); \(remedy)")
    }
  }
}
