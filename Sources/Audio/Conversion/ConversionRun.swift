import AudioCore
import AudioThreads
import FilePaths
import FoundationEssentials
import Glibc
import Loudness
import SoundFile
import Synchronization

/// One run of a conversion: one thread decodes, the caller's converts, and another one encodes.
final class ConversionRun: Sendable {
  private let conversion: AudioConversion
  private let interruption: WakeUp
  private let progress: @Sendable (ConversionProgress) -> Void
  private let isCancelled = Atomic(false)

  init(
    _ conversion: AudioConversion, interruption: WakeUp,
    progress: @escaping @Sendable (ConversionProgress) -> Void
  ) {
    (self.conversion, self.interruption, self.progress) = (conversion, interruption, progress)
  }

  /// Ends the run soon; any thread may call it.
  func cancel() {
    isCancelled.store(true, ordering: .releasing)
    interruption.signal()
  }

  /// Converts the sources; it blocks until all files are complete.
  func convert() throws -> ConversionResult {
    do {
      // Sources are opened once for their cues, not for each pass.
      let later = conversion.laterSources(interruption)
      let makePass = { [conversion, interruption] in
        try Pass(conversion, interruption, later: later)
      }
      guard let normalization = conversion.normalization else {
        return try write(Change(), makePass)
      }
      for source in conversion.sources where !source.isReadableTwice {
        throw ConversionError.cannotReadTwice(name: source.name)
      }
      let change = try self.change(for: normalization, makePass())
      return try write(try measured(change, makePass()), makePass, share: 0.5..<1)
    } catch {
      // An interrupted source looks damaged.
      if isCancelled.load(ordering: .acquiring) { throw CancellationError() }
      throw error
    }
  }

  /// The change that normalization makes.
  private struct Change {
    /// The gain in decibels, in addition to the conversion's own.
    var gain = 0.0
    var isLimited = false
    /// The loudness and the peak amplitude of the result; nil if they are not measured.
    var levels: (loudness: LoudnessLevel, peak: Double)?
  }

  /// Reads all audio and returns the change for the target level; silence is unchanged.
  private func change(
    for normalization: AudioConversion.Normalization, _ pass: Pass
  ) throws -> Change {
    switch normalization {
    case .peak(let target):
      let peak = try run(pass, Change(), share: 0..<0.5) { _ in }
      let gain = target.value - Decibels(amplitude: Double(peak)).value
      return Change(gain: gain.isFinite ? gain : 0)
    case .loudness(let target):
      let measurer = try Self.measurer(pass)
      let peak = try run(pass, Change(), share: 0..<0.5) { item in
        if case .audio(let buffer) = item { try measurer.add(buffer) }
      }
      let measurement = measurer.measurement
      let gain = target.lufs - measurement.integrated.lufs
      guard gain.isFinite || peak == 0 else {
        throw ConversionError.noLoudness(name: conversion.sources[0].name)
      }
      guard gain.isFinite else { return Change() }
      let truePeak = measurement.truePeak.value + gain
      return Change(gain: gain, isLimited: truePeak > TruePeakLimiter.ceiling.value)
    }
  }

  /// Reads all audio once more if the result needs the tags of ReplayGain.
  private func measured(_ change: Change, _ pass: Pass) throws -> Change {
    guard pass.metadata.hasReplayGain else { return change }
    let measurer = try Self.measurer(pass)
    let peak = try run(pass, change, share: 0.5..<0.5) { item in
      if case .audio(let buffer) = item { try measurer.add(buffer) }
    }
    var result = change
    result.levels = (measurer.measurement.integrated, Double(peak))
    return result
  }

  private static func measurer(_ pass: Pass) throws -> AudioMeasurer {
    try AudioMeasurer(pass.format, silence: Decibels(-60))
  }

  private func write(
    _ change: Change, _ makePass: () throws -> Pass, share: Range<Double> = 0..<1
  ) throws -> ConversionResult {
    let pass = try makePass()
    // Limiting lowers the loudness.
    let measurer = change.isLimited ? try Self.measurer(pass) : nil
    if let levels = change.levels {
      pass.metadata.setReplayGain(loudness: levels.loudness, peak: levels.peak)
    }
    let writing = try ConversionWriting(conversion, pass, interruption: interruption)
    let peak: Float
    do {
      peak = try run(pass, change, share: share) { item in
        if case .audio(let buffer) = item { try measurer?.add(buffer) }
        try writing.put(item)
      }
      try checkReplacement(pass.input.shortfalls)
    } catch {
      writing.abandon()
      throw error
    }
    let (files, omissions) = try writing.finish()
    return ConversionResult(
      files: files, format: pass.format, encoding: pass.encoding,
      peak: Decibels(amplitude: Double(peak)), gain: Decibels(change.gain),
      limiterGain: Decibels(amplitude: Double(pass.lowestGain)),
      limitedLoudness: measurer?.measurement.integrated,
      shortfalls: pass.input.shortfalls, notices: pass.input.notices,
      omissions: pass.metadata.notices + omissions,
      reduction: conversion.reduction(of: pass.input.mostBits, to: pass.encoding),
      mixesFormats: pass.input.mixesFormats,
      silencedSampleCount: pass.silencedSampleCount + pass.input.silencedSampleCount)
  }

  /// Throws if incomplete audio would replace a source, which may be its only copy.
  private func checkReplacement(_ shortfalls: [ConversionResult.Shortfall]) throws {
    guard let missing = shortfalls.first, case .file(let output) = conversion.destination,
      case let path = FilePath(output), conversion.sources.contains(where: { $0.isFile(at: path) })
    else { return }
    throw ConversionError.incompleteSource(
      name: missing.source.name, shortfall: missing.shortfall)
  }

  /// Reads and converts all audio; returns the peak amplitude.
  ///
  /// - Parameter share: the share of this pass in the whole work.
  private func run(
    _ pass: Pass, _ change: Change, share: Range<Double>,
    _ body: (ConversionDivider.Item) throws -> Void
  ) throws -> Float {
    let gain = Float(Decibels(conversion.gain.value + change.gain).amplitude)
    var chain = ConversionChain(
      conversion, to: pass.format, gain: gain, isLimited: change.isLimited)
    var divider = ConversionDivider(conversion.division, rate: pass.format.sampleRate)
    let reading = try ConversionReading(pass.input)
    var isDone = false
    defer {
      // Unblocks a stalled source, so that it does not delay the error.
      if !isDone { interruption.signal() }
      reading.end()
    }
    var peak: Float = 0
    var done = Duration.zero
    let total = pass.input.total
    while let buffer = try reading.next() {
      if isCancelled.load(ordering: .acquiring) { throw CancellationError() }
      for output in try chain.process(buffer) {
        peak = max(peak, output.highestAmplitude)
        for item in divider.process(output) { try body(item) }
      }
      done += buffer.duration
      progress(
        ConversionProgress(
          position: (total ?? .zero) * share.lowerBound
            + done * (share.upperBound - share.lowerBound), total: total))
    }
    if isCancelled.load(ordering: .acquiring) { throw CancellationError() }
    for output in try chain.flush() {
      peak = max(peak, output.highestAmplitude)
      for item in divider.process(output) { try body(item) }
    }
    for item in divider.flush() { try body(item) }
    (pass.silencedSampleCount, pass.lowestGain) = (chain.silencedSampleCount, chain.lowestGain)
    isDone = true
    return peak
  }
}

extension AudioConversion.Source {
  /// Whether the source can be read again: a file on a disk or on the web, not a pipe.
  fileprivate var isReadableTwice: Bool {
    guard case .file(let url) = self else { return false }
    // A missing file has its own error.
    guard url.isFileURL, let status = FilePath(url).status else { return true }
    return status.isRegularFile
  }
}

/// The resources of one pass over all sources, used by the run's thread.
private final class Pass {
  let input: any ConversionInput
  let format: AudioFormat
  let encoding: SoundFileEncoding
  var metadata: ConversionMetadata
  var silencedSampleCount = 0
  var lowestGain: Float = 1

  init(
    _ conversion: AudioConversion, _ interruption: WakeUp, later: [ConversionMetadata.LaterSource?]
  ) throws {
    input =
      conversion.combination == .mixed && conversion.sources.count > 1
      ? try MixedInput(
        conversion.sources, start: conversion.start, end: conversion.end,
        interruption: interruption)
      : try JoinedInput(
        conversion.sources, start: conversion.start, end: conversion.end,
        reportsCues: conversion.keepsMetadata, interruption: interruption)
    encoding = try conversion.encoding(for: input.first.samples)
    format = conversion.format(for: input.format, encoding)
    try encoding.check(format)
    metadata = ConversionMetadata(
      conversion, input, later: later, to: format.sampleRate, container: encoding.container)
  }
}

extension AudioConversion {
  /// Returns the encoding of the result for the sample format of the first source.
  fileprivate func encoding(
    for source: SoundFileEncoding.SampleFormat?
  ) throws -> SoundFileEncoding {
    let container = try container ?? namedContainer
    if case .descriptor(_, _, let isRaw) = destination,
      isRaw ? container != .wav : !container.isStreamable
    {
      throw ConversionError.notStreamable(container)
    }
    if let samples { return try SoundFileEncoding(container, samples: samples) }
    guard let source, !container.sampleFormats.isEmpty else { return SoundFileEncoding(container) }
    if container.sampleFormats.contains(source) {
      return try SoundFileEncoding(container, samples: source)
    }
    // Samples that exceed the container keep as many bits as it supports.
    return try SoundFileEncoding(container, samples: container.sampleFormats.last)
  }

  /// The loss of bits; nil for none, for a chosen sample format, and for a lossy coder.
  fileprivate func reduction(
    of stored: Int?, to encoding: SoundFileEncoding
  ) -> ConversionResult.BitReduction? {
    guard samples == nil, let stored, let format = encoding.samples else { return nil }
    // All audio is converted as Float32, which holds integers of up to 24 bits.
    let kept =
      switch format {
      case .int16: 16
      case .int24, .int32: 24
      case .float: 32
      }
    return stored > kept ? .init(stored: stored, kept: kept) : nil
  }

  private var namedContainer: SoundFileEncoding.Container {
    get throws {
      switch destination {
      case .descriptor: .wav
      case .file(let url):
        try SoundFileEncoding(pathExtension: FilePath(url).pathExtension).container
      case .parts(let url):
        try SoundFileEncoding(pathExtension: FilePath(url(1)).pathExtension).container
      }
    }
  }

  /// Returns the format of the result for the format of its input.
  fileprivate func format(
    for source: AudioFormat, _ encoding: SoundFileEncoding
  ) -> AudioFormat {
    var format = source
    format.sampleRate = sampleRate ?? encoding.supportedRate(for: source.sampleRate)
    let count = channelCount ?? min(source.channelCount, encoding.maximumChannelCount ?? .max)
    if count != source.channelCount { format.channelCount = count }
    return format
  }
}

/// The decoding thread.
private final class ConversionReading {
  private let blocks: Handoff<AudioBuffer>
  private let done: Handoff<Void>

  init(_ input: any ConversionInput) throws {
    let (blocks, done) = (try Handoff<AudioBuffer>(capacity: 3), try Handoff<Void>(capacity: 1))
    (self.blocks, self.done) = (blocks, done)
    // Safe because only the thread uses the input until `end` returns.
    nonisolated(unsafe) let input = input
    _ = try DedicatedThread.start(name: "syrinx-decode") {
      do {
        while let buffer = try input.next(), blocks.put(buffer) {}
        blocks.finish()
      } catch {
        blocks.finish(error)
      }
      done.finish()
    }
  }

  func next() throws -> AudioBuffer? { try blocks.next() }

  /// Ends the thread; it blocks until the input is unused.
  func end() {
    blocks.abandon()
    // The error of an ended handoff is reported elsewhere.
    _ = try? done.next()
  }
}

/// The encoding thread.
private final class ConversionWriting {
  private let items: Handoff<ConversionDivider.Item>
  private let results: Handoff<Output>

  /// The files, and the metadata that they cannot hold.
  typealias Output = (files: [ConversionResult.File], omissions: [SoundFileNotice])

  init(_ conversion: AudioConversion, _ pass: Pass, interruption: WakeUp) throws {
    let items = try Handoff<ConversionDivider.Item>(capacity: 3)
    let results = try Handoff<Output>(capacity: 1)
    (self.items, self.results) = (items, results)
    let (format, encoding, metadata) = (pass.format, pass.encoding, pass.metadata)
    let destination = conversion.destination
    _ = try DedicatedThread.start(name: "syrinx-encode") {
      let output = ConversionOutput(
        conversion, format: format, encoding: encoding, metadata: metadata,
        interruption: interruption)
      do {
        while let item = try items.next() { try output.write(item) }
        let files = try output.finish()
        _ = results.put((files, output.omissions))
        results.finish()
      } catch {
        output.discard()
        results.finish(Self.conversionError(error, writing: destination))
        items.abandon()
      }
    }
  }

  /// - Throws: the error that ended the thread.
  func put(_ item: ConversionDivider.Item) throws {
    guard !items.put(item) else { return }
    _ = try results.next()
  }

  /// Completes the files; it blocks until they are complete.
  func finish() throws -> Output {
    items.finish()
    return try results.next() ?? ([], [])
  }

  /// Discards the incomplete file; it blocks until that is done.
  func abandon() {
    items.finish(CancellationError())
    // The caller already has the error.
    _ = try? results.next()
  }

  private static func conversionError(
    _ error: any Error, writing destination: AudioConversion.Destination
  ) -> any Error {
    // Bytes that a descriptor has received cannot be removed.
    if case .descriptor = destination { return error }
    guard case SoundFileError.diskFull(let path) = error else { return error }
    return ConversionError.diskFull(name: "\(FilePath(path))")
  }
}

extension AudioBuffer {
  /// The peak amplitude of the samples.
  fileprivate var highestAmplitude: Float {
    // Without the sign bit, larger bit patterns are larger numbers.
    let bits = samples.reduce(into: UInt32(0)) { $0 = max($0, $1.bitPattern & 0x7FFF_FFFF) }
    return Float(bitPattern: bits)
  }
}
