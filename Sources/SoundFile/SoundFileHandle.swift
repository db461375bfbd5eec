import CSndFile
import Glibc
import Synchronization

/// The one owner of a `SNDFILE`, which has a descriptor of its own.
struct SoundFileHandle: ~Copyable {
  private let file: OpaquePointer

  /// Opens a file that is at hand; the corresponding C function is `sf_open_fd`.
  init(_ descriptor: Descriptor, mode: Int32, info: inout SF_INFO) throws(LibraryFailure) {
    // libsndfile keeps the error of a call that gave no handle in one variable for the whole
    // process: the lock keeps it ours from the failure to the fetch. Files answer at once, so
    // nobody waits.
    let opened = openFailure.withLock { _ in
      Self.open(descriptor, mode: mode, info: &info)
    }
    file = try opened.get()
  }

  /// Opens a stream that may keep us waiting for its header, therefore without the lock, and
  /// therefore without libsndfile's reason where it fails.
  init(stream descriptor: Descriptor, info: inout SF_INFO) throws(LibraryFailure) {
    guard let file = Self.file(descriptor, mode: Int32(SFM_READ), info: &info) else {
      throw LibraryFailure(code: Int32(SF_ERR_UNRECOGNISED_FORMAT), text: "its header is wrong")
    }
    self.file = file
  }

  deinit {
    sf_close(file)
  }

  private static func open(
    _ descriptor: Descriptor, mode: Int32, info: inout SF_INFO
  ) -> Result<OpaquePointer, LibraryFailure> {
    if let file = file(descriptor, mode: mode, info: &info) { return .success(file) }
    let systemCode = errno
    let code = sf_error(nil)
    return .failure(
      LibraryFailure(code: code, text: libraryText(code), systemCode: systemCode))
  }

  private static func file(
    _ descriptor: Descriptor, mode: Int32, info: inout SF_INFO
  ) -> OpaquePointer? {
    // Told not to close the descriptor, libsndfile 1.2 closes it all the same where it fails: so it
    // gets one of its own, or we would close one that another thread has opened meanwhile.
    let copy = fcntl(descriptor.number, F_DUPFD_CLOEXEC, 3)
    errno = 0
    return copy < 0 ? nil : sf_open_fd(copy, mode, &info, Int32(SF_TRUE))
  }
}

/// What libsndfile said about a call that failed, with the system's code beside it.
struct LibraryFailure: Error {
  let code: Int32
  let text: String
  let systemCode: Int32

  init(code: Int32, text: String, systemCode: Int32 = errno) {
    (self.code, self.text, self.systemCode) = (code, text, systemCode)
  }

  /// A failure to write that only the system told of: the MP3 encoder reports nothing; nil where
  /// `systemCode` tells of none.
  init?(unsaid systemCode: Int32) {
    guard [ENOSPC, EDQUOT, EFBIG, EIO].contains(systemCode) else { return nil }
    self.init(code: Int32(SF_ERR_SYSTEM), text: "", systemCode: systemCode)
  }
}

// Process-wide because what it protects, libsndfile's error of failed opens, is so.
private let openFailure = Mutex(())

extension SoundFileHandle {
  /// The corresponding C function is `sf_readf_float`.
  func read(_ target: UnsafeMutablePointer<Float>, frames: Int) -> Int {
    Int(sf_readf_float(file, target, sf_count_t(frames)))
  }

  /// The corresponding C function is `sf_seek`; false where it failed.
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

  /// Brings the header up to date with what was written.
  func updateHeader() {
    sf_command(file, Int32(SFC_UPDATE_HEADER_NOW), nil, 0)
  }

  /// Leaves out the chunk of peaks, which holds the time of day.
  func leaveOutPeaks() {
    sf_command(file, Int32(SFC_SET_ADD_PEAK_CHUNK), nil, Int32(SF_FALSE))
  }

  /// Ends the file: what is held back is written, and the header; nil where all of it succeeded.
  ///
  /// The corresponding C function is `sf_close`.
  consuming func close() -> LibraryFailure? {
    errno = 0
    let code = sf_close(file)
    let systemCode = errno
    discard self
    guard code != SF_ERR_NO_ERROR else { return LibraryFailure(unsaid: systemCode) }
    return LibraryFailure(
      code: code, text: libraryText(code), systemCode: systemCode)
  }

  /// The failure of the last call, nil where it was none.
  var failure: LibraryFailure? {
    let systemCode = errno
    let code = sf_error(file)
    guard code != SF_ERR_NO_ERROR else { return nil }
    return LibraryFailure(
      code: code, text: libraryText(code), systemCode: systemCode)
  }
}

/// The corresponding C function is `sf_error_number`.
private func libraryText(_ code: Int32) -> String {
  // For -1, which the Vorbis encoder gives, libsndfile would print a line to standard output.
  guard code > 0 else { return "the encoder failed" }
  return String(cString: sf_error_number(code))
}
