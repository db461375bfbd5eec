import ArgumentParser
import AudioCore
import AudioThreads
import FilePaths
import SoundFile

/// `syrinx info`: prints what sound files say about themselves.
struct InfoCommand: FileListSubcommand {
  static let configuration = CommandConfiguration(
    commandName: "info",
    abstract: "Print the format, length, and tags of sound files.",
    discussion: """
      Examples:
        syrinx info talk.flac
        syrinx info *.wav --json
        syrinx info https://example.org/talk.m4a

      It reads only the header, and the end of the file to check that it is complete. For a pipe, \
      the length comes from its header, if there is one. The length of a file that FFmpeg decodes is \
      unknown, and its end is not checked. A file that cannot be read and a truncated file are reported; \
      the others are printed, and the exit status is 1.

      \(FileInfoRecord.schema)
      """)

  @Argument(
    help: """
      Files in any format that `syrinx play` reads, and http:// and https:// addresses; - for \
      standard input.
      """)
  var files: [FilePath]

  @Flag(help: "Print one JSON object per file, each on one line.")
  var json = false

  @OptionGroup var parallel: JobsOption

  @OptionGroup var common: CommonOptions

  func validate() throws {
    try checkStandardInput(files)
  }

  func perform(in context: CommandContext) async throws {
    try await context.forEachFile(
      files, jobs: parallel.count, inputs: { [$0] }, describe
    ) { file, result in
      try context.checkInterruption()
      switch result {
      case .success(let info):
        let record = FileInfoRecord(file, info)
        try await context.console.print(json ? try record.jsonLine() : record.text(info))
        guard let shortfall = info.shortfall else { return true }
        await context.console.report("\(FileProblem.shortfall(shortfall, file: file))")
      case .failure(let error): await context.console.report("\(error)")
      }
      return false
    }
  }
}

/// Reads a file's description, on a thread that may wait for it.
private func describe(_ file: FilePath) async -> Result<AudioFileInfo, SoundFileError> {
  let unread = SoundFileError.cannotRead(path: file.text, reason: "the command is ending")
  return await DedicatedThread.run(
    name: "syrinx-info", abandoned: .failure(unread),
    failed: { .failure(.cannotRead(path: file.text, reason: "\($0)")) },
    {
      Result { () throws(SoundFileError) in
        file == "-" ? try AudioFileInfo(fileDescriptor: 0) : try AudioFileInfo(url: file.source)
      }
    })
}

/// The output of `syrinx info --json`.
struct FileInfoRecord: Encodable {
  struct Cue: Encodable {
    let seconds: Double
    let name: String?
  }

  let file: FilePath
  let container: String
  let encoding: String
  let sampleRate: Int
  let channels: Int
  let layout: [String]
  let bits: Int?
  let frames: Int?
  let seconds: Double?
  let bytes: Int?
  let bitRate: Int?
  let tags: [String: String]
  let cues: [Cue]
  let missing: String?

  init(_ file: FilePath, _ info: AudioFileInfo) {
    self.file = file
    (container, encoding) = (info.container, info.encoding)
    (sampleRate, channels) = (info.format.sampleRate.hertz, info.format.channelCount)
    layout = info.format.layout.positions.map(\.abbreviation)
    (bits, frames) = (info.bitsPerSample, info.frameCount?.rawValue)
    (seconds, bytes, bitRate) = (info.duration?.inRecordSeconds, info.byteCount, info.bitRate)
    tags = .init(uniqueKeysWithValues: info.tags.map { ($0.key.rawValue, $0.value) })
    cues = info.cues.map { cue in
      let time = cue.frame.duration(at: info.format.sampleRate)
      return Cue(seconds: time.inRecordSeconds, name: cue.name.isEmpty ? nil : cue.name)
    }
    missing = info.shortfall.map { "\($0)" }
  }

  /// The lines for people.
  func text(_ info: AudioFileInfo) -> String {
    let bits = bits.map { "\($0) bit" }
    let length = info.duration.map { "\($0.clockText) (\(frames ?? 0) frames)" } ?? "unknown"
    let size = bytes.map { "\($0) bytes" }
    let rate = bitRate.map { "\(($0 + 500) / 1_000) kbit/s" }
    var lines = [
      ("file", "\(file)"), ("format", "\(container), \(encoding)"),
      (
        "audio",
        [
          "\(sampleRate) Hz",
          "\(channels) \(channels == 1 ? "channel" : "channels") (\(info.format.layout))", bits,
        ]
        .compactMap { $0 }.joined(separator: ", ")
      ), ("length", length),
    ]
    let parts = [size, rate].compactMap { $0 }
    if !parts.isEmpty { lines.append(("size", parts.joined(separator: ", "))) }
    lines += AudioTag.allCases.compactMap { tag in
      info.tags[tag].map { (tag == .trackNumber ? "track" : tag.rawValue, $0) }
    }
    lines += info.cues.map { cue in
      ("cue", "\(cue.frame.duration(at: info.format.sampleRate).clockText) \(cue.name)")
    }
    if let missing { lines.append(("missing", missing)) }
    return lines.map { name, value in (name + " ").padded(to: 11) + value.printable }
      .joined(separator: "\n")
  }

  /// The documentation of the JSON in the help.
  static let schema = """
    With --json, each file is an object: "file" (as given; \(FilePath.jsonHelp)), "container", \
    "encoding", "sampleRate", "channels", "layout" (FL, FR, and so on), "bits", "frames", "seconds", \
    "bytes", "bitRate" in bit/s, "tags" (title, artist, album, date, trackNumber, genre, comment, \
    copyright, license), "cues" with "seconds" and "name", and "missing" for a truncated file. \
    Unknown values are left out.
    """
}
