public import AudioCore
import CSndFile
import FilePaths
public import FoundationEssentials
import Glibc

/// What a sound file says about itself, read without decoding its audio.
///
/// Only the header is read, and of FLAC the last block, of Ogg the last page, to see whether the end
/// is there. The blocks of MPEG audio are counted, because its headers rarely have a length.
public struct AudioFileInfo: Equatable, Sendable {
  /// The human-readable kind of file: `WAV (Microsoft)`.
  public let container: String
  /// How the samples are coded, human-readable: `Signed 16 bit PCM`.
  public let encoding: String
  /// The rate, and the channels at their positions.
  public let format: AudioFormat
  /// The bits of a sample as stored; nil for a lossy coder.
  public let bitsPerSample: Int?
  /// The length in frames; nil where only decoding would give it, as in a stream.
  public let frameCount: FrameCount?
  /// The size of the file; nil for a stream.
  public let byteCount: Int?
  /// The texts that the file carries.
  public let tags: [AudioTag: String]
  /// The marks in the file, in its order.
  public let cues: [AudioCue]
  /// What is missing at the end of the file; nil where it is complete, as far as that shows without
  /// decoding.
  public let shortfall: SoundFileShortfall?

  /// Reads the description of a file; it blocks while the file is read.
  ///
  /// A file on the web (http, https) is opened by FFmpeg, without its size and tags.
  ///
  /// - Parameter url: the file, or an address on the web.
  /// - Throws: `SoundFileError`, which describes what is wrong with the file.
  public init(url: URL) throws(SoundFileError) {
    if let address = url.webAddress {
      try self.init(SoundFileInput.open(address: address), byteCount: nil)
    } else {
      let path = FilePath(url).text
      try self.init(Descriptor.reading(path), path: path)
    }
  }

  /// The same of a descriptor, for example 0 for standard input, which stays open for its owner.
  ///
  /// Of a pipe, what was read is gone; no more than the header is waited for.
  ///
  /// - Parameters:
  ///   - fileDescriptor: a file or a pipe that is open for reading.
  ///   - name: what error messages call it.
  /// - Throws: `SoundFileError`.
  public init(fileDescriptor: Int32, name: String = "standard input") throws(SoundFileError) {
    try self.init(Descriptor.duplicate(fileDescriptor, path: name), path: name)
  }

  private init(_ descriptor: Descriptor, path: String) throws(SoundFileError) {
    try self.init(
      SoundFileInput.open(descriptor, path: path),
      byteCount: descriptor.isRegularFile ? descriptor.size : nil)
  }

  private init(_ decoder: any SoundDecoder, byteCount: Int?) {
    let names = decoder.encodingDescription.split(separator: ", ", maxSplits: 1)
    container = names.first.map(String.init) ?? decoder.encodingDescription
    encoding = names.count > 1 ? String(names[1]) : container
    format = decoder.format
    bitsPerSample = decoder.bitsPerSample
    self.byteCount = byteCount
    (tags, cues) = (decoder.tags, decoder.cues)
    let (announced, ending) = (decoder.announcedFrameCount, decoder.ending())
    frameCount = ending.found ?? announced
    guard ending.isCutOff else {
      shortfall = nil
      return
    }
    shortfall = SoundFileShortfall(
      announced: announced, decoded: ending.found ?? announced ?? 0,
      sampleRate: decoder.format.sampleRate)
  }
}

extension AudioFileInfo {
  /// The length of the audio; nil where only decoding would give it.
  public var duration: Duration? { frameCount?.duration(at: format.sampleRate) }

  /// The bits of the file for each second of audio, its header included; nil where either is
  /// unknown.
  public var bitRate: Int? {
    guard let byteCount, let seconds = duration?.inSeconds, seconds > 0 else { return nil }
    return Int((Double(byteCount) * 8 / seconds).rounded())
  }
}

/// A mark in a sound file: a cue, or the beginning of a chapter.
public struct AudioCue: Hashable, Sendable {
  /// The frame that it stands before.
  public let frame: FrameCount
  /// Its text; empty where it has none.
  public let name: String

  /// A mark at a frame.
  public init(frame: FrameCount, name: String = "") {
    (self.frame, self.name) = (frame, name)
  }
}

extension [AudioCue] {
  /// The marks of an open file; the corresponding C command is `SFC_GET_CUE`.
  init(storedIn file: OpaquePointer) {
    var count: UInt32 = 0
    let countSize = MemoryLayout<UInt32>.size
    let command = { (number: Int, data: UnsafeMutableRawPointer?, size: Int) in
      sf_command(file, Int32(number), data, Int32(clamping: size))
    }
    guard command(SFC_GET_CUE_COUNT, &count, countSize) == SF_TRUE, count > 0 else {
      self = []
      return
    }
    // A count, then the points: a structure that C makes of a size of its own for each file.
    let size = countSize + Swift.min(Int(count), 10_000) * MemoryLayout<SF_CUE_POINT>.stride
    self = withUnsafeTemporaryAllocation(byteCount: size, alignment: 16) { bytes in
      guard let start = bytes.baseAddress, command(SFC_GET_CUE, start, size) == SF_TRUE else {
        return []
      }
      let stored = Int(bytes.loadUnaligned(as: UInt32.self))
      let points = (size - countSize) / MemoryLayout<SF_CUE_POINT>.stride
      return (0..<Swift.min(stored, points)).map { index in
        let place = start + countSize + index * MemoryLayout<SF_CUE_POINT>.stride
        let point = place.loadUnaligned(as: SF_CUE_POINT.self)
        let name = Swift.withUnsafeBytes(of: point.name) {
          String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        }
        return AudioCue(frame: FrameCount(Int(point.sample_offset)), name: name)
      }
    }
  }
}

/// What can be said of the end of a file that is not decoded.
private struct KnownEnding {
  var isCutOff = false
  /// The frames that are there, where the header does not say it.
  var found: FrameCount?
}

extension SoundDecoder {
  /// Looks at the end of the file; the decoder is of no use for its beginning then.
  fileprivate func ending() -> KnownEnding {
    switch self {
    case let decoder as MPEGDecoder:
      guard let count = decoder.countFrames() else { return KnownEnding() }
      let isShort = announcedFrameCount.map { count < $0 - 2_304 } ?? false
      // What the tag leaves out at both ends is not in the blocks.
      return KnownEnding(isCutOff: isShort, found: isShort ? count : announcedFrameCount ?? count)
    case let decoder as FLACDecoder: return decoder.endingOfBlocks()
    case let decoder as LibraryDecoder where decoder.foundFrameCount != nil:
      return KnownEnding(isCutOff: true, found: decoder.foundFrameCount)
    default: return KnownEnding(isCutOff: isSeekable && isCutOff)
    }
  }
}

extension FLACDecoder {
  /// Decodes the last block, or finds by halving the range where the blocks end.
  fileprivate func endingOfBlocks() -> KnownEnding {
    guard isSeekable, let length = announcedFrameCount, length > 0 else { return KnownEnding() }
    guard !holds(length - 1) else { return KnownEnding() }
    var (low, high) = (0, length.rawValue)
    while high - low > format.sampleRate.hertz / 10 {
      let middle = (low + high) / 2
      if holds(FrameCount(middle)) { low = middle } else { high = middle }
    }
    return KnownEnding(isCutOff: true, found: FrameCount(low))
  }

  private func holds(_ frame: FrameCount) -> Bool {
    guard seek(to: frame.rawValue) else { return false }
    return withUnsafeTemporaryAllocation(of: Float.self, capacity: format.channelCount) { target in
      target.baseAddress.map { read($0, frames: 1) } == 1
    }
  }
}
