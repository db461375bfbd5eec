import AudioCore

/// Decodes the output of FFmpeg; to seek, it starts another FFmpeg at that time.
final class FFmpegDecoder: SoundDecoder {
  let format: AudioFormat
  let encodingDescription: String
  // The header of a pipe has no length.
  let announcedFrameCount: FrameCount? = nil
  let isSeekable = true

  /// The description of the file by ffprobe; nil if ffprobe is not installed.
  let report: () throws(SoundFileError) -> FFprobeReport?

  /// Containers round their lengths, and count padding that is not decoded.
  private static let tolerance = Duration.milliseconds(250)

  private let start: (_ time: Duration) throws -> (decoder: any SoundDecoder, child: FFmpeg)
  private let stored: LosslessSamples?
  private let path: String
  private let isFile: Bool
  private var decoder: any SoundDecoder
  private var child: FFmpeg
  /// Whether any audio was decoded.
  private var hasAudio = false
  /// The description of a file, read at its first use; nil if there is none.
  ///
  /// An address is not opened a second time.
  private lazy var description = described()
  /// The reason that a file could not be described, so that its end could not be checked.
  private var descriptionFailure: SoundFileError?

  /// - Parameters:
  ///   - stored: the samples in the file; nil for a lossy coder, and if they are unknown.
  ///   - report: runs ffprobe.
  ///   - start: starts decoding at a time.
  init(
    stored: LosslessSamples?, path: String, isFile: Bool,
    report: @escaping () throws(SoundFileError) -> FFprobeReport?,
    _ start: @escaping (_ time: Duration) throws -> (decoder: any SoundDecoder, child: FFmpeg)
  ) throws {
    (self.stored, self.path, self.isFile) = (stored, path, isFile)
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
  var bitsPerSample: Int? { stored?.bits ?? description?.bitsPerSample }
  var samples: SoundFileEncoding.SampleFormat? { stored?.format ?? description?.samples }

  /// FFmpeg reports nothing if a file is truncated between two packets.
  func promise(exceeding decoded: FrameCount) -> FrameCount? {
    guard let length = description?.audioDuration,
      decoded.duration(at: format.sampleRate) + Self.tolerance < length
    else { return nil }
    return FrameCount(announced: FrameCount(length, at: format.sampleRate).rawValue)
  }
  var streamTitle: String? { isFile ? nil : child.title }

  /// FFmpeg writes only the common tags to its output.
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
    // The header of a file without frames, such as an empty CAF, announces no length.
    guard frame == 0, !hasAudio, isCutOff || description?.duration ?? .zero > .zero else {
      return nil
    }
    return .damaged(path: path, frame: 0, reason: "FFmpeg cannot decode any of it")
  }
}
