public import AudioCore
package import AudioThreads
import CSndFile
import FilePaths
public import FoundationEssentials
import Glibc

/// The description of a sound file, read without decoding its audio.
///
/// Only the header is read, plus the last block of FLAC or the last page of Ogg to detect a missing
/// end. The blocks of MPEG audio are counted, because its headers rarely have a length. ffprobe,
/// which is installed with FFmpeg, describes files that FFmpeg decodes; their ends are not
/// examined.
public struct AudioFileInfo: Equatable, Sendable {
  /// The human-readable container: `WAV (Microsoft)`.
  public let container: String
  /// The human-readable encoding of the samples: `Signed 16 bit PCM`.
  public let encoding: String
  /// The sample rate, and the channels with their positions.
  public let format: AudioFormat
  /// The stored bits per sample; nil for a lossy codec, or if unknown.
  public let bitsPerSample: Int?
  /// The length in frames; nil if only decoding would determine it, as in a stream or a file that
  /// FFmpeg decodes.
  ///
  /// It is an estimate if `shortfall.isEstimate` is true.
  public let frameCount: FrameCount?
  /// The duration of the audio, which ffprobe may round; nil if only decoding would determine it.
  public let duration: Duration?
  /// The bit rate of the audio, in bits per second; nil if unknown.
  ///
  /// It includes the file's header, unless ffprobe reports the bit rate of the audio track.
  public let bitRate: Int?
  /// The size of the file in bytes; nil if the file is a stream, or if its web server does not
  /// announce the size.
  public let byteCount: Int?
  /// The tags, pictures, cues, and chapters of the file.
  public let metadata: AudioMetadata
  /// Notices about the file; no audio is missing because of them.
  public let notices: [SoundFileNotice]
  /// The missing audio at the end of the file; nil if the file seems complete without decoding.
  public let shortfall: SoundFileShortfall?

  /// Reads the description of a file; the call blocks.
  ///
  /// FFmpeg opens a file on the web (http, https).
  ///
  /// - Parameter url: the file, or an address on the web.
  /// - Throws: `SoundFileError`, which describes the problem with the file.
  public init(url: URL) throws(SoundFileError) {
    try self.init(url: url, interruption: nil)
  }

  /// Describes a file or the audio at a web address.
  ///
  /// Signaling `interruption` ends FFmpeg, ffprobe, and the read of a stream at once; the
  /// description or the error is then meaningless. `raw` is the format of a file without a header,
  /// as in `SoundFileReader`.
  package init(
    url: URL, raw: RawAudioFormat? = nil, interruption: WakeUp?
  ) throws(SoundFileError) {
    if let address = url.webAddress {
      try RawAudioFormat.check(raw, address: address)
      let decoder = try openDecoder(address: address, interruption: interruption)
      try self.init(decoder, byteCount: nil, StoredMetadata())
    } else {
      let path = FilePath(url)
      let descriptor = try Descriptor.reading(path.text)
      try self.init(
        descriptor, path: path.text,
        raw: raw ?? descriptor.rawFormat(pathExtension: path.pathExtension),
        interruption: interruption)
    }
  }

  /// Reads the description of a descriptor's audio, for example 0 for standard input.
  ///
  /// The descriptor stays open.
  ///
  /// Reading consumes the bytes of a pipe, and waits only for the header.
  ///
  /// - Parameters:
  ///   - fileDescriptor: a file or a pipe that is open for reading.
  ///   - name: the descriptor's name in error messages.
  /// - Throws: `SoundFileError`.
  public init(fileDescriptor: Int32, name: String = "standard input") throws(SoundFileError) {
    try self.init(fileDescriptor: fileDescriptor, name: name, interruption: nil)
  }

  /// Describes the file of a descriptor; `raw` and `interruption` have the same effect as in
  /// `init(url:raw:interruption:)`.
  package init(
    fileDescriptor: Int32, name: String = "standard input", raw: RawAudioFormat? = nil,
    interruption: WakeUp?
  ) throws(SoundFileError) {
    try self.init(
      Descriptor.duplicate(fileDescriptor, path: name), path: name, raw: raw,
      interruption: interruption)
  }

  private init(
    _ descriptor: Descriptor, path: String, raw: RawAudioFormat?, interruption: WakeUp?
  ) throws(SoundFileError) {
    let stored = StoredMetadata()
    try self.init(
      descriptor.decoder(path: path, raw: raw, interruption: interruption, metadata: stored),
      byteCount: descriptor.fileSize, stored)
  }

  /// Describes a file or a stream after decoding all of its audio; the call blocks.
  ///
  /// - Parameters:
  ///   - reader: the file, at its beginning.
  ///   - interruption: ends the decoding when it is signaled; the description is then meaningless.
  /// - Throws: `SoundFileError`, which describes the problem with the file.
  package init(
    decoding reader: SoundFileReader, interruption: WakeUp?
  ) throws(SoundFileError) {
    while try !reader.read(atMost: 65_536).isEmpty, interruption?.isSignaled(within: 0) != true {}
    try self.init(
      reader.decoder, byteCount: reader.byteCount, reader.stored, decodedBy: reader)
  }

  /// Describes a file; `reader` has decoded the file to its end, or is nil if the file was not
  /// decoded.
  private init(
    _ decoder: any SoundDecoder, byteCount: Int?, _ stored: StoredMetadata,
    decodedBy reader: SoundFileReader? = nil
  ) throws(SoundFileError) {
    let names = decoder.encodingDescription.split(separator: ", ", maxSplits: 1)
    let name = names.first.map(String.init) ?? decoder.encodingDescription
    let report = try (decoder as? FFmpegDecoder)?.report()
    container = report?.container ?? name
    encoding = report?.encoding ?? (names.count > 1 ? String(names[1]) : name)
    format = decoder.format
    bitsPerSample = (decoder.stored ?? report?.stored)?.bits
    self.byteCount = byteCount ?? report?.byteCount
    metadata = stored.value(of: decoder)
      .completed(byFFmpeg: report?.metadata(at: format.sampleRate) ?? AudioMetadata())
    notices = decoder.notices + metadata.notices
    let ending: KnownEnding =
      if let reader { (reader.framesRead, reader.shortfall) } else { decoder.ending() }
    (frameCount, shortfall) = (ending.found ?? decoder.announcedFrameCount, ending.shortfall)
    duration = frameCount?.duration(at: format.sampleRate) ?? report?.duration
    bitRate = report?.bitRate ?? Self.bitRate(self.byteCount, duration)
  }

  /// Returns the rounded bit rate; nil if it is unknown or too large for an `Int`.
  static func bitRate(_ byteCount: Int?, _ duration: Duration?) -> Int? {
    guard let byteCount, let seconds = duration?.inSeconds, seconds > 0 else { return nil }
    return Int(exactly: (Double(byteCount) * 8 / seconds).rounded())
  }
}

extension SoundFileHandle {
  /// The cues in the file; the corresponding C command is `SFC_GET_CUE`.
  var cues: [AudioCue] {
    var count: UInt32 = 0
    let countSize = MemoryLayout<UInt32>.size
    let command = { [file] (number: Int, data: UnsafeMutableRawPointer?, size: Int) in
      sf_command(file, Int32(number), data, Int32(clamping: size))
    }
    guard command(SFC_GET_CUE_COUNT, &count, countSize) == SF_TRUE, count > 0 else { return [] }
    // The C structure is a count followed by the cues, so its size depends on the file.
    let size = countSize + min(Int(count), 10_000) * MemoryLayout<SF_CUE_POINT>.stride
    return withUnsafeTemporaryAllocation(byteCount: size, alignment: 16) { bytes in
      guard let start = bytes.baseAddress, command(SFC_GET_CUE, start, size) == SF_TRUE else {
        return []
      }
      let stored = Int(bytes.loadUnaligned(as: UInt32.self))
      let points = (size - countSize) / MemoryLayout<SF_CUE_POINT>.stride
      return (0..<min(stored, points)).map { index in
        let place = start + countSize + index * MemoryLayout<SF_CUE_POINT>.stride
        let point = place.loadUnaligned(as: SF_CUE_POINT.self)
        let name = withUnsafeBytes(of: point.name) {
          String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        }
        return AudioCue(frame: FrameCount(Int(point.sample_offset)), name: name)
      }
    }
  }
}

/// The number of frames found, or nil to use the header's number, and the missing audio.
private typealias KnownEnding = (found: FrameCount?, shortfall: SoundFileShortfall?)

extension SoundDecoder {
  /// Examines the end of the file; the decoder must not be read afterward.
  fileprivate func ending() -> KnownEnding {
    switch self {
    case let decoder as MPEGDecoder:
      guard let count = decoder.countFrames() else { return (nil, nil) }
      let isShort = announcedFrameCount.map { count < $0 - 2_304 } ?? false
      // In concatenated files, the length tag counts only the frames of the first file, so `count`
      // may be much larger.
      let isLong = announcedFrameCount.map { count > $0 + 4_608 } ?? false
      // The length tag does not count the padding at both ends, but `count` does, so the tag's
      // length is preferred.
      let found = isShort || isLong ? count : announcedFrameCount ?? count
      return isShort || isCutOff ? cut(at: found) : (found, nil)
    case let decoder as FLACDecoder: return decoder.endingOfBlocks()
    case let decoder as LibraryDecoder where decoder.foundFrameCount != nil:
      return cut(at: decoder.foundFrameCount)
    // Only reading all of FFmpeg's output would show whether the end is missing.
    case is FFmpegDecoder: return (nil, nil)
    default: return isSeekable && isCutOff ? cut(at: nil) : (nil, nil)
    }
  }

  /// Returns the ending of a file that is truncated after `found` frames.
  ///
  /// If `isEstimate` is true, `found` may be slightly less than the decoded length.
  fileprivate func cut(at found: FrameCount?, isEstimate: Bool = false) -> KnownEnding {
    // A file without a header announces no length.
    let shortfall = SoundFileShortfall(
      announced: found.flatMap { _ in announcedFrameCount },
      decoded: found ?? announcedFrameCount ?? 0,
      isEstimate: isEstimate, sampleRate: format.sampleRate)
    return (found, shortfall)
  }
}

extension FLACDecoder {
  /// Decodes the last frame; if that fails, finds the end of the decodable frames by binary search.
  fileprivate func endingOfBlocks() -> KnownEnding {
    guard isSeekable, let length = announcedFrameCount, length > 0 else {
      return (hasNoBlocks ? 0 : nil, nil)
    }
    guard !holds(length - 1) else { return (nil, nil) }
    var (low, high) = (0, length.rawValue)
    while high - low > format.sampleRate.hertz / 10 {
      let middle = (low + high) / 2
      if holds(FrameCount(middle)) { low = middle } else { high = middle }
    }
    return cut(at: FrameCount(low), isEstimate: true)
  }

  private func holds(_ frame: FrameCount) -> Bool {
    guard seek(to: frame.rawValue) else { return false }
    return withUnsafeTemporaryAllocation(of: Float.self, capacity: format.channelCount) { target in
      target.baseAddress.map { read($0, frames: 1) } == 1
    }
  }
}

/// A problem in a sound file's header or metadata; no audio is known to be missing.
public enum SoundFileNotice: Hashable, Sendable, CustomStringConvertible {
  /// The header claims less audio than the file contains; all of the audio is read.
  case unfinishedHeader
  /// The decoded audio differs from the MD5 sum in the header of FLAC.
  case wrongDigest
  /// Metadata that was not read or written, such as tags that the container cannot store.
  case omitted(String, reason: String)

  /// A sentence for users, to be written after the name of the file.
  public var description: String {
    switch self {
    case .unfinishedHeader:
      "the header was never finished; the audio after its claimed end is read as well"
    case .wrongDigest: "the audio differs from the MD5 sum in its header; the file may be damaged"
    case .omitted(let what, let reason): "left out: \(what); \(reason)"
    }
  }
}
