import AudioCore
import AudioThreads
import FilePaths
import FoundationEssentials
import SoundFile

/// Writes the parts of a conversion, on one thread.
final class ConversionOutput {
  private let destination: AudioConversion.Destination
  private let sources: [AudioConversion.Source]
  private let format: AudioFormat
  private let encoding: SoundFileEncoding
  private let metadata: ConversionMetadata
  private let interruption: WakeUp
  /// Whether to create an empty file if there is no audio.
  ///
  /// If trimming leaves no audio, no file is written, because an empty file could replace the
  /// source. A stream still gets a header.
  private let makesEmptyFile: Bool
  private var files: [ConversionResult.File] = []
  private var writer: SoundFileWriter?
  private var url: URL?
  private var raw: StreamingWAVWriter?
  /// The metadata that the files cannot hold.
  private(set) var omissions: [SoundFileNotice] = []

  init(
    _ conversion: AudioConversion, format: AudioFormat, encoding: SoundFileEncoding,
    metadata: ConversionMetadata, interruption: WakeUp
  ) {
    (destination, sources) = (conversion.destination, conversion.sources)
    let isStream = if case .descriptor = conversion.destination { true } else { false }
    makesEmptyFile = conversion.division == nil && (isStream || conversion.trimming == nil)
    (self.format, self.encoding, self.metadata) = (format, encoding, metadata)
    self.interruption = interruption
  }

  func write(_ part: SoundPart) throws {
    switch part {
    case .began: break
    case .audio(let buffer):
      try begin()
      try writer?.write(buffer)
      try raw?.write(buffer)
    case .ended: try complete()
    }
  }

  /// Completes the last file.
  func finish() throws -> [ConversionResult.File] {
    if files.isEmpty, makesEmptyFile { try begin() }
    try complete()
    if let raw {
      omissions =
        encoding.container.storable(
          metadata.whole, at: format.sampleRate, isStream: true
        ).notices
      files.append(ConversionResult.File(url: nil, frameCount: raw.framesWritten))
    }
    return files
  }

  /// Discards the incomplete file.
  func discard() {
    writer?.discard()
    writer = nil
  }

  private func begin() throws {
    guard writer == nil, raw == nil else { return }
    switch destination {
    case .file(let file): try open(file)
    case .parts(let file): try openPart(file(files.count + 1))
    case .descriptor(let number, let name, isRaw: true):
      raw = try StreamingWAVWriter(
        fileDescriptor: number, name: name, format: format, samples: encoding.samples ?? .int16,
        isRaw: true, stopSignal: interruption)
    case .descriptor(let number, let name, isRaw: false):
      writer = try SoundFileWriter(
        fileDescriptor: number, name: name, format: format, encoding: encoding,
        metadata: metadata.whole, stopSignal: interruption)
    }
  }

  /// Opens the file of a part; throws if the file is a source, because the part lacks some of that
  /// source's audio.
  private func openPart(_ file: URL) throws {
    let path = FilePath(file)
    guard !sources.contains(where: { $0.isFile(at: path) }) else {
      throw ConversionError.partIsSource(name: "\(path)")
    }
    try open(file)
  }

  private func open(_ file: URL) throws {
    url = file
    writer = try SoundFileWriter(
      url: file, format: format, encoding: encoding, isAtomic: true,
      metadata: metadata.part(files.count + 1))
  }

  private func complete() throws {
    guard let writer else { return }
    try writer.close()
    omissions += writer.notices.filter { !omissions.contains($0) }
    files.append(ConversionResult.File(url: url, frameCount: writer.framesWritten))
    self.writer = nil
  }
}
