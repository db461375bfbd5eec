import ArgumentParser
import AudioCore
import AudioThreads
import ClientDependencies
import FilePaths
import SoundFile

/// `syrinx info`: prints the descriptions of sound files.
struct InfoCommand: FileListSubcommand {
  static let configuration = CommandConfiguration(
    commandName: "info",
    abstract: "Print the format, length, and tags of sound files.",
    discussion: """
      Examples:
        syrinx info talk.flac
        syrinx info *.wav --json
        syrinx info --verify backup.flac

      Without --verify, it reads only the header, and the end of the file to check that it is \
      complete. For a pipe, the length comes from its header, if there is one. FFmpeg's ffprobe \
      describes the files that FFmpeg decodes; their ends are not checked. Unreadable and truncated \
      files are reported; the others are printed, and the exit status is 1.

      \(JSONRecord.fileInfoSchema)
      """)

  @Argument(
    help: """
      Files in any format that `syrinx play` reads, and http:// and https:// addresses; - for \
      standard input.
      """)
  var files: [FilePath]

  @Flag(
    help: """
      Decode each file to its end, and report damage and the length that was found. A wrong MD5 sum \
      of FLAC is an error.
      """)
  var verify = false

  @OptionGroup var raw: RawInputOptions

  @OptionGroup var json: JSONOption

  @OptionGroup var parallel: JobsOption

  @OptionGroup var common: CommonOptions

  var rawInput: RawAudioFormat? { raw.format }

  func validate() throws {
    try checkOperands(files)
  }

  func perform(in context: CommandContext) async throws {
    // The stop signal ends the read of a pipe. It also ends FFmpeg while FFmpeg waits for a web
    // server.
    try await context.signals.finishing(with: {}) {
      try await describeFiles(in: context)
    }
  }

  private func describeFiles(in context: CommandContext) async throws {
    let jobs = parallel.count
    try await context.forEachFile(batches(jobs: jobs), jobs: jobs, inputs: { $0 }) {
      [json = json.isOn, verify] files, _ in
      await descriptions(
        of: files, json: json, verifies: verify, stopSignal: context.signals.stopSignal)
    } _: { _, descriptions in
      try context.checkInterruption()
      // All descriptions up to the next problem are printed with a single write, which is faster.
      var rest = descriptions[...]
      while !rest.isEmpty {
        let count = rest.prefix { $0.problem == nil }.count + 1
        let texts = rest.prefix(count).compactMap(\.text)
        if !texts.isEmpty { try await context.console.print(texts.joined(separator: "\n")) }
        if let problem = rest.prefix(count).last?.problem { await context.console.report(problem) }
        rest = rest.dropFirst(count)
      }
      return descriptions.allSatisfy { $0.problem == nil }
    }
  }

  /// Groups small files, because a thread and a write for each file would cost more than reading
  /// the file.
  private func batches(jobs: Int) -> [[FilePath]] {
    // With few files, the size is 1, so each file is printed as soon as it is read.
    let size = min(64, max(1, files.count / (16 * jobs)))
    var (batches, isShared): ([[FilePath]], Bool) = ([], false)
    for file in files {
      // Each pipe is read on its own thread, because the read may wait for the pipe's writer.
      let isRegular = size > 1 && file.status?.isRegularFile == true
      if isRegular, isShared, let count = batches.last?.count, count < size {
        batches[batches.count - 1].append(file)
      } else {
        batches.append([file])
      }
      isShared = isRegular
    }
    return batches
  }
}

/// The text to print for a file, and the problem to report.
private typealias Description = (text: String?, problem: String?)

/// Describes files on a separate thread, because reading may block.
private func descriptions(
  of files: [FilePath], json: Bool, verifies: Bool, stopSignal: WakeUp?
) async -> [Description] {
  @Dependency(\.rawInput) var raw
  return await DedicatedThread.run(
    name: "syrinx-info", abandoned: [],
    failed: { error in
      files.map { file in
        failure(
          SoundFileError.cannotRead(path: file.text, reason: "\(error)"), of: file, json: json)
      }
    },
    { [raw] in
      files.map { file in
        do {
          return try description(
            of: file, raw, json: json, verifies: verifies, stopSignal: stopSignal)
        } catch {
          return failure(error, of: file, json: json)
        }
      }
    })
}

private func description(
  of file: FilePath, _ raw: RawAudioFormat?, json: Bool, verifies: Bool, stopSignal: WakeUp?
) throws -> Description {
  let info =
    verifies
    ? try verified(file, raw, stopSignal: stopSignal)
    : file == "-"
      ? try AudioFileInfo(fileDescriptor: 0, raw: raw, interruption: stopSignal)
      : try AudioFileInfo(url: file.source, raw: raw, interruption: stopSignal)
  let problem =
    info.shortfall.map { FileProblem.shortfall($0, file: file) }
    ?? (info.notices.contains(.wrongDigest) ? .notice(.wrongDigest, file: file) : nil)
  return (
    json ? try JSONRecord(file, info).jsonLine() : info.text(file), problem.map { "\($0)" }
  )
}

/// Describes a file after decoding all of it.
private func verified(
  _ file: FilePath, _ raw: RawAudioFormat?, stopSignal: WakeUp?
) throws -> AudioFileInfo {
  let reader =
    file == "-"
    ? try SoundFileReader(fileDescriptor: 0, raw: raw, interruption: stopSignal)
    : try SoundFileReader(url: file.source, raw: raw, interruption: stopSignal)
  return try AudioFileInfo(decoding: reader, interruption: stopSignal)
}

/// Returns the description of an unreadable file, with text to print only for JSON output.
private func failure(_ error: any Error, of file: FilePath, json: Bool) -> Description {
  // JSON can express all names and messages, so encoding cannot fail.
  (json ? try? JSONRecord(file, error: "\(error)").jsonLine() : nil, "\(error)")
}

extension AudioTag {
  /// The name of the tag in JSON and on the terminal.
  ///
  /// Common tags have lowercase names; other tags have the names in the file.
  fileprivate var recordKey: String {
    guard AudioTag.common.contains(self) else { return name }
    return self == .trackNumber ? "trackNumber" : name.lowercased()
  }
}

/// Creates the records that `syrinx info --json` prints.
extension JSONRecord {
  /// The help text about the JSON output.
  static let fileInfoSchema = """
    With --json, each file is an object: "file" (as given; \(FilePath.jsonHelp)), "container", \
    "encoding", "rate", "channelCount", "layout" (FL, FR, and so on), "bits", "frames", "length" in seconds, \
    "bytes", "bitRate" in bit/s, "tags" (title, artist, album, date, trackNumber, genre, comment, \
    copyright, license, and others in capitals; a tag with several values has an array), "pictures" with \
    "kind" (3 for the front cover), "mediaType", "bytes", and "text", "cues" with "position" and for \
    chapters "length" in seconds, and "name", "notices" about the file, and \
    "missing" for a truncated file. If "missing" contains "about", "frames" and "length" are estimates. Unknown values are omitted. \
    A file that failed is an object with "file" and "error".
    """

  init(_ file: FilePath, _ info: AudioFileInfo) {
    let (metadata, rate) = (info.metadata, info.format.sampleRate)
    self = [
      "file": file, "container": info.container, "encoding": info.encoding, "rate": rate.hertz,
      "channelCount": info.format.channelCount,
      "layout": info.format.layout.positions.map(\.abbreviation), "bits": info.bitsPerSample,
      "frames": info.frameCount?.rawValue, "length": info.duration?.inRecordSeconds,
      "bytes": info.byteCount, "bitRate": info.bitRate,
      "missing": info.shortfall.map { "\($0)" },
      "notices": info.notices.map { "\($0)" }.unlessEmpty,
    ]
    // A tag with one value becomes a string, and a tag with several values an array.
    var tags: JSONRecord = [:]
    for (tag, values) in metadata.tags {
      if values.count == 1 { tags[tag.recordKey] = values[0] } else { tags[tag.recordKey] = values }
    }
    self["tags"] = tags
    self["pictures"] =
      metadata.pictures.map { picture -> JSONRecord in
        [
          "kind": picture.kind, "mediaType": picture.mediaType, "bytes": picture.content.count,
          "text": picture.text.unlessEmpty,
        ]
      }.unlessEmpty
    self["cues"] = metadata.cues.map { cue -> JSONRecord in
      [
        "position": cue.frame.duration(at: rate).inRecordSeconds,
        "length": cue.length.map { $0.duration(at: rate).inRecordSeconds },
        "name": cue.name.unlessEmpty,
      ]
    }
  }
}

extension AudioFileInfo {
  /// Returns the human-readable lines; a report about a truncated file is printed after them.
  fileprivate func text(_ file: FilePath) -> String {
    let audio: [String?] = [
      "\(format.sampleRate.hertz) Hz",
      "\(format.channelCount.counted("channel")) (\(format.layout))",
      bitsPerSample.map { "\($0) bit" },
    ]
    let about = shortfall?.isEstimate == true ? "about " : ""
    let frames = frameCount.map { " (\(about)\($0.rawValue.counted("frame")))" } ?? ""
    let length = duration.map { "\(about)\($0.clockText)" + frames }
    let sizes = [
      byteCount.map { "\($0) bytes" }, bitRate.map { "\(($0 + 500) / 1_000) kbit/s" },
    ].compactMap(\.self)
    // A format with only one encoding has the same name as the encoding, so show the name once.
    let name = container == encoding ? container : "\(container), \(encoding)"
    var lines = [
      ("file", "\(file)"), ("format", name),
      ("audio", audio.compactMap(\.self).joined(separator: ", ")), ("length", length ?? "unknown"),
    ]
    if !sizes.isEmpty {
      lines.append((byteCount == nil ? "bit rate" : "size", sizes.joined(separator: ", ")))
    }
    lines += metadata.tags.inOrder.flatMap { tag, values in
      values.map { (tag == .trackNumber ? "track" : tag.recordKey, $0) }
    }
    lines += metadata.pictures.map { picture in
      let kind = picture.kind == AudioPicture.frontCover ? "front cover" : "kind \(picture.kind)"
      return ("picture", "\(picture.mediaType), \(picture.content.count) bytes, \(kind)")
    }
    lines += metadata.cues.map { cue in
      ("cue", "\(cue.frame.duration(at: format.sampleRate).clockText) \(cue.name)")
    }
    lines += notices.map { ("note", "\($0)") }
    return lines.map { name, value in
      (name.printableLine + " ").padded(to: 11) + value.printableLine
    }
    .joined(separator: "\n")
  }
}
