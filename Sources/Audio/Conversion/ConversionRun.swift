import AudioCore
import AudioThreads
import FilePaths
import FoundationEssentials
import Glibc
import Loudness
import SoundFile
import Synchronization

/// One run of a conversion: one thread decodes, the calling thread converts, and a third encodes.
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

  /// Ends the run as soon as possible; any thread may call this method.
  func cancel() {
    isCancelled.store(true, ordering: .releasing)
    interruption.signal()
  }

  /// Converts the sources, and returns when all files are complete.
  func convert() throws -> ConversionResult {
    do {
      // The later sources are opened once for their cues, not in each pass.
      let later = conversion.laterSources(interruption)
      guard let normalization = conversion.normalization else {
        return try write(ConversionPass(conversion, interruption, later: later), share: 0..<1)
      }
      for source in conversion.sources where !source.isReadableTwice {
        throw ConversionError.cannotReadTwice(name: source.name)
      }
      // The pass is not kept in a variable, so its readers are released before the next pass opens
      // new readers.
      let (gain, isLimited) = try change(
        for: normalization, ConversionPass(conversion, interruption, later: later))
      let makePass = { [conversion, interruption] in
        try ConversionPass(
          conversion, interruption, later: later, gain: gain, isLimited: isLimited)
      }
      let levels = try levels(makePass())
      let last = try makePass()
      if let levels {
        last.metadata.setReplayGain(loudness: levels.loudness, peak: levels.peak)
      }
      return try write(last, share: 0.5..<1)
    } catch {
      // An interrupted source looks damaged, so its error is not reported.
      if isCancelled.load(ordering: .acquiring) { throw CancellationError() }
      throw error
    }
  }

  /// Reads all audio, and returns the gain in decibels that reaches the target level, and whether
  /// peaks must be limited.
  ///
  /// The gain for silent audio is 0.
  private func change(
    for normalization: AudioConversion.Normalization, _ pass: ConversionPass
  ) throws -> (gain: Double, isLimited: Bool) {
    switch normalization {
    case .peak(let target):
      try run(pass, share: 0..<0.5) { _ in }
      let gain = target.value - Decibels(amplitude: Double(pass.peak)).value
      return (gain.isFinite ? gain : 0, false)
    case .loudness(let target):
      let measurement = try measured(pass, share: 0..<0.5)
      let gain = target.lufs - measurement.integrated.lufs
      guard gain.isFinite || pass.peak == 0 else {
        throw ConversionError.noLoudness(name: conversion.sources[0].name)
      }
      guard gain.isFinite else { return (0, false) }
      let truePeak = measurement.truePeak.value + gain
      return (gain, truePeak > TruePeakLimiter.ceiling.value)
    }
  }

  /// If the result needs ReplayGain tags, reads all audio once more, and returns the loudness and
  /// the peak amplitude of the result.
  private func levels(
    _ pass: ConversionPass
  ) throws -> (loudness: LoudnessLevel, peak: Double)? {
    guard pass.metadata.hasReplayGain else { return nil }
    let measurement = try measured(pass, share: 0.5..<0.5)
    return (measurement.integrated, Double(pass.peak))
  }

  /// Reads and measures all audio.
  private func measured(_ pass: ConversionPass, share: Range<Double>) throws -> AudioMeasurement {
    let measurer = try pass.measurer()
    try run(pass, share: share) { part in
      if case .audio(let buffer) = part { try measurer.add(buffer) }
    }
    return measurer.measurement
  }

  private func write(_ pass: ConversionPass, share: Range<Double>) throws -> ConversionResult {
    // Limiting lowers the loudness, so the result is measured again.
    let measurer = pass.isLimited ? try pass.measurer() : nil
    let writing = try ConversionWriting(conversion, pass, interruption: interruption)
    do {
      try run(pass, share: share) { part in
        if case .audio(let buffer) = part { try measurer?.add(buffer) }
        try writing.put(part)
      }
      try checkReplacement(pass.input.shortfalls)
    } catch {
      writing.abandon()
      throw error
    }
    let (files, omissions) = try writing.finish()
    return ConversionResult(
      files: files, format: pass.format, encoding: pass.encoding,
      peak: Decibels(amplitude: Double(pass.peak)), gain: Decibels(pass.gain),
      limiterGain: Decibels(amplitude: Double(pass.lowestGain)),
      limitedLoudness: measurer?.measurement.integrated,
      shortfalls: pass.input.shortfalls, notices: pass.input.notices,
      omissions: pass.metadata.notices + omissions,
      reduction: conversion.reduction(of: pass.input.mostBits, to: pass.encoding),
      mixesFormats: pass.input.mixesFormats,
      silencedSampleCount: pass.silencedSampleCount + pass.input.silencedSampleCount)
  }

  /// Throws if incomplete audio would replace a source, which may be the only copy of its audio.
  private func checkReplacement(_ shortfalls: [ConversionResult.Shortfall]) throws {
    guard let missing = shortfalls.first, case .file(let output) = conversion.destination,
      case let path = FilePath(output), conversion.sources.contains(where: { $0.isFile(at: path) })
    else { return }
    throw ConversionError.incompleteSource(
      name: missing.source.name, shortfall: missing.shortfall)
  }

  /// Reads and converts all audio.
  ///
  /// `share` is the part of the reported progress that this pass covers.
  private func run(
    _ pass: ConversionPass, share: Range<Double>, _ body: (SoundPart) throws -> Void
  ) throws {
    let blocks = try Handoff<AudioBuffer>(capacity: 3)
    let hasDecoded = try Self.decode(pass.input, to: blocks)
    var isDone = false
    defer {
      // Unblocks a stalled source, so that it does not delay the error.
      if !isDone { interruption.signal() }
      blocks.abandon()
      // After this wait, no other thread uses the input.
      hasDecoded.wait()
    }
    var done = Duration.zero
    let total = pass.input.total
    while let buffer = try blocks.next() {
      if isCancelled.load(ordering: .acquiring) { throw CancellationError() }
      for part in try pass.process(buffer) { try body(part) }
      done += buffer.duration
      progress(
        ConversionProgress(
          position: (total ?? .zero) * share.lowerBound
            + done * (share.upperBound - share.lowerBound), total: total))
    }
    if isCancelled.load(ordering: .acquiring) { throw CancellationError() }
    for part in try pass.flush() { try body(part) }
    isDone = true
  }

  /// Starts the decoding thread; the returned signal reports its end.
  private static func decode(
    _ input: ConversionInput, to blocks: Handoff<AudioBuffer>
  ) throws -> WakeUp {
    let ended = try WakeUp()
    // Safe because only the decoding thread uses the input until that thread signals its end.
    nonisolated(unsafe) var input: ConversionInput? = input
    _ = try DedicatedThread.start(name: "syrinx-decode") {
      do {
        // `source` is released before the signal, so its files are closed when `ended` is signaled.
        let source = input.take()
        while let buffer = try source?.next(), blocks.put(buffer) {}
        blocks.finish()
      } catch {
        blocks.finish(error)
      }
      ended.signal()
    }
    return ended
  }
}

extension AudioConversion.Source {
  /// Whether the source can be read again: a file on a disk or on the web, not a pipe.
  fileprivate var isReadableTwice: Bool {
    guard case .file(let url) = self else { return false }
    // A missing file counts as readable, because opening it throws a better error.
    guard url.isFileURL, let status = FilePath(url).status else { return true }
    return status.isRegularFile
  }
}

/// The encoding thread.
private final class ConversionWriting {
  private let parts: Handoff<SoundPart>
  private let results: Handoff<Output>

  /// The files, and the metadata that they cannot hold.
  typealias Output = (files: [ConversionResult.File], omissions: [SoundFileNotice])

  init(_ conversion: AudioConversion, _ pass: ConversionPass, interruption: WakeUp) throws {
    let parts = try Handoff<SoundPart>(capacity: 3)
    let results = try Handoff<Output>(capacity: 1)
    (self.parts, self.results) = (parts, results)
    let (format, encoding, metadata) = (pass.format, pass.encoding, pass.metadata)
    let destination = conversion.destination
    _ = try DedicatedThread.start(name: "syrinx-encode") {
      let output = ConversionOutput(
        conversion, format: format, encoding: encoding, metadata: metadata,
        interruption: interruption)
      do {
        while let part = try parts.next() { try output.write(part) }
        let files = try output.finish()
        _ = results.put((files, output.omissions))
        results.finish()
      } catch {
        output.discard()
        results.finish(Self.conversionError(error, writing: destination))
        parts.abandon()
      }
    }
  }

  /// Passes a part to the encoding thread.
  ///
  /// - Throws: the error that ended the thread.
  func put(_ part: SoundPart) throws {
    guard !parts.put(part) else { return }
    _ = try results.next()
  }

  /// Waits until the files are complete, and returns them.
  func finish() throws -> Output {
    parts.finish()
    return try results.next() ?? ([], [])
  }

  /// Discards the incomplete file, and waits until the encoding thread has finished.
  func abandon() {
    parts.finish(CancellationError())
    // The error is dropped, because the caller already has it.
    _ = try? results.next()
  }

  private static func conversionError(
    _ error: any Error, writing destination: AudioConversion.Destination
  ) -> any Error {
    // A descriptor keeps the bytes that it has received, so its error stays:
    // `ConversionError.diskFull` would mean that no part of the file is left.
    if case .descriptor = destination { return error }
    guard case SoundFileError.diskFull(let path) = error else { return error }
    return ConversionError.diskFull(name: "\(FilePath(path))")
  }
}
