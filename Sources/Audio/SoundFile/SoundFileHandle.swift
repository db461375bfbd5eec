package import AudioCore
import AudioThreads
import CSndFile
import FilePaths
import Glibc
import Synchronization

/// The owner of a `SNDFILE` with its descriptor, pipe, or virtual file.
struct SoundFileHandle: ~Copyable {
  /// libsndfile's handle, valid as long as this value.
  let file: OpaquePointer
  /// The virtual file of libsndfile, retained until the handle is closed.
  private let target: UnsafeMutablePointer<VirtualFile>?

  /// Opens a virtual file; the corresponding C function is `sf_open_virtual`.
  init(_ target: VirtualFile, mode: Int32, info: inout SF_INFO) throws(LibraryFailure) {
    let retained = UnsafeMutablePointer.makeCallbackMemory(target)
    var functions = VirtualFile.functions
    // libsndfile stores the error of a failed opening in a process-wide variable, so the lock is
    // held until the error is read. Files respond at once, so this takes little time.
    var opened: OpaquePointer?
    var failure: LibraryFailure?
    openFailure.withLock { _ in
      errno = 0
      opened = sf_open_virtual(&functions, mode, &info, retained)
      if opened == nil { failure = .opening }
    }
    guard let opened else {
      retained.releaseCallbackMemory()
      throw failure ?? .opening
    }
    file = opened
    self.target = retained
  }

  /// Opens a stream, whose header may arrive late.
  ///
  /// Waiting for the header takes too long to hold the lock `openFailure`, so libsndfile's reason
  /// for a failure is not available.
  init(stream descriptor: Descriptor, info: inout SF_INFO) throws(LibraryFailure) {
    // On failure, libsndfile 1.2 closes the descriptor, even if told not to, so libsndfile gets a
    // duplicate. Otherwise we would close the same number again, which another thread may have
    // reused by then.
    let copy = fcntl(descriptor.number, F_DUPFD_CLOEXEC, 3)
    guard copy >= 0 else {
      throw LibraryFailure(
        code: Int32(SF_ERR_SYSTEM), text: "no descriptor is free", systemCode: errno)
    }
    errno = 0
    guard let file = sf_open_fd(copy, Int32(SFM_READ), &info, Int32(SF_TRUE)) else {
      throw LibraryFailure(
        code: Int32(SF_ERR_UNRECOGNISED_FORMAT), text: "its header is wrong", systemCode: errno)
    }
    self.file = file
    target = nil
  }

  deinit {
    sf_close(file)
    target?.releaseCallbackMemory()
  }
}

/// libsndfile's message about a failed call, with the system's code.
struct LibraryFailure: Error {
  let code: Int32
  let text: String
  let systemCode: Int32
}

extension LibraryFailure {
  /// libsndfile's error for the last failed open.
  ///
  /// Read it only while `openFailure` is locked.
  fileprivate static var opening: LibraryFailure {
    let systemCode = errno
    return LibraryFailure(code: sf_error(nil), systemCode: systemCode)
  }

  /// The corresponding C function is `sf_error_number`.
  fileprivate init(code: Int32, systemCode: Int32) {
    // For -1, which the Vorbis encoder returns, libsndfile would print to standard output, so
    // libsndfile's text is not requested.
    let text = code > 0 ? String(cString: sf_error_number(code)) : "the encoder failed"
    self.init(code: code, text: text, systemCode: systemCode)
  }
}

// Protects libsndfile's error for the last failed open. The error and this lock are process-wide.
private let openFailure = Mutex(())

extension SoundFileHandle {
  /// The corresponding C function is `sf_readf_float`.
  func read(_ target: UnsafeMutablePointer<Float>, frames: Int) -> Int {
    Int(sf_readf_float(file, target, sf_count_t(frames)))
  }

  /// Seeks to a frame; returns false on failure.
  ///
  /// The corresponding C function is `sf_seek`.
  func seek(to frame: Int) -> Bool {
    sf_seek(file, sf_count_t(frame), SEEK_SET) >= 0
  }

  /// The corresponding C function is `sf_writef_float`.
  func write(_ source: UnsafePointer<Float>, frames: Int) -> Int {
    Int(sf_writef_float(file, source, sf_count_t(frames)))
  }

  /// The corresponding C function is `sf_writef_short`.
  func write(_ source: UnsafePointer<Int16>, frames: Int) -> Int {
    Int(sf_writef_short(file, source, sf_count_t(frames)))
  }

  /// The corresponding C function is `sf_writef_int`.
  func write(_ source: UnsafePointer<Int32>, frames: Int) -> Int {
    Int(sf_writef_int(file, source, sf_count_t(frames)))
  }

  /// Updates the header for the written audio.
  func updateHeader() {
    sf_command(file, Int32(SFC_UPDATE_HEADER_NOW), nil, 0)
  }

  /// Omits the peak chunk, which contains a timestamp.
  private func omitPeakChunk() {
    sf_command(file, Int32(SFC_SET_ADD_PEAK_CHUNK), nil, Int32(SF_FALSE))
  }

  /// Sets the maximum duration of audio that Opus buffers before it writes a page.
  private func holdBack(milliseconds: Double) {
    set(SFC_SET_OGG_PAGE_LATENCY_MS, to: milliseconds)
  }

  /// Makes FLAC use blocks of 1,152 frames instead of 4,096, which last many seconds at low rates.
  ///
  /// The compression level determines the block length.
  private func shortenBlocks() {
    set(SFC_SET_COMPRESSION_LEVEL, to: 2.0 / 8)
  }

  /// Sets a constant bit rate for MP3, because with a variable bit rate LAME buffers up to two
  /// seconds of silence.
  ///
  /// Below 32 kHz, LAME would choose mono blocks that are too small for a length tag, so the bit
  /// rate is 64 kbit/s.
  private func keepBitRate(at rate: SampleRate) {
    set(SFC_SET_BITRATE_MODE, to: Int32(SF_BITRATE_MODE_CONSTANT))
    guard rate < 32_000 else { return }
    // libsndfile maps the levels 0 to 1 linearly to 160 to 8 kbit/s; this level selects 64 kbit/s.
    set(SFC_SET_COMPRESSION_LEVEL, to: (160.0 - 64) / (160 - 8))
  }

  /// Changes a setting; the corresponding C function is `sf_command`.
  private func set<Value: BitwiseCopyable>(_ command: Int, to value: Value) {
    var value = value
    sf_command(file, Int32(command), &value, Int32(MemoryLayout<Value>.size))
  }

  /// Completes the file with buffered audio and the header; returns a failure or nil.
  ///
  /// The corresponding C function is `sf_close`.
  consuming func close() -> LibraryFailure? {
    errno = 0
    let code = sf_close(file)
    let systemCode = errno
    target?.releaseCallbackMemory()
    discard self
    return code == SF_ERR_NO_ERROR ? nil : LibraryFailure(code: code, systemCode: systemCode)
  }

  /// The failure of the last call, or nil.
  var failure: LibraryFailure? {
    let systemCode = errno
    let code = sf_error(file)
    return code == SF_ERR_NO_ERROR ? nil : LibraryFailure(code: code, systemCode: systemCode)
  }
}

extension SoundFileHandle {
  /// Opens a file for writing.
  init(
    writing file: VirtualFile, format: AudioFormat, encoding: SoundFileEncoding,
    tags: [AudioTag: [String]] = [:]
  ) throws(LibraryFailure) {
    var info = SF_INFO(format, encoding)
    try self.init(file, mode: Int32(SFM_WRITE), info: &info)
    omitPeakChunk()
    store(tags)
    if format.channelCount > 2 { store(encoding.storedLayout(of: format.layout)) }
    if encoding.container == .opus { holdBack(milliseconds: 250) }
    if encoding.container == .mp3 { keepBitRate(at: format.sampleRate) }
    if encoding.container == .flac, format.sampleRate < 8_000 { shortenBlocks() }
  }

  /// Performs a write and returns libsndfile's failure or nil.
  func checked(_ body: (borrowing SoundFileHandle) -> Void) -> LibraryFailure? {
    errno = 0
    body(self)
    return failure
  }
}

extension SoundFileEncoding {
  /// The highest sample rate of libFLAC.
  private static let highestFLACRate: SampleRate = 655_350
  /// The maximum number of channels of a FLAC file; audio with more channels is refused instead of
  /// mixed.
  private static let mostFLACChannels = 8

  /// Throws `.unsupportedFormat` if the encoding does not support the format, before a file is
  /// created.
  ///
  /// The corresponding C function is `sf_format_check`, which does not check some limits of the
  /// encoders.
  package func check(_ format: AudioFormat) throws(SoundFileError) {
    if container == .vorbis { try VorbisOutput.check(format) }
    guard let reason = refusal(of: format) else { return }
    throw .unsupportedFormat(format, encoding: self, reason: reason)
  }

  private func refusal(of format: AudioFormat) -> String? {
    if let rates = supportedRates, !rates.contains(format.sampleRate) {
      return "its rates are \(rates.map { "\($0.hertz)" }.joined(separator: ", ")) Hz"
    }
    if container == .flac, format.sampleRate > Self.highestFLACRate {
      return "its rates are 1 to \(Self.highestFLACRate.hertz) Hz"
    }
    if container == .flac, format.channelCount > Self.mostFLACChannels {
      return "FLAC holds at most \(Self.mostFLACChannels) channels, not \(format.channelCount); "
        + "choose WAV"
    }
    if let most = maximumChannelCount, format.channelCount > most {
      return "it holds up to \(most) channels"
    }
    guard format.sampleRate.hertz <= Int32.max, format.channelCount <= 1024 else {
      return "the rate or the number of channels is too high"
    }
    var info = SF_INFO(format, self)
    return sf_format_check(&info) != 0 ? nil : "libsndfile refuses this rate or number of channels"
  }
}

extension SF_INFO {
  fileprivate init(_ format: AudioFormat, _ encoding: SoundFileEncoding) {
    self.init(
      frames: 0, samplerate: Int32(clamping: format.sampleRate.hertz),
      channels: Int32(clamping: format.channelCount), format: encoding.libraryFormat, sections: 0,
      seekable: 0)
  }
}
