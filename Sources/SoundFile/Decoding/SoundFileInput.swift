import AudioCore
import AudioThreads
import FilePaths
import FoundationEssentials

/// Identifies a file or stream and chooses its decoder.
enum SoundFileInput {
  /// - Parameter interruption: ends a read that waits; if it is nil, one is made when it is needed.
  /// - Throws: also if the system has no resources for it.
  static func open(
    _ descriptor: Descriptor, path: String, interruption: WakeUp? = nil
  ) throws(SoundFileError) -> any SoundDecoder {
    if descriptor.isRegularFile { return try open(file: descriptor, path: path, interruption) }
    guard !descriptor.isDirectory else { throw .isDirectory(path: path) }
    let stream = StreamInput(
      source: descriptor, path: path, interruption: try existing(interruption, path))
    return try open(stream, path: path)
  }

  private static func existing(
    _ interruption: WakeUp?, _ path: String
  ) throws(SoundFileError) -> WakeUp {
    if let interruption { return interruption }
    do {
      return try WakeUp()
    } catch {
      throw .cannotRead(path: path, reason: "\(error)")
    }
  }

  /// Spools streams that need seeking to a file, and reads others as they arrive.
  private static func open(
    _ stream: StreamInput, path: String
  ) throws(SoundFileError) -> any SoundDecoder {
    let head = StreamHead(stream)
    let tagLength = try FileKind.tagLength(head.bytes(at: 0, count: 10))
    let tag = try head.bytes(at: 0, count: min(tagLength, [AudioTag: String].longestID3Tag))
    try head.skip(tagLength)
    let bytes = { (offset: Int, count: Int) throws(SoundFileError) in
      try head.bytes(at: offset, count: count)
    }
    guard try !bytes(0, 1).isEmpty else { throw .empty(path: path) }
    guard let kind = try FileKind(bytes: bytes) else { throw .notAudio(path: path) }
    switch kind.reading {
    case .nothing: throw .silent(path: path, what: kind.name)
    case .mpeg: return try MPEGDecoder(ByteSource(head), path: path, tags: .init(id3: tag))
    case .flac: return try FLACDecoder(ByteSource(head), path: path)
    case .streaming:
      let header = try SoundFileHeader(bytes: bytes)
      if header.isStreamable {
        return try open(head, kind: kind, isPromise: header.promisedLength != nil, path: path)
      }
    case .seeking, .ffmpeg: break
    }
    let file = try stream.spooled(after: head.takeAll(), what: kind.name)
    return try open(file: file, path: path, stream.interruption)
  }

  private static func open(
    _ head: StreamHead, kind: FileKind, isPromise: Bool, path: String
  ) throws(SoundFileError) -> any SoundDecoder {
    try decoder(path, kind: kind) {
      guard try head.bytes(at: 0, count: 4) == Array("OggS".utf8) else {
        let pipe = try head.stream.pumped(after: head.takeAll())
        return try LibraryDecoder(pipe: pipe, path: path, isPromise: isPromise)
      }
      let links = OggLinkPipes(head)
      var last: Descriptor?
      return try ChainedDecoder(path: path) { _ in
        last = try links.next(after: last)
        guard let pipe = last else { return nil }
        return try LibraryDecoder(pipe: pipe, path: path) {
          LibraryDecoder.Ending(isCutOff: links.isCutOff)
        }
      }
    }
  }

  private static func open(
    file: Descriptor, path: String, _ interruption: WakeUp?
  ) throws(SoundFileError) -> any SoundDecoder {
    let size = file.size
    guard size > 0 else { throw .empty(path: path) }
    let offset = FileKind.tagLength(file.bytes(at: 0, count: 10))
    let part = FilePart(file, offset: offset, length: size - offset)
    let kind = try FileKind { offset, count in part.bytes(at: offset, count: count) }
    switch kind?.reading {
    case .nothing: throw .silent(path: path, what: kind?.name ?? "")
    case .mpeg:
      return try MPEGDecoder(
        ByteSource(part, path: path), path: path, tags: id3Tags(file, size: size, offset: offset))
    case .flac: return try FLACDecoder(ByteSource(part, path: path), path: path)
    case .ffmpeg: break
    case nil, .streaming, .seeking:
      do throws(SoundFileError) {
        return try decoder(path, kind: kind) { try decoder(part, path: path) }
      } catch {
        guard let kind else { throw error }
        // FFmpeg may be able to read a file of a known kind that libsndfile rejects.
        return try ffmpeg(file, kind, path, existing(interruption, path), after: error)
      }
    }
    guard let kind else { throw .notAudio(path: path) }
    let stored = LosslessSamples(head: part.bytes(at: 0, count: LosslessSamples.headLength))
    return try ffmpeg(.file(file), kind, path, existing(interruption, path), stored: stored)
  }

  /// The tags at the start of a file, or else those at its end.
  private static func id3Tags(_ file: Descriptor, size: Int, offset: Int) -> [AudioTag: String] {
    let tag = file.bytes(at: 0, count: min(offset, [AudioTag: String].longestID3Tag))
    let tags = [AudioTag: String](id3: tag)
    let lastSize = [AudioTag: String].id3v1Size
    guard tags.isEmpty, size >= lastSize else { return tags }
    return .init(id3v1: file.bytes(at: size - lastSize, count: lastSize))
  }

  /// Opens a file with libsndfile, with the size that the header announces.
  ///
  /// libsndfile rejects an announced length beyond the size. It reads a truncated CAF file as it
  /// is. Other files are read up to their actual end, because libsndfile would return noise for
  /// missing blocks.
  private static func decoder(_ part: FilePart, path: String) throws -> any SoundDecoder {
    let header = try SoundFileHeader { offset, count in part.bytes(at: offset, count: count) }
    let links = part.bytes(at: 0, count: 4) == Array("OggS".utf8) ? OggLinks(part) : nil
    guard let links, links.starts.count > 1 else {
      guard let length = header.promisedLength, length > part.length else {
        return try LibraryDecoder(part, path: path, isCutOff: links?.isCutOff ?? false)
      }
      let promised = try LibraryDecoder(
        FilePart(part.descriptor, offset: part.offset, length: length), path: path)
      let cut = try? LibraryDecoder(part, path: path, promise: promised.announcedFrameCount)
      return cut ?? promised
    }
    let (starts, count) = (links.starts + [part.length], links.starts.count)
    return try ChainedDecoder(path: path, count: count) { index in
      guard index < count else { return nil }
      let link = FilePart(
        part.descriptor, offset: part.offset + starts[index],
        length: starts[index + 1] - starts[index])
      return try LibraryDecoder(
        link, path: path, isCutOff: links.isCutOff && index == count - 1)
    }
  }

  /// Converts libsndfile's message to `SoundFileError`.
  private static func decoder(
    _ path: String, kind: FileKind?, _ open: () throws -> any SoundDecoder
  ) throws(SoundFileError) -> any SoundDecoder {
    do {
      return try open()
    } catch let failure as LibraryFailure {
      throw LibraryErrors.opening(path, failure, kind: kind)
    } catch let error as SoundFileError {
      throw error
    } catch {
      throw .cannotRead(path: path, reason: "\(error)")
    }
  }

  /// - Parameter error: the reason that libsndfile does not read it.
  private static func ffmpeg(
    _ file: Descriptor, _ kind: FileKind, _ path: String, _ interruption: WakeUp,
    after error: SoundFileError
  ) throws(SoundFileError) -> any SoundDecoder {
    let failure: SoundFileError
    do throws(SoundFileError) {
      return try ffmpeg(.file(file), kind, path, interruption)
    } catch {
      failure = error
    }
    guard case .unsupported = error, case .damaged = failure else { throw error }
    throw .cannotRead(
      path: path,
      reason:
        "it is \(kind.name) in an encoding that neither libsndfile nor FFmpeg knows; convert it"
    )
  }

  /// Opens a file on the web.
  static func open(
    address: String, interruption: WakeUp? = nil
  ) throws(SoundFileError) -> any SoundDecoder {
    try ffmpeg(
      .address(address), FileKind("a file on the web", .ffmpeg), address,
      existing(interruption, address))
  }

  /// - Parameter stored: the samples in the file; nil for a lossy coder, and if they are unknown.
  private static func ffmpeg(
    _ input: FFmpeg.Input, _ kind: FileKind, _ path: String, _ interruption: WakeUp,
    stored: LosslessSamples? = nil
  ) throws(SoundFileError) -> any SoundDecoder {
    try decoder(path, kind: kind) {
      let report = { () throws(SoundFileError) in
        try FFprobeReport(input, path: path, interruption: interruption)
      }
      return try FFmpegDecoder(stored: stored, report: report) { time in
        guard let child = FFmpeg(decoding: input, from: time, path: path) else {
          throw SoundFileError.unsupported(path: path, what: kind.name)
        }
        let stream = StreamInput(source: child.output, path: path, interruption: interruption)
        let head = StreamHead(stream)
        guard try !head.bytes(at: 0, count: 1).isEmpty else {
          throw failure(of: child, input, kind, path)
        }
        let pipe = try stream.pumped(after: head.takeAll())
        return try LibraryDecoder(pipe: pipe, path: path, name: kind.name) {
          LibraryDecoder.Ending(
            isCutOff: child.isCutOff,
            reason: child.hasFailed() ? "FFmpeg can decode no more of it" : nil)
        }
      }
    }
  }

  /// The reason that a child returned nothing.
  ///
  /// For a web address it is FFmpeg's own message, because networks fail in many ways.
  private static func failure(
    of child: FFmpeg, _ input: FFmpeg.Input, _ kind: FileKind, _ path: String
  ) -> SoundFileError {
    let complaints = child.complaints()
    // "Stream map '0:a:0' matches no streams."
    if complaints.contains(where: { $0.contains("matches no streams") }) {
      return .silent(path: path, what: kind.name)
    }
    if case .address = input, child.hasFailed(), let complaint = complaints.last {
      return .cannotRead(path: path, reason: "FFmpeg reports: \(complaint)")
    }
    return .damaged(path: path, frame: 0, reason: "FFmpeg finds no audio in it")
  }
}

extension URL {
  /// The address, if this is a file on the web (http, https).
  var webAddress: String? {
    // FFmpeg takes schemes in lowercase only.
    guard let scheme = scheme?.lowercased(), ["http", "https"].contains(scheme) else { return nil }
    return scheme + absoluteString.dropFirst(scheme.count)
  }
}
