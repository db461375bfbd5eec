public import AudioCore

/// The measurement of a piece of audio: levels, loudness, clipping, and silence.
public struct AudioMeasurement: Hashable, Sendable {
  /// The sample rate and the channels of the measured audio.
  public var format: AudioFormat
  /// The number of measured frames.
  public var frameCount: FrameCount
  /// The levels, offset, and clipping of each channel.
  public var channels: [ChannelMeasurement]
  /// The peak and the root mean square over all channels.
  public var level: AudioLevel
  /// The gated loudness of all audio, as in EBU R 128; silence for less than 0.4 s of audio.
  public var integrated: LoudnessLevel
  /// The loudness range in LU, as in EBU Tech 3342; 0 for less than 3 s of audio.
  public var range: Double
  /// The highest loudness of any 0.4 s.
  public var maximumMomentary: LoudnessLevel
  /// The highest loudness of any 3 s.
  public var maximumShortTerm: LoudnessLevel
  /// The frames at the beginning that are below the silence threshold in every channel.
  public var silenceAtStart: FrameCount
  /// The frames at the end that are below the silence threshold in every channel.
  public var silenceAtEnd: FrameCount
  /// The noise floor, measured without the silence at both ends: a tenth of the 50 ms blocks have a
  /// lower root mean square.
  public var noiseFloor: Decibels
  /// The number of samples that were NaN or infinite; they are measured as 0.
  public var nonFiniteSampleCount: Int

  /// The highest peak of any channel, including peaks between samples.
  public var truePeak: Decibels { channels.map(\.truePeak).max() ?? .silence }
  /// The number of clipped samples in all channels.
  public var clippedSampleCount: Int { channels.reduce(0) { $0 + $1.clippedSampleCount } }
  /// The duration of the audio.
  public var duration: Duration { frameCount.duration(at: format.sampleRate) }
}

/// The measurement of one channel.
public struct ChannelMeasurement: Hashable, Sendable {
  /// The channel's peak and root mean square.
  public var level: AudioLevel
  /// The highest peak, including peaks between samples, as in BS.1770.
  public var truePeak: Decibels
  /// The mean of all samples, where 1 is full scale.
  public var offset: Double
  /// The number of samples with an amplitude of at least 32767/32768.
  public var clippedSampleCount: Int
  /// The number of runs of two or more clipped samples.
  public var clippedRunCount: Int
}

extension AsyncSequence where Element: AudioBlock {
  /// Measures all of the audio; nil if there is none.
  ///
  /// It returns when this sequence has ended; memory does not grow with the length of the audio.
  /// Gaps between the frame indices of buffers are not counted.
  ///
  /// - Parameter silence: the level below which the beginning and the end count as silent.
  /// - Throws: the errors of this sequence, and `LoudnessError`.
  public func measured(silence: Decibels = Decibels(-60)) async throws -> AudioMeasurement? {
    var measurer: AudioMeasurer?
    for try await block in self where !block.buffer.isEmpty {
      let buffer = block.buffer
      let current = try measurer ?? AudioMeasurer(buffer.format, silence: silence)
      try current.add(buffer)
      measurer = current
    }
    return measurer?.measurement
  }
}

/// A loudness in LUFS, loudness units relative to full scale, as EBU R 128 measures it; negative
/// infinity where there is nothing to measure.
///
/// A 997 Hz sine at −23 dBFS in both channels of a stereo file has −23 LUFS.
public struct LoudnessLevel: Hashable, Comparable, Sendable {
  /// The loudness in LUFS.
  public let lufs: Double

  /// Creates a loudness in LUFS; `-Double.infinity` is silence.
  public init(lufs: Double) {
    self.lufs = lufs
  }

  /// Silence, or audio too short to measure.
  public static let silence = LoudnessLevel(lufs: -.infinity)

  /// Orders from quiet to loud.
  public static func < (lhs: Self, rhs: Self) -> Bool { lhs.lufs < rhs.lufs }
}

extension LoudnessLevel: CustomStringConvertible {
  /// A short description for users.
  public var description: String {
    guard lufs.isFinite else { return "-inf LUFS" }
    let tenths = (lufs * 10).rounded() / 10
    return "\(tenths == 0 ? 0 : tenths) LUFS"
  }
}
