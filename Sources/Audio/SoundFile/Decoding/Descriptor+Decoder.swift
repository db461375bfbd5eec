import AudioCore
import AudioThreads
import Synchronization

extension Descriptor {
  /// Identifies a file or stream and chooses its decoder.
  ///
  /// - Parameters:
  ///   - path: the name of the file or stream in error messages.
  ///   - raw: the format of audio without a header; nil if the audio has one.
  ///   - interruption: ends a waiting read; if it is nil, a signal is created when needed.
  ///   - metadata: receives the location of the tags.
  /// - Throws: `SoundFileError`, including when the system lacks resources.
  func decoder(
    path: String, raw: RawAudioFormat? = nil, interruption: WakeUp? = nil,
    metadata: StoredMetadata = StoredMetadata()
  ) throws(SoundFileError) -> any SoundDecoder {
    if let raw { return try decoder(raw, path: path, interruption) }
    if isRegularFile {
      metadata.file = self
      return try fileDecoder(path: path, interruption)
    }
    guard !isDirectory else { throw .isDirectory(path: path) }
    let stream = StreamInput(
      source: self, path: path, interruption: try interruption.orNew(for: path))
    return try stream.decoder(metadata)
  }

  fileprivate func fileDecoder(
    path: String, _ interruption: WakeUp?
  ) throws(SoundFileError) -> any SoundDecoder {
    let size = size
    guard size > 0 else { throw .empty(path: path) }
    var offset = 0
    while case let length = FileKind.tagLength(bytes(at: offset, count: 10)),
      length > 0, offset + length < size
    {
      offset += length
    }
    let part = FilePart(self, path: path, offset: offset, length: size - offset)
    let kind = try FileKind(bytes: part.bytes(at:count:))
    switch kind?.reading {
    case .nothing: throw .silent(path: path, what: kind?.name ?? "")
    case .mpeg:
      let start = FileKind.bytesBeforeSteadyMPEG(part.bytes(at: 0, count: 4_096))
      let steady = part.part(from: start, length: part.length - start)
      return try MPEGDecoder(
        VirtualFile(steady), path: path,
        hasLength: FileKind.hasMPEGLength(steady.bytes(at: 0, count: 256)))
    case .flac: return try FLACDecoder(VirtualFile(part), path: path)
    case .ffmpeg: break
    case nil, .streaming, .seeking:
      do throws(SoundFileError) {
        return try convertingFailures(path, kind: kind) { try part.decoder() }
      } catch {
        // FFmpeg may be able to read a file that libsndfile rejects.
        guard let kind = kind ?? .unknown(part) else { throw error }
        return try FFmpegDecoder.open(
          self, kind, path, interruption.orNew(for: path), after: error)
      }
    }
    guard let kind else { throw .notAudio(path: path) }
    let header = try SoundFileHeader(bytes: part.bytes(at:count:))
    return try FFmpegDecoder.open(
      .file(self, demuxers: kind.demuxers), kind, path, interruption.orNew(for: path),
      stored: losslessSamples(head: part.bytes(at: 0, count: losslessHeadLength)),
      isTruncated: header.promisedLength ?? 0 > part.length
        || (part.isOgg && OggLinks(part).isCutOff))
  }
}

extension Descriptor {
  /// Returns the format of files with this extension; nil if the file has a header or contains text.
  func rawFormat(pathExtension: String) -> RawAudioFormat? {
    guard let raw = RawAudioFormat(pathExtension: pathExtension) else { return nil }
    return isRegularFile && FileKind.isNamed(by: bytes(at: 0, count: 4_096)) ? nil : raw
  }

  private func decoder(
    _ raw: RawAudioFormat, path: String, _ interruption: WakeUp?
  ) throws(SoundFileError) -> any SoundDecoder {
    guard !isDirectory else { throw .isDirectory(path: path) }
    if let problem = raw.problem { throw .cannotRead(path: path, reason: problem) }
    guard !isRegularFile else { return try fileDecoder(raw, path: path, interruption) }
    let stream = StreamInput(
      source: self, path: path, interruption: try interruption.orNew(for: path))
    try raw.checkLength(stream.bytes(at: 0, count: raw.blockSize).count, path: path)
    guard raw.kind.reading == .streaming else {
      let file = try stream.spooled(what: raw.kind.name)
      return try file.fileDecoder(raw, path: path, interruption)
    }
    // The lock is held to count bytes, or to read the count at the end.
    let rest = Mutex(0)
    let pipe = try stream.pumped { bytes in
      rest.withLock { $0 = ($0 + bytes.count) % raw.blockSize }
      return (bytes, false)
    }
    return try convertingFailures(path, kind: raw.kind) {
      try LibraryDecoder(pipe: pipe, path: path, raw: raw) { (rest.withLock(\.self) > 0, nil) }
    }
  }

  private func fileDecoder(
    _ raw: RawAudioFormat, path: String, _ interruption: WakeUp?
  ) throws(SoundFileError) -> any SoundDecoder {
    let size = size
    try raw.checkLength(size, path: path)
    guard raw.kind.reading != .ffmpeg else {
      return try FFmpegDecoder.open(
        .file(self, demuxers: raw.kind.demuxers), raw.kind, path, interruption.orNew(for: path))
    }
    return try convertingFailures(path, kind: raw.kind) {
      try LibraryDecoder(
        FilePart(self, path: path, length: size), isCutOff: size % raw.blockSize > 0, raw: raw)
    }
  }
}

extension WakeUp? {
  /// Returns this signal, or creates one if this is nil.
  func orNew(for path: String) throws(SoundFileError) -> WakeUp {
    if let self { return self }
    do {
      return try WakeUp()
    } catch {
      throw .reading(path, code: error.code)
    }
  }
}

/// Converts the errors of libsndfile and other errors to `SoundFileError`.
///
/// `kind` is the kind that the first bytes indicate; nil if unknown.
func convertingFailures(
  _ path: String, kind: FileKind?, _ open: () throws -> any SoundDecoder
) throws(SoundFileError) -> any SoundDecoder {
  do {
    return try open()
  } catch let failure as LibraryFailure {
    throw failure.opening(path, kind: kind)
  } catch let error as SoundFileError {
    throw error
  } catch {
    throw .cannotRead(path: path, reason: "\(error)")
  }
}

extension FilePart {
  fileprivate var isOgg: Bool { bytes(at: 0, count: 4) == Array("OggS".utf8) }

  /// Opens a file with libsndfile.
  ///
  /// A file that is shorter than its header announces is read up to its actual end, because
  /// libsndfile would return noise for missing blocks. If libsndfile rejects the actual length, the
  /// file is opened with the announced length.
  fileprivate func decoder() throws -> any SoundDecoder {
    guard var layout = try WAVLayout(bytes: bytes(at:count:)) else {
      return try libraryDecoder(layout: nil)
    }
    try layout.examineSamples(bytes(at:count:), length: length)
    let repaired = layout.repair(self)
    return layout.hasMPEG
      ? try mpegDecoder(layout) : try repaired.libraryDecoder(layout: layout)
  }

  /// Opens MPEG audio in WAV with libmpg123, because libsndfile only estimates the length from the
  /// first blocks.
  private func mpegDecoder(_ layout: WAVLayout) throws(SoundFileError) -> any SoundDecoder {
    let found = length - layout.audioStart
    let audio = part(
      from: layout.audioStart,
      length: layout.isUnfinished ? found : min(found, layout.audioSize ?? found))
    return try MPEGDecoder(
      VirtualFile(audio), path: path, name: "WAV (Microsoft), MPEG audio",
      isTruncated: layout.audioSize ?? 0 > found,
      notices: layout.isUnfinished ? [.unfinishedHeader] : [])
  }

  private func libraryDecoder(layout: WAVLayout?) throws -> any SoundDecoder {
    let header = try SoundFileHeader(bytes: bytes(at:count:))
    let links = isOgg ? OggLinks(self) : nil
    if let links, links.starts.count > 1 { return try decoder(of: links) }
    guard let promise = header.promisedLength, promise > length + (layout?.padding ?? 0) else {
      return try LibraryDecoder(self, isCutOff: links?.isCutOff ?? false, layout: layout)
    }
    let promised = try LibraryDecoder(with(length: promise), layout: layout)
    let cut = try? LibraryDecoder(self, promise: promised.announcedFrameCount, layout: layout)
    return cut ?? promised
  }

  private func decoder(of links: OggLinks) throws -> any SoundDecoder {
    let (starts, count) = (links.starts + [length], links.starts.count)
    let link = { (index: Int) in
      self.part(from: starts[index], length: starts[index + 1] - starts[index])
    }
    let chain = try ChainedDecoder(path: path, count: count) { index in
      guard index < count else { return nil }
      return try LibraryDecoder(link(index), isCutOff: links.isCutOff && index == count - 1)
    }
    let hasLaterChapters = (1..<count).contains { index in
      let read = link(index).bytes(at:count:)
      return !StoredMetadata.read(at: chain.format.sampleRate, bytes: read).cues.isEmpty
    }
    if hasLaterChapters {
      chain.metadata.notices.append(
        .omitted(
          "the chapters of later streams", reason: "only those of the first stream are read"))
    }
    return chain
  }
}

extension StreamInput {
  /// Returns a decoder that reads the stream as it arrives; if the format needs seeking, the stream
  /// is first copied to a file.
  fileprivate func decoder(_ metadata: StoredMetadata) throws(SoundFileError) -> any SoundDecoder {
    while case let length = try FileKind.tagLength(bytes(at: 0, count: 10)), length > 0 {
      metadata.keep(id3: try bytes(at: 0, count: min(length, StoredMetadata.longestTag)))
      try skip(length)
    }
    guard try !bytes(at: 0, count: 1).isEmpty else { throw .empty(path: path) }
    guard let kind = try FileKind(bytes: bytes(at:count:)) else { throw .notAudio(path: path) }
    switch kind.reading {
    case .nothing: throw .silent(path: path, what: kind.name)
    case .mpeg:
      try skip(FileKind.bytesBeforeSteadyMPEG(bytes(at: 0, count: 4_096)))
      let hasLength = try FileKind.hasMPEGLength(bytes(at: 0, count: 256))
      return try MPEGDecoder(VirtualFile(self), path: path, hasLength: hasLength)
    case .flac: return try FLACDecoder(VirtualFile(self), path: path)
    case .streaming:
      let header = try SoundFileHeader(bytes: bytes(at:count:))
      if header.isStreamable {
        try metadata.keep(self)
        return try convertingFailures(path, kind: kind) {
          try bytes(at: 0, count: 4) == Array("OggS".utf8)
            ? oggDecoder() : wavDecoder(isPromise: header.promisedLength != nil)
        }
      }
    case .seeking, .ffmpeg: break
    }
    let file = try spooled(what: kind.name)
    metadata.file = file
    return try file.fileDecoder(path: path, interruption)
  }

  private func oggDecoder() throws -> any SoundDecoder {
    let links = Mutex(OggLinks())
    let parts = parts { bytes in links.withLock { $0.divide(bytes) } }
    return try ChainedDecoder(path: path, parts: parts) { [path] pipe in
      try LibraryDecoder(pipe: pipe, path: path) { (links.withLock { $0.isCutOff }, nil) }
    }
  }

  /// Decodes a stream as it arrives: WAV, or another format whose header libsndfile can read.
  ///
  /// - Parameters:
  ///   - isPromise: whether the header announces a length.
  ///   - name: the kind of file that another program decodes into this stream; nil if the stream
  ///     itself is the file.
  ///   - ending: called at the end of the stream.
  func wavDecoder(
    isPromise: Bool = false, name: String? = nil,
    ending: @escaping @Sendable () -> LibraryDecoder.Ending = { (false, nil) }
  ) throws -> any SoundDecoder {
    var layout = try WAVLayout(bytes: bytes(at:count:))
    try layout?.examineSamples(bytes(at:count:))
    guard var whole = layout, whole.hasPlainSamples, try whole.hasUnknownSize(bytes(at:count:))
    else {
      var header: [UInt8] = []
      if let layout, layout.isPadded {
        header = layout.header(size: layout.audioSize ?? 0)
        try skip(layout.audioStart)
      }
      let pipe = try pumped(after: header)
      return try LibraryDecoder(
        pipe: pipe, path: path, isPromise: isPromise, name: name, layout: layout, ending: ending)
    }
    whole.isUnfinished = try whole.audioSize == 0 && !bytes(at: whole.audioStart, count: 1).isEmpty
    return try ChainedDecoder(path: path, parts: wavParts(whole)) { [whole, path] pipe in
      try LibraryDecoder(pipe: pipe, path: path, name: name, layout: whole, ending: ending)
    }
  }
}
