public import AudioCore
import Glibc

/// Measures audio of one format, buffer by buffer.
///
/// It is a class because it owns a state of libebur128. Thread safety: one thread at a time.
package final class AudioMeasurer {
  package let format: AudioFormat
  private let state: EBUR128Handle
  private let silence: Float
  private var channels: [ChannelMeter]
  private var windows = LoudnessWindows()
  private var floor: NoiseFloor
  private var frameCount: FrameCount = 0
  private var firstLoudFrame: FrameCount?
  private var endOfLoudness: FrameCount = 0
  private var nonFiniteCount = 0
  /// The number of frames in a step of 0.1 s, rounded as in libebur128.
  private let step: Int
  /// The number of frames until the next step.
  private var framesToStep: Int

  package init(_ format: AudioFormat, silence: Decibels) throws(LoudnessError) {
    self.format = format
    self.silence = Float(silence.amplitude)
    state = try EBUR128Handle(format)
    let filter = TruePeakFilter(format.sampleRate)
    channels = Array(repeating: ChannelMeter(filter), count: format.channelCount)
    floor = NoiseFloor(blockFrameCount: max(1, format.sampleRate.hertz / 20))
    step = max(1, (format.sampleRate.hertz + 5) / 10)
    framesToStep = step
  }

  package func add(_ buffer: AudioBuffer) throws(LoudnessError) {
    guard buffer.format == format else {
      throw .formatChanged(expected: format, actual: buffer.format)
    }
    var buffer = buffer
    nonFiniteCount += buffer.silencedSampleCount + (buffer.silenceNonFinite()?.count ?? 0)
    buffer.samples.withUnsafeBufferPointer { samples in
      var rest = samples
      while !rest.isEmpty {
        let count = min(rest.count / format.channelCount, framesToStep) * format.channelCount
        add(step: UnsafeBufferPointer(rebasing: rest.prefix(count)))
        rest = UnsafeBufferPointer(rebasing: rest.dropFirst(count))
      }
    }
  }

  /// The loudness of the latest 0.4 s, or of all audio if it is shorter.
  package var momentary: LoudnessLevel { windows.momentary }
  /// The loudness of the latest 3 s, or of all audio if it is shorter.
  package var shortTerm: LoudnessLevel { windows.shortTerm }

  package var measurement: AudioMeasurement {
    let channels = channels.map { $0.measurement(frameCount: frameCount) }
    let squares = self.channels.reduce(0) { $0 + $1.squares }
    let count = Double(max(1, frameCount.rawValue * format.channelCount))
    return AudioMeasurement(
      format: format, frameCount: frameCount, channels: channels,
      level: AudioLevel(
        peak: channels.map(\.level.peak).max() ?? .silence,
        rms: Decibels(amplitude: (squares / count).squareRoot())),
      integrated: windows.integrated, range: state.range,
      maximumMomentary: windows.maximumMomentary, maximumShortTerm: windows.maximumShortTerm,
      silenceAtStart: firstLoudFrame ?? frameCount,
      silenceAtEnd: frameCount - endOfLoudness, noiseFloor: floor.level,
      nonFiniteSampleCount: nonFiniteCount)
  }

  /// Adds samples that lie within one step of 0.1 s.
  private func add(step samples: UnsafeBufferPointer<Float>) {
    let frames = samples.count / format.channelCount
    state.add(samples, frameCount: frames)
    framesToStep -= frames
    if framesToStep == 0 {
      windows.add(state.latest)
      framesToStep = step
    }
    var rest = samples
    while !rest.isEmpty {
      let room = min(ChannelMeter.chunkFrameCount, floor.framesToBlock)
      let count = min(rest.count / format.channelCount, room) * format.channelCount
      add(chunk: UnsafeBufferPointer(rebasing: rest.prefix(count)))
      rest = UnsafeBufferPointer(rebasing: rest.dropFirst(count))
    }
  }

  private func add(chunk samples: UnsafeBufferPointer<Float>) {
    let frames = samples.count / format.channelCount
    var (highest, squares): (Float, Double) = (0, 0)
    for index in channels.indices {
      let chunk = channels[index].add(samples, channel: index, of: channels.count)
      highest = max(highest, chunk.highest)
      squares += chunk.squares
    }
    let isLoud = highest >= silence && highest > 0
    if isLoud { noteLoudness(in: samples) }
    floor.add(squares / Double(channels.count), frameCount: frames, isLoud: isLoud)
    frameCount += FrameCount(frames)
  }

  /// Updates `firstLoudFrame` and `endOfLoudness` from a chunk that has a loud sample.
  private func noteLoudness(in samples: UnsafeBufferPointer<Float>) {
    let isLoud = { [silence] (sample: Float) in abs(sample) >= silence && sample != 0 }
    if firstLoudFrame == nil, let first = samples.firstIndex(where: isLoud) {
      firstLoudFrame = frameCount + FrameCount(first / format.channelCount)
    }
    if let last = samples.lastIndex(where: isLoud) {
      endOfLoudness = frameCount + FrameCount(last / format.channelCount + 1)
    }
  }
}

/// The momentary, the short-term, and the integrated loudness, from the loudness of each 0.1 s.
///
/// The integrated loudness is the mean energy of the 0.4 s blocks above the two gates of BS.1770.
/// The blocks are counted in bins of 0.01 LU that store the exact energy, so memory does not grow
/// with the audio.
private struct LoudnessWindows {
  private static let momentaryCount = 4
  private static let shortTermCount = 30
  /// The loudness in LUFS that counts as silence: below it, only the decaying output of the
  /// measurement filter remains.
  private static let quietest = -200.0
  /// The absolute gate, in LUFS.
  private static let lowest = -70.0
  /// The relative gate, in LU below the mean of all blocks above the absolute gate.
  private static let relativeGate = 10.0
  private static let binsPerUnit = 100.0

  /// The energies of the latest 3 s, the newest last.
  private var energies: [Double] = []
  /// The number and the total energy of the 0.4 s blocks above the absolute gate, by loudness.
  private var bins = Array(repeating: (count: 0, energy: 0.0), count: 8_000)
  private(set) var maximumMomentary = LoudnessLevel.silence
  private(set) var maximumShortTerm = LoudnessLevel.silence

  mutating func add(_ latest: LoudnessLevel) {
    if energies.count == Self.shortTermCount { energies.removeFirst() }
    energies.append(pow(10, latest.lufs / 10))
    if energies.count >= Self.momentaryCount {
      maximumMomentary = max(maximumMomentary, momentary)
      addBlock(momentary)
    }
    if energies.count == Self.shortTermCount { maximumShortTerm = max(maximumShortTerm, shortTerm) }
  }

  private mutating func addBlock(_ loudness: LoudnessLevel) {
    guard loudness.lufs >= Self.lowest else { return }
    let bin = bin(loudness.lufs)
    bins[bin].count += 1
    bins[bin].energy += pow(10, loudness.lufs / 10)
  }

  var integrated: LoudnessLevel {
    let all = mean(of: bins[...])
    guard all.lufs.isFinite else { return .silence }
    return mean(of: bins[max(0, bin(all.lufs - Self.relativeGate))...])
  }

  var momentary: LoudnessLevel { mean(of: energies.suffix(Self.momentaryCount)) }
  var shortTerm: LoudnessLevel { mean(of: energies[...]) }

  private func bin(_ lufs: Double) -> Int {
    let bin = Int(clamping: ((lufs - Self.lowest) * Self.binsPerUnit).rounded(.down))
    return min(bin, bins.count - 1)
  }

  private func mean(of energies: ArraySlice<Double>) -> LoudnessLevel {
    guard !energies.isEmpty else { return .silence }
    let lufs = 10 * log10(energies.reduce(0, +) / Double(energies.count))
    return lufs < Self.quietest ? .silence : LoudnessLevel(lufs: lufs)
  }

  private func mean(of bins: ArraySlice<(count: Int, energy: Double)>) -> LoudnessLevel {
    let (count, energy) = bins.reduce((0, 0)) { ($0.0 + $1.count, $0.1 + $1.energy) }
    return count > 0 ? LoudnessLevel(lufs: 10 * log10(energy / Double(count))) : .silence
  }
}

/// The reason that the loudness of audio cannot be measured.
public enum LoudnessError: Error, Equatable {
  /// The format is unsupported: libebur128 measures 1 to 64 channels, at 16 Hz to 2.8 MHz.
  case unsupported(AudioFormat)

  /// The format of a buffer differs from that of the first buffer; measure each format separately.
  case formatChanged(expected: AudioFormat, actual: AudioFormat)
}

extension LoudnessError: CustomStringConvertible {
  /// A short description for users.
  public var description: String {
    switch self {
    case .unsupported(let format):
      "cannot measure the loudness of \(format); libebur128 takes 1 to 64 channels at 16 Hz to "
        + "2822400 Hz"
    case .formatChanged(let expected, let actual):
      "the audio changes from \(expected) to \(actual); measure each part separately"
    }
  }
}

/// Counts blocks by their level; a tenth of the blocks are below the noise floor.
///
/// Silent blocks count only between sounds: silence at the beginning and the end is not noise.
struct NoiseFloor: Sendable {
  private static let lowest = -150.0
  private static let binsPerDecibel = 10

  private let blockFrameCount: Int
  private var counts: [Int]
  /// The counts of the silent blocks since the last block with sound; the next sound adds them to
  /// `counts`.
  private var pending: [Int]
  private var hasPending = false
  private var hasBegun = false
  private var block = (squares: 0.0, frameCount: 0, isLoud: false)

  init(blockFrameCount: Int) {
    self.blockFrameCount = blockFrameCount
    counts = Array(repeating: 0, count: 1 + Int(-Self.lowest) * Self.binsPerDecibel)
    pending = counts
  }

  /// The number of frames until the block is full.
  var framesToBlock: Int { blockFrameCount - block.frameCount }

  /// Adds at most `framesToBlock` frames; `squares` is the sum of the samples' squares, averaged
  /// over the channels.
  mutating func add(_ squares: Double, frameCount: Int, isLoud: Bool) {
    block.squares += squares
    block.frameCount += frameCount
    block.isLoud = block.isLoud || isLoud
    guard block.frameCount == blockFrameCount else { return }
    let mean = block.squares / Double(block.frameCount)
    note(bin(Decibels(amplitude: mean.squareRoot())), isLoud: block.isLoud)
    block = (0, 0, false)
  }

  /// The level, to a tenth of a decibel; silence if there is no block with sound.
  var level: Decibels {
    let goal = (counts.reduce(0, +) + 9) / 10
    guard goal > 0 else { return .silence }
    var sum = 0
    let bin = counts.firstIndex { count in
      sum += count
      return sum >= goal
    }
    guard let bin, bin > 0 else { return .silence }
    return Decibels(Double(bin) / Double(Self.binsPerDecibel) + Self.lowest)
  }

  private mutating func note(_ bin: Int, isLoud: Bool) {
    if isLoud {
      if hasPending {
        for index in counts.indices {
          (counts[index], pending[index]) = (counts[index] + pending[index], 0)
        }
        hasPending = false
      }
      counts[bin] += 1
      hasBegun = true
    } else if hasBegun {
      pending[bin] += 1
      hasPending = true
    }
  }

  /// Returns the nearest bin; the first bin holds silence and near silence.
  private func bin(_ level: Decibels) -> Int {
    guard level.value > Self.lowest else { return 0 }
    let bin = Int(clamping: (level.value - Self.lowest) * Double(Self.binsPerDecibel))
    return min(bin, counts.count - 1)
  }
}
