import AudioCore
import AudioThreads

/// Decodes the output of FFmpeg; to seek, it starts another FFmpeg at the new time.
final class FFmpegDecoder: SoundDecoder {
  let format: AudioFormat
  let encodingDescription: String
  // The header in FFmpeg's pipe has no length.
  let announcedFrameCount: FrameCount? = nil
  let isSeekable = true

  /// The description of the file by ffprobe; nil if ffprobe is not installed.
  let report: () throws(SoundFileError) -> FFprobeReport?

  /// The duration of missing audio that is not reported, because containers round their lengths and
  /// count padding that is not decoded.
  private static let tolerance = Duration.milliseconds(250)

  private let start: (_ time: Duration) throws -> (decoder: any SoundDecoder, child: FFmpeg)
  /// The bits per sample and the sample format in the file's header; nil for a lossy codec, or if
  /// unknown.
  private let storedInHeader: StoredSamples?
  private let path: String
  private let isFile: Bool
  private var decoder: any SoundDecoder
  private var child: FFmpeg
  /// Whether any audio was decoded.
  private var hasAudio = false
  /// The description of a file by ffprobe, read at its first use; nil if there is none.
  ///
  /// A web address has none, because it is not opened a second time.
  private lazy var description = described()
  /// The error of ffprobe if it failed; without its report, a truncated end cannot be detected.
  private var descriptionFailure: SoundFileError?

  /// Starts decoding.
  ///
  /// `stored` contains the bits per sample and the sample format in the file's header; nil for a
  /// lossy codec, or if unknown. `report` runs ffprobe, and `start` starts FFmpeg at a time in the
  /// input.
  init(
    stored: StoredSamples?, path: String, isFile: Bool,
    report: @escaping () throws(SoundFileError) -> FFprobeReport?,
    _ start: @escaping (_ time: Duration) throws -> (decoder: any SoundDecoder, child: FFmpeg)
  ) throws {
    (storedInHeader, self.path, self.isFile) = (stored, path, isFile)
    self.report = report
    self.start = start
    (decoder, child) = try start(.zero)
    (format, encodingDescription) = (decoder.format, decoder.encodingDescription)
  }

  private func described() -> FFprobeReport? {
    guard isFile else { return nil }
    do throws(SoundFileError) {
      return try report()
    } catch {
      descriptionFailure = error
      return nil
    }
  }

  var isCutOff: Bool { decoder.isCutOff }
  var stored: StoredSamples? { storedInHeader ?? description?.stored }

  /// Returns ffprobe's length if it exceeds `decoded`, because FFmpeg itself does not report a file
  /// that is truncated between two packets.
  func promise(exceeding decoded: FrameCount) -> FrameCount? {
    guard let length = description?.audioDuration,
      decoded.duration(at: format.sampleRate) + Self.tolerance < length
    else { return nil }
    return FrameCount(announced: FrameCount(length, at: format.sampleRate).rawValue)
  }
  var streamTitle: String? { isFile ? nil : child.title }

  /// The metadata from ffprobe, completed by FFmpeg's output, which contains only the common tags.
  var metadata: AudioMetadata {
    let found = description?.metadata(at: format.sampleRate)
    return (found ?? AudioMetadata()).completed(by: AudioMetadata(tags: decoder.metadata.tags))
  }

  func read(_ target: UnsafeMutablePointer<Float>, frames: Int) -> Int {
    let count = decoder.read(target, frames: frames)
    if count > 0 { hasAudio = true }
    return count
  }

  func seek(to frame: Int) -> Bool {
    guard let other = try? start(FrameCount(frame).duration(at: format.sampleRate)),
      other.decoder.format == format
    else { return false }
    (decoder, child) = other
    return true
  }

  func failure(at frame: FrameCount) -> SoundFileError? {
    if let failure = decoder.failure(at: frame) ?? descriptionFailure { return failure }
    // A file without frames, such as an empty CAF, announces no length and is not damaged.
    guard frame == 0, !hasAudio, isCutOff || description?.duration ?? .zero > .zero else {
      return nil
    }
    return .damaged(path: path, frame: 0, reason: "FFmpeg cannot decode any of it")
  }
}

extension FFmpegDecoder {
  /// Opens a file that libsndfile does not read.
  ///
  /// `error` is the reason that libsndfile does not read it.
  static func open(
    _ file: Descriptor, _ kind: FileKind, _ path: String, _ interruption: WakeUp,
    after error: SoundFileError
  ) throws(SoundFileError) -> any SoundDecoder {
    let failure: SoundFileError
    do throws(SoundFileError) {
      return try open(.file(file, demuxers: kind.demuxers), kind, path, interruption)
    } catch {
      failure = error
    }
    if case .cannotRead = failure { throw failure }
    if kind.isUnknown { throw error }
    guard case .unsupported = error, case .damaged = failure else { throw error }
    throw .cannotRead(
      path: path,
      reason:
        "it is \(kind.name) in an encoding that neither libsndfile nor FFmpeg knows; convert it"
    )
  }

  /// Opens an input.
  ///
  /// `stored` contains the bits per sample and the sample format in the header; nil for a lossy
  /// codec, or if unknown. If `isTruncated` is true, the header announces more bytes than there
  /// are.
  static func open(
    _ input: FFmpeg.Input, _ kind: FileKind, _ path: String, _ interruption: WakeUp,
    stored: StoredSamples? = nil, isTruncated: Bool = false
  ) throws(SoundFileError) -> any SoundDecoder {
    try convertingFailures(path, kind: kind) {
      let report = { () throws(SoundFileError) in
        try FFprobeReport(input, path: path, interruption: interruption)
      }
      let isFile = if case .file = input { true } else { false }
      return try FFmpegDecoder(stored: stored, path: path, isFile: isFile, report: report) { time in
        let child = try FFmpeg(decoding: input, from: time, path: path, what: kind.name)
        let stream = StreamInput(source: child.output, path: path, interruption: interruption)
        guard try !stream.bytes(at: 0, count: 1).isEmpty else {
          throw child.failure(reading: input, kind, path)
        }
        // FFmpeg's warning: "Format … detected only with low score of 1, misdetection possible!"
        if kind.isUnknown, child.complaints.contains(where: { $0.text.contains("misdetection") }) {
          throw SoundFileError.notAudio(path: path)
        }
        let decoder = try stream.wavDecoder(name: kind.name) {
          // FFmpeg reports the end of every SDS file as an error, so only the length in the header
          // counts.
          let isCutOff = isTruncated || (child.isCutOff && kind.demuxers != ["sds"])
          return (isCutOff, child.hasFailed() ? "FFmpeg can decode no more of it" : nil)
        }
        return (decoder, child)
      }
    }
  }
}

extension FFmpeg {
  /// Returns the reason that FFmpeg wrote nothing.
  ///
  /// For a web address, it is FFmpeg's own message, because networks fail in many ways.
  fileprivate func failure(
    reading input: Input, _ kind: FileKind, _ path: String
  ) -> SoundFileError {
    let complaints = complaints.filter(\.isError).map(\.text)
    // FFmpeg's error: "Stream map '0:a:0' matches no streams."
    if complaints.contains(where: { $0.contains("matches no streams") }) {
      return .silent(path: path, what: kind.name)
    }
    if case .address = input, hasFailed(), let complaint = complaints.last {
      return .cannotRead(path: path, reason: "FFmpeg reports: \(complaint)")
    }
    return .damaged(path: path, frame: 0, reason: "FFmpeg finds no audio in it")
  }
}
