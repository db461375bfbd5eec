import FilePaths
import Glibc
package import ONNXRuntime

/// The preparation of a published model, which then runs in a third of the time.
///
/// The published graphs turn their 8-bit weights into floats with ordinary operators in each run,
/// because the library does not optimize a model in ORT format. Saved as ONNX and loaded again, the
/// encoder loses these operators: their results become constants. The decoder multiplies the bytes
/// themselves. The encoder keeps floats: rounding its inputs to 8 bits raises the word error rate in
/// noise. The prepared files are in ORT format, which can be mapped into memory.
///
/// The decoder rounds its inputs in blocks, each with its own scale: then a pass over many tokens returns
/// the same numbers as a pass over each. Measured on 73 recordings: 22 of 736 words are wrong, as with
/// floats; 23 with one scale for all inputs of a pass. In one pass with 20 tokens instead of 20 passes, the
/// logarithms of probabilities are equal; with one scale they differ by 0.2 on average.
extension InstalledFolder {
  /// The names of the files that `prepareMoonshine` adds to a model's folder.
  package static let preparedMoonshineFiles = MoonshineModelFiles.Part.allCases
    .compactMap(\.prepared.first)

  /// Makes the prepared files in the model's folder; they get their names when both are whole, and
  /// replace those of earlier versions.
  ///
  /// It blocks; a task that is canceled ends it between two steps, of about a second each.
  ///
  /// - Throws: `.modelUnusable`, `.outOfMemory`, `.terminated`; a system error if the folder is not writable.
  package func prepareMoonshine(with library: ONNXLibrary) throws(ONNXError) {
    let prepared = Self.preparedMoonshineFiles.map { path.appending(FilePath($0)) }
    defer { for file in prepared { file.temporary.remove() } }
    for part in MoonshineModelFiles.Part.allCases {
      guard let name = part.prepared.first else { continue }
      try optimize(part, to: path.appending(FilePath(name)).temporary, with: library)
    }
    for file in prepared { try file.temporary.publish(as: file) }
    for name in MoonshineModelFiles.Part.allCases.flatMap({ $0.prepared.dropFirst() }) {
      path.appending(FilePath(name)).remove()
    }
  }

  /// Saves a graph optimized, by way of ONNX.
  private func optimize(
    _ part: MoonshineModelFiles.Part, to optimized: FilePath, with library: ONNXLibrary
  ) throws(ONNXError) {
    let (plain, rewritten) = (
      FilePath(bytes: optimized.bytes + Array(".onnx".utf8)),
      FilePath(bytes: optimized.bytes + Array(".rewritten.onnx".utf8))
    )
    defer { for file in [plain, rewritten] { file.remove() } }
    let headSize = try library.convert(file(part.rawValue), optimization: .none, to: plain).headSize
    try ONNXGraphRewriting.rewrite(
      plain, to: rewritten, headSize: headSize, quantizesInputs: part == .decoder,
      blockSize: part == .decoder ? library.blockSize : nil,
      unshapedInput: part == .decoder ? DecoderLayout.tokens : nil)
    try library.convert(rewritten, optimization: .extended, to: optimized)
  }
}

extension ONNXLibrary {
  /// Whether it multiplies blocks of 8 bits on all processors with the instructions for it.
  var multipliesBlocks: Bool { isAtLeast(minor: 23) }

  /// The number of the decoder's inputs that share a scale; nil if all inputs of a pass share it,
  /// because the library would multiply blocks slowly, as floats.
  var blockSize: Int? {
    let processor: FilePath = "/proc/cpuinfo"
    let features = (try? processor.contents()).map { String(decoding: $0, as: UTF8.self) } ?? ""
    let isFast = features.split(whereSeparator: \.isWhitespace).contains {
      $0 == "avx2" || $0 == "asimddp"
    }
    return isFast && multipliesBlocks ? 64 : nil
  }

  /// Loads a model to save it in another form.
  @discardableResult fileprivate func convert(
    _ model: FilePath, optimization: ONNXSessionOptions.Optimization, to saved: FilePath
  ) throws(ONNXError) -> ONNXSession {
    var options = ONNXSessionOptions()
    options.optimization = optimization
    options.keepsMemory = false
    options.savedModel = saved
    if Task.isCancelled { throw .terminated }
    // The library reports no reason if it cannot write the file.
    try saved.create()
    do throws(ONNXError) {
      return try ONNXSession(model: model, in: self, options: options)
    } catch {
      throw saved.isOnFullDisk ? ONNXError(code: ENOSPC, path: saved) : error
    }
  }
}

extension ONNXSession {
  /// The size of the decoder's attention heads: the last dimension of its cached keys; nil for an
  /// encoder, whose scales are constants already.
  fileprivate var headSize: Int? {
    inputs.first { $0.name.hasSuffix(".decoder.key") }?.shape.last ?? nil
  }
}

extension FilePath {
  /// A hidden file beside it; the file of an interrupted preparation is overwritten.
  fileprivate var temporary: FilePath {
    folder.appending(FilePath(bytes: Array(".".utf8) + name.bytes))
  }

  /// Makes an empty file.
  fileprivate func create() throws(ONNXError) {
    let file = withCString { open($0, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644) }
    guard file >= 0 else { throw ONNXError(code: errno, path: self) }
    close(file)
  }

  /// Whether less than 1 MiB is free where the file is.
  fileprivate var isOnFullDisk: Bool {
    var status = statvfs()
    let isKnown = withCString { statvfs($0, &status) } == 0
    return isKnown && status.f_bavail * status.f_frsize < 1 << 20
  }

  /// Moves a whole file into place, when it is on the disk.
  fileprivate func publish(as path: FilePath) throws(ONNXError) {
    let file = withCString { open($0, O_RDONLY | O_CLOEXEC) }
    guard file >= 0 else { throw ONNXError(code: errno, path: self) }
    defer { close(file) }
    guard fsync(file) == 0 else { throw ONNXError(code: errno, path: self) }
    do throws(FilePathError) { try move(to: path) } catch {
      throw ONNXError(code: error.code, path: path)
    }
  }
}
