import AudioCore
import AudioThreads
import FilePaths
import FoundationEssentials
import Glibc
import Resampling
import SoundFile

/// The audio of all sources, joined or mixed, read on one thread.
///
/// Mixed sources are converted to one format, with their highest rate and their most channels.
final class ConversionInput {
  /// The format of the audio if no other format is requested.
  let format: AudioFormat
  /// Whether the sources to mix have different formats and are converted to `format`.
  let mixesFormats: Bool
  /// The number of NaN or infinite samples that this step has silenced.
  private(set) var silencedSampleCount = 0

  /// The sources to mix; a single input with all sources if they are joined.
  private let inputs: [JoinedInput]
  private let start: Duration
  private var resamplers: [StreamResampler]
  private var waiting: [[AudioBuffer]]
  private var hasEnded: [Bool]
  private var mixer: AudioMixer

  init(_ conversion: AudioConversion, interruption: WakeUp) throws {
    start = conversion.start
    let isMixed = conversion.combination == .mixed && conversion.sources.count > 1
    inputs = try (isMixed ? conversion.sources.map { [$0] } : [conversion.sources]).map {
      try JoinedInput(
        $0, raw: conversion.raw, start: conversion.start, end: conversion.end,
        mayEndBeforeStart: isMixed,
        reportsCues: conversion.keepsMetadata, interruption: interruption)
    }
    let formats = inputs.map(\.first.format)
    var format = formats[0]
    for other in formats where other.channelCount > format.channelCount { format = other }
    format.sampleRate = formats.map(\.sampleRate).max() ?? format.sampleRate
    self.format = format
    mixesFormats = formats.contains {
      $0.sampleRate != format.sampleRate || $0.channelCount != format.channelCount
    }
    resamplers = inputs.map { [format] _ in StreamResampler(to: format) }
    waiting = Array(repeating: [], count: inputs.count)
    hasEnded = Array(repeating: false, count: inputs.count)
    mixer = AudioMixer(gains: Array(repeating: 1 / Float(inputs.count), count: inputs.count))
  }

  /// The first source, which determines the properties that the conversion does not set.
  var first: SoundFileReader { inputs[0].first }

  /// The duration from start to end, if it is known.
  var total: Duration? {
    let lengths = inputs.compactMap(\.total)
    return lengths.count == inputs.count ? lengths.max() : nil
  }

  var shortfalls: [ConversionResult.Shortfall] { inputs.flatMap(\.shortfalls) }

  var notices: [ConversionResult.Notice] { inputs.flatMap(\.notices) }

  /// The highest number of bits per sample of a source; nil if all are lossy.
  var mostBits: Int? { inputs.compactMap(\.mostBits).max() }

  /// Returns the next block; nil at the end.
  func next() throws -> AudioBuffer? {
    guard inputs.count > 1 else { return try inputs[0].next() }
    while true {
      switch mixer.step() {
      case .give(let buffer): return buffer
      case .end:
        try checkStart()
        return nil
      case .ask(let index):
        guard let buffer = try next(of: index) else {
          mixer.end(of: index)
          continue
        }
        try mixer.push(buffer, from: index)
      }
    }
  }

  /// Throws if all sources end before the start.
  private func checkStart() throws {
    let lengths = inputs.compactMap(\.lengthBeforeStart)
    guard lengths.count == inputs.count, let length = lengths.max() else { return }
    throw ConversionError.startAfterEnd(start: start, end: length)
  }

  private func next(of index: Int) throws -> AudioBuffer? {
    while waiting[index].isEmpty, !hasEnded[index] {
      if var buffer = try inputs[index].next() {
        silencedSampleCount += buffer.silenceNonFinite()?.count ?? 0
        waiting[index] = try resamplers[index].process(buffer)
      } else {
        hasEnded[index] = true
        waiting[index] = try resamplers[index].flush()
      }
    }
    return waiting[index].isEmpty ? nil : waiting[index].removeFirst()
  }
}

extension AudioConversion.Source {
  /// Opens the source; if the source is a stream, signaling `interruption` ends it.
  func open(_ raw: RawAudioFormat?, _ interruption: WakeUp) throws -> SoundFileReader {
    switch self {
    case .file(let url): try SoundFileReader(url: url, raw: raw, interruption: interruption)
    case .descriptor(let number, let name):
      try SoundFileReader(
        fileDescriptor: number, name: name, raw: raw, interruption: interruption)
    }
  }

  /// Whether the source is a file on a disk, which can be read twice.
  var isLocalFile: Bool {
    guard case .file(let url) = self, url.isFileURL, let status = FilePath(url).status else {
      return false
    }
    return status.isRegularFile
  }

  /// Whether the source is the file at a path; standard input can be that file, too.
  func isFile(at path: FilePath) -> Bool {
    switch self {
    case .file(let url): return url.isFileURL && path.isSameFile(as: FilePath(url))
    case .descriptor(let number, _):
      var own = stat()
      guard fstat(number, &own) == 0, let other = path.status else { return false }
      return own.isSameFile(as: other)
    }
  }

  /// The name in error messages.
  public var name: String {
    switch self {
    case .file(let url): url.isFileURL ? "\(FilePath(url))" : url.absoluteString
    case .descriptor(_, let name): name
    }
  }
}

/// Returns the length of a block: short enough for a processor's cache, and long enough that
/// threads rarely wait.
private func blockLength(_ format: AudioFormat) -> FrameCount {
  FrameCount(max(256, 32_768 / format.channelCount))
}

/// Reads the sources in order, from start to end.
final class JoinedInput {
  let first: SoundFileReader
  private(set) var shortfalls: [ConversionResult.Shortfall] = []
  private(set) var notices: [ConversionResult.Notice] = []
  private(set) var mostBits: Int?
  /// The duration of all sources, set if they end before the start.
  private(set) var lengthBeforeStart: Duration?

  private let mayEndBeforeStart: Bool
  private let reportsCues: Bool
  private let interruption: WakeUp
  private let raw: RawAudioFormat?
  private let start: Duration
  private let end: Duration?
  private var sources: ArraySlice<AudioConversion.Source>
  private var reader: SoundFileReader?
  private var source: AudioConversion.Source
  /// The duration of the sources before the current source.
  private var before = Duration.zero
  private var position: FrameCount = 0
  private let isAlone: Bool

  /// Opens the first source.
  ///
  /// If `mayEndBeforeStart` is true, sources may end before the start without an error. If
  /// `reportsCues` is true, a notice reports the lost cues of each later source that is a stream.
  init(
    _ sources: [AudioConversion.Source], raw: RawAudioFormat?, start: Duration, end: Duration?,
    mayEndBeforeStart: Bool, reportsCues: Bool, interruption: WakeUp
  ) throws {
    (self.mayEndBeforeStart, self.reportsCues) = (mayEndBeforeStart, reportsCues)
    (self.raw, self.start, self.end, self.interruption) = (raw, start, end, interruption)
    self.sources = sources.dropFirst()
    source = sources[0]
    isAlone = sources.count == 1
    first = try source.open(raw, interruption)
    reader = first
    mostBits = first.bitsPerSample
    try skip(first)
  }

  var total: Duration? {
    guard isAlone, let frames = first.announcedFrameCount else { return nil }
    let last = frames.duration(at: first.format.sampleRate)
    return max(.zero, min(last, end ?? last) - start)
  }

  func next() throws -> AudioBuffer? {
    while let reader {
      var length = blockLength(reader.format)
      if let end { length = min(length, offset(end, in: reader) - reader.position) }
      guard length > 0 else { return nil }
      var buffer = try reader.read(atMost: length)
      guard buffer.isEmpty else {
        buffer.firstFrame = position
        position += buffer.frameCount
        return buffer
      }
      try openNext(after: reader)
    }
    return nil
  }

  /// Returns the frame of the current source at a time on the timeline of all sources.
  private func offset(_ time: Duration, in reader: SoundFileReader) -> FrameCount {
    FrameCount(max(.zero, time - before), at: reader.format.sampleRate)
  }

  private func openNext(after reader: SoundFileReader) throws {
    if let shortfall = reader.shortfall {
      shortfalls.append(ConversionResult.Shortfall(source: source, shortfall: shortfall))
    }
    notices += reader.notices.map { ConversionResult.Notice(source: source, notice: $0) }
    let format = reader.format
    before += reader.position.duration(at: format.sampleRate)
    self.reader = nil
    guard let next = sources.popFirst() else {
      guard start > .zero, before <= start else { return }
      lengthBeforeStart = before
      guard mayEndBeforeStart else {
        throw ConversionError.startAfterEnd(start: start, end: before)
      }
      return
    }
    source = next
    let opened = try next.open(raw, interruption)
    self.reader = opened
    if reportsCues, !next.isLocalFile, !opened.metadata.cues.isEmpty {
      let lost = SoundFileNotice.omitted(
        "the cues and chapters", reason: "a stream after another input can be read only once")
      notices.append(ConversionResult.Notice(source: next, notice: lost))
    }
    mostBits = [mostBits, opened.bitsPerSample].compactMap(\.self).max()
    if opened.format != format {
      position = FrameCount(
        position.duration(at: format.sampleRate), at: opened.format.sampleRate)
    }
    try skip(opened)
  }

  /// Seeks to the start of the audio, or to the end of this source if the source ends earlier.
  private func skip(_ reader: SoundFileReader) throws {
    let target = offset(start, in: reader)
    guard target > 0 else { return }
    // A header may understate the length, so a target past the announced end is reached by reading.
    if reader.isSeekable, let length = reader.announcedFrameCount, target < length {
      return try reader.seek(to: target)
    }
    while reader.position < target {
      let rest = min(target - reader.position, blockLength(reader.format))
      if try reader.read(atMost: rest).isEmpty { return }
    }
  }
}
