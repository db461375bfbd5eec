import AudioCore
import CEBUR128

/// The one owner of a state of libebur128.
struct EBUR128Handle: ~Copyable {
  private let state: UnsafeMutablePointer<ebur128_state>

  /// The histogram keeps memory flat; it rounds the blocks of the range to 0.1 LU.
  ///
  /// The corresponding C functions are `ebur128_init` and `ebur128_set_channel`.
  init(_ format: AudioFormat) throws(LoudnessError) {
    let modes = [EBUR128_MODE_LRA, EBUR128_MODE_HISTOGRAM]
    let mode = modes.reduce(0) { $0 | Int32($1.rawValue) }
    let created = ebur128_init(
      UInt32(clamping: format.channelCount), UInt(format.sampleRate.hertz), mode)
    guard let created else { throw .unsupported(format) }
    state = created
    for (index, position) in format.layout.positions.enumerated() {
      ebur128_set_channel(state, UInt32(index), Int32(position.weight.rawValue))
    }
  }

  deinit {
    var state: UnsafeMutablePointer<ebur128_state>? = state
    ebur128_destroy(&state)
  }

  /// Takes whole frames, interleaved.
  ///
  /// The corresponding C function is `ebur128_add_frames_float`. It fails only without memory.
  func add(_ samples: UnsafeBufferPointer<Float>, frameCount: Int) {
    guard let first = samples.baseAddress else { return }
    ebur128_add_frames_float(state, first, frameCount)
  }

  /// The loudness of the latest 0.1 s.
  ///
  /// The corresponding C function is `ebur128_loudness_window`.
  var latest: LoudnessLevel {
    var lufs = -Double.infinity
    ebur128_loudness_window(state, 100, &lufs)
    return LoudnessLevel(lufs: lufs)
  }

  /// The loudness range in LU; 0 if there is none.
  ///
  /// The corresponding C function is `ebur128_loudness_range`.
  var range: Double {
    var range = 0.0
    ebur128_loudness_range(state, &range)
    return range
  }
}

extension ChannelPosition {
  /// How much the channel counts; BS.1770 counts surround channels 1.5 dB more, and the LFE not.
  fileprivate var weight: CEBUR128.channel {
    switch self {
    case .mono, .frontCenter: EBUR128_CENTER
    case .frontLeft: EBUR128_LEFT
    case .frontRight: EBUR128_RIGHT
    case .rearLeft: EBUR128_LEFT_SURROUND
    case .rearRight: EBUR128_RIGHT_SURROUND
    case .sideLeft: EBUR128_Mp090
    case .sideRight: EBUR128_Mm090
    case .rearCenter: EBUR128_Mp180
    case .lowFrequency, .silent: EBUR128_UNUSED
    case .unknown: EBUR128_CENTER
    }
  }
}
