import AudioCore
import AudioThreads
import FilePaths
import FoundationEssentials

/// Identifies a file or stream and chooses its decoder.
enum SoundFileInput {
  /// - Parameters:
  ///   - interruption: ends a waiting read; if it is nil, a signal is created when needed.
  ///   - metadata: receives the location of the tags.
  /// - Throws: `SoundFileError`, including when the system lacks resources.
  static func open(
    _ descriptor: Descriptor, path: String, interruption: WakeUp? = nil,
    metadata: StoredMetadata = StoredMetadata()
  ) throws(SoundFileError) -> any SoundDecoder {
    if descriptor.isRegularFile {
      metadata.file = descriptor
      return try open(file: descriptor, path: path, interruption)
    }
    guard !descriptor.isDirectory else { throw .isDirectory(path: path) }
    let stream = StreamInput(
      source: descriptor, path: path, interruption: try existing(interruption, path))
    return try open(stream, path: path, metadata)
  }

  private static func existing(
    _ interruption: WakeUp?, _ path: String
  ) throws(SoundFileError) -> WakeUp {
    if let interruption { return interruption }
    do {
      return try WakeUp()
    } catch {
      throw SystemErrors.reading(path, code: error.code)
    }
  }

  /// Spools streams that need seeking to a file, and reads others as they arrive.
  private static func open(
    _ stream: StreamInput, path: String, _ metadata: StoredMetadata
  ) throws(SoundFileError) -> any SoundDecoder {
    let head = StreamHead(stream)
    while case let length = try FileKind.tagLength(head.bytes(at: 0, count: 10)), length > 0 {
      let bytes = try head.bytes(at: 0, count: min(length, StoredMetadata.longestTag))
      metadata.keep(id3: bytes)
      try head.skip(length)
    }
    let bytes = { (offset: Int, count: Int) throws(SoundFileError) in
      try head.bytes(at: offset, count: count)
    }
    guard try !bytes(0, 1).isEmpty else { throw .empty(path: path) }
    guard let kind = try FileKind(bytes: bytes) else { throw .notAudio(path: path) }
    switch kind.reading {
    case .nothing: throw .silent(path: path, what: kind.name)
    case .mpeg:
      try head.skip(FileKind.bytesBeforeSteadyMPEG(bytes(0, 4_096)))
      return try MPEGDecoder(
        ByteSource(head), path: path, hasLength: FileKind.hasMPEGLength(bytes(0, 256)))
    case .flac: return try FLACDecoder(ByteSource(head), path: path)
    case .streaming:
      let header = try SoundFileHeader(bytes: bytes)
      if header.isStreamable {
        try metadata.keep(head)
        return try open(head, kind: kind, header, path: path)
      }
    case .seeking, .ffmpeg: break
    }
    let file = try stream.spooled(after: head.popInspected(), what: kind.name)
    metadata.file = file
    return try open(file: file, path: path, stream.interruption)
  }

  private static func open(
    _ head: StreamHead, kind: FileKind, _ header: SoundFileHeader, path: String
  ) throws(SoundFileError) -> any SoundDecoder {
    try decoder(path, kind: kind) {
      guard try head.bytes(at: 0, count: 4) == Array("OggS".utf8) else {
        return try wav(head, path: path, isPromise: header.promisedLength != nil)
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

  /// Decodes WAV as it arrives, and other streams whose header libsndfile understands.
  ///
  /// - Parameters:
  ///   - name: the kind of file that another program decodes into the stream; nil without one.
  ///   - ending: called at the end of the stream.
  private static func wav(
    _ head: StreamHead, path: String, isPromise: Bool = false, name: String? = nil,
    ending: @escaping @Sendable () -> LibraryDecoder.Ending = { LibraryDecoder.Ending() }
  ) throws -> any SoundDecoder {
    let bytes = { (offset: Int, count: Int) throws(SoundFileError) in
      try head.bytes(at: offset, count: count)
    }
    var layout = try WAVLayout(bytes: bytes)
    var form = try layout?.form(bytes) ?? .init()
    guard let layout, layout.hasPlainSamples, try layout.hasUnknownSize(bytes) else {
      var header: [UInt8] = []
      if let layout, layout.isWidened {
        header = layout.header(size: layout.audioSize ?? 0)
        try head.skip(layout.audioStart)
      }
      let pipe = try head.stream.pumped(after: header + head.popInspected())
      return try LibraryDecoder(
        pipe: pipe, path: path, isPromise: isPromise, name: name, form: form,
        ending: ending)
    }
    form.isUnfinished = try layout.audioSize == 0 && !bytes(layout.audioStart, 1).isEmpty
    let (parts, known) = (try WAVStreamPipes(head, layout), form)
    var last: Descriptor?
    return try ChainedDecoder(path: path) { _ in
      last = try parts.next(after: last)
      guard let pipe = last else { return nil }
      return try LibraryDecoder(
        pipe: pipe, path: path, name: name, form: known, ending: ending)
    }
  }

  private static func open(
    file: Descriptor, path: String, _ interruption: WakeUp?
  ) throws(SoundFileError) -> any SoundDecoder {
    let size = file.size
    guard size > 0 else { throw .empty(path: path) }
    var offset = 0
    while case let length = FileKind.tagLength(file.bytes(at: offset, count: 10)),
      length > 0, offset + length < size
    {
      offset += length
    }
    let part = FilePart(file, offset: offset, length: size - offset)
    let kind = try FileKind { offset, count in part.bytes(at: offset, count: count) }
    switch kind?.reading {
    case .nothing: throw .silent(path: path, what: kind?.name ?? "")
    case .mpeg:
      let start = FileKind.bytesBeforeSteadyMPEG(part.bytes(at: 0, count: 4_096))
      let steady = FilePart(file, offset: offset + start, length: part.length - start)
      return try MPEGDecoder(
        ByteSource(steady, path: path), path: path,
        hasLength: FileKind.hasMPEGLength(steady.bytes(at: 0, count: 256)))
    case .flac:
      return try FLACDecoder(ByteSource(part, path: path), path: path)
    case .ffmpeg: break
    case nil, .streaming, .seeking:
      do throws(SoundFileError) {
        return try decoder(path, kind: kind) { try decoder(part, path: path) }
      } catch {
        // FFmpeg may be able to read a file that libsndfile rejects.
        guard let kind = kind ?? .unknown(part) else { throw error }
        return try ffmpeg(file, kind, path, existing(interruption, path), after: error)
      }
    }
    guard let kind else { throw .notAudio(path: path) }
    let stored = LosslessSamples(head: part.bytes(at: 0, count: LosslessSamples.headLength))
    let header = try SoundFileHeader { offset, count in part.bytes(at: offset, count: count) }
    return try ffmpeg(
      .file(file, demuxers: kind.demuxers), kind, path, existing(interruption, path),
      stored: stored,
      isTruncated: header.promisedLength ?? 0 > part.length || isCutOggFile(part))
  }

  /// Whether a file is Ogg that ends in the middle of a page.
  private static func isCutOggFile(_ part: FilePart) -> Bool {
    part.bytes(at: 0, count: 4) == Array("OggS".utf8) && OggLinks(part).isCutOff
  }

  /// Opens a file with libsndfile at the size that the header announces.
  ///
  /// libsndfile rejects an announced length beyond the size. It reads a truncated CAF file as it
  /// is. Other files are read up to their actual end, because libsndfile would return noise for
  /// missing blocks.
  private static func decoder(_ part: FilePart, path: String) throws -> any SoundDecoder {
    let bytes = { (offset: Int, count: Int) in part.bytes(at: offset, count: count) }
    var layout = try WAVLayout(bytes: bytes)
    var form = try layout?.form(bytes, length: part.length) ?? .init()
    let repair = layout.flatMap { WAVRepair($0, length: part.length, bytes: bytes) }
    form.isUnfinished = repair?.isUnfinished ?? false
    form.padding = repair?.padding ?? 0
    if let layout, layout.hasMPEG {
      return try mpeg(layout, of: part, path: path, isUnfinished: form.isUnfinished)
    }
    return try decoder(repair.map(part.with(repair:)) ?? part, path: path, form)
  }

  /// libsndfile estimates the length of MPEG audio in WAV from the first blocks.
  private static func mpeg(
    _ layout: WAVLayout, of part: FilePart, path: String, isUnfinished: Bool
  ) throws(SoundFileError) -> any SoundDecoder {
    let found = part.length - layout.audioStart
    let audio = FilePart(
      part.descriptor, offset: part.offset + layout.audioStart,
      length: isUnfinished ? found : min(found, layout.audioSize ?? found))
    return try MPEGDecoder(
      ByteSource(audio, path: path), path: path, name: "WAV (Microsoft), MPEG audio",
      isTruncated: layout.audioSize ?? 0 > found,
      notices: isUnfinished ? [.unfinishedHeader] : [])
  }

  private static func decoder(
    _ part: FilePart, path: String, _ form: LibraryDecoder.WAVForm
  ) throws -> any SoundDecoder {
    let header = try SoundFileHeader { offset, count in part.bytes(at: offset, count: count) }
    let links = part.bytes(at: 0, count: 4) == Array("OggS".utf8) ? OggLinks(part) : nil
    guard let links, links.starts.count > 1 else {
      guard let length = header.promisedLength, length > part.length + form.padding else {
        return try LibraryDecoder(
          part, path: path, isCutOff: links?.isCutOff ?? false, form: form)
      }
      let promised = try LibraryDecoder(part.with(length: length), path: path, form: form)
      let cut = try? LibraryDecoder(
        part, path: path, promise: promised.announcedFrameCount, form: form)
      return cut ?? promised
    }
    let (starts, count) = (links.starts + [part.length], links.starts.count)
    let link = { (index: Int) in
      FilePart(
        part.descriptor, offset: part.offset + starts[index],
        length: starts[index + 1] - starts[index])
    }
    let chain = try ChainedDecoder(path: path, count: count) { index in
      guard index < count else { return nil }
      return try LibraryDecoder(
        link(index), path: path, isCutOff: links.isCutOff && index == count - 1)
    }
    let hasLaterChapters = (1..<count).contains { index in
      let link = link(index)
      let bytes = { (offset: Int, count: Int) in link.bytes(at: offset, count: count) }
      return !StoredMetadata.read(at: chain.format.sampleRate, bytes: bytes).cues.isEmpty
    }
    if hasLaterChapters {
      chain.metadata.notices.append(
        .omitted(
          "the chapters of later streams", reason: "only those of the first stream are read"))
    }
    return chain
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
      return try ffmpeg(.file(file, demuxers: kind.demuxers), kind, path, interruption)
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

  /// Opens a file on the web.
  static func open(
    address: String, interruption: WakeUp? = nil
  ) throws(SoundFileError) -> any SoundDecoder {
    let interruption = try existing(interruption, address)
    var target = address
    for _ in 0..<WebRedirection.mostSteps {
      do throws(SoundFileError) {
        return try open(redirected: target, from: address, interruption)
      } catch {
        guard case .cannotRead = error,
          let next = try WebAnswer(target, interruption: interruption)?
            .target(from: address)
        else { throw error }
        target = next
      }
    }
    throw .cannotRead(path: address, reason: "it redirects too often")
  }

  private static func open(
    redirected target: String, from address: String, _ interruption: WakeUp
  ) throws(SoundFileError) -> any SoundDecoder {
    try ffmpeg(
      .address(target), FileKind("a file on the web", .ffmpeg), address, interruption)
  }

  /// - Parameters:
  ///   - stored: the samples in the file; nil for a lossy coder, and if they are unknown.
  ///   - isTruncated: whether the header announces more bytes than there are.
  private static func ffmpeg(
    _ input: FFmpeg.Input, _ kind: FileKind, _ path: String, _ interruption: WakeUp,
    stored: LosslessSamples? = nil, isTruncated: Bool = false
  ) throws(SoundFileError) -> any SoundDecoder {
    try decoder(path, kind: kind) {
      let report = { () throws(SoundFileError) in
        try FFprobeReport(input, path: path, interruption: interruption)
      }
      let isFile = if case .file = input { true } else { false }
      return try FFmpegDecoder(stored: stored, path: path, isFile: isFile, report: report) { time in
        let child = try FFmpeg(decoding: input, from: time, path: path, what: kind.name)
        let stream = StreamInput(source: child.output, path: path, interruption: interruption)
        let head = StreamHead(stream)
        guard try !head.bytes(at: 0, count: 1).isEmpty else {
          throw failure(of: child, input, kind, path)
        }
        // "Format … detected only with low score of 1, misdetection possible!"
        if kind.isUnknown, child.complaints.contains(where: { $0.text.contains("misdetection") }) {
          throw SoundFileError.notAudio(path: path)
        }
        let decoder = try wav(head, path: path, name: kind.name) {
          LibraryDecoder.Ending(
            // FFmpeg reports the end of every SDS file as an error, so only the length in the
            // header counts.
            isCutOff: isTruncated || (child.isCutOff && kind.demuxers != ["sds"]),
            reason: child.hasFailed() ? "FFmpeg can decode no more of it" : nil)
        }
        return (decoder, child)
      }
    }
  }

  /// The reason that a child returned nothing.
  ///
  /// For a web address, it is FFmpeg's own message, because networks fail in many ways.
  private static func failure(
    of child: FFmpeg, _ input: FFmpeg.Input, _ kind: FileKind, _ path: String
  ) -> SoundFileError {
    let complaints = child.complaints.filter(\.isError).map(\.text)
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
    // FFmpeg accepts schemes only in lowercase.
    guard let scheme = scheme?.lowercased(), ["http", "https"].contains(scheme) else { return nil }
    return scheme + absoluteString.dropFirst(scheme.count)
  }
}
