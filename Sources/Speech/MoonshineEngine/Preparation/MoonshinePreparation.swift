import FilePaths
import Glibc
package import ONNXRuntime

/// Prepares a published model, which then runs in a third of the time.
///
/// The published graphs turn their 8-bit weights into floats with ordinary operators in each run,
/// because the library does not optimize a model in ORT format. Preparation saves both graphs as
/// ONNX and loads them again. In the encoder, the library then replaces these operators with their
/// constant results. The encoder keeps floats, because rounding its inputs to 8 bits raises the
/// word error rate in noise. The decoder gets operators that multiply the bytes themselves. The
/// prepared files are in ORT format, which can be mapped into memory.
///
/// The decoder rounds its inputs in blocks, each with its own scale. A pass over many tokens then
/// returns the same numbers as one pass per token. Measured on 73 recordings: 22 of 736 words are
/// wrong, as with floats; with one scale for all inputs of a pass, 23 are wrong. The log
/// probabilities of 20 tokens in one pass and in 20 passes are equal; with one scale, they differ
/// by 0.2 on average.
extension InstalledFolder {
  /// The names of the files that `prepareMoonshine` adds to a model's folder.
  package static let preparedMoonshineFiles = MoonshineModelFiles.Part.allCases
    .compactMap(\.prepared.first)

  /// Makes the prepared files in the model's folder.
  ///
  /// The files get their final names only when all of them are complete; they then replace the
  /// files of earlier versions.
  ///
  /// The call blocks. Canceling the task ends the call before the next step. A step takes about a
  /// second.
  ///
  /// - Throws: `.modelUnusable`, `.outOfMemory`, `.terminated`; a system error if the folder is not
  ///   writable.
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

  /// Optimizes a graph and saves it in ORT format, by way of two temporary files in ONNX format.
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
  /// Whether the library multiplies blocks of 8-bit numbers with the processor's 8-bit
  /// instructions, if the processor has them.
  var multipliesBlocks: Bool { isAtLeast(minor: 23) }

  /// The number of consecutive input values of the decoder that are rounded with one scale.
  ///
  /// Nil if this library version or processor would multiply blocks as floats, which is slow. One
  /// scale then serves a whole pass.
  var blockSize: Int? {
    let processor: FilePath = "/proc/cpuinfo"
    let features = (try? processor.contents()).map { String(decoding: $0, as: UTF8.self) } ?? ""
    let isFast = features.split(whereSeparator: \.isWhitespace).contains {
      $0 == "avx2" || $0 == "asimddp"
    }
    return isFast && multipliesBlocks ? 64 : nil
  }

  /// Loads a model and saves it in another format.
  @discardableResult fileprivate func convert(
    _ model: FilePath, optimization: ONNXSessionOptions.Optimization, to saved: FilePath
  ) throws(ONNXError) -> ONNXSession {
    var options = ONNXSessionOptions()
    options.optimization = optimization
    options.keepsMemory = false
    options.savedModel = saved
    if Task.isCancelled { throw .terminated }
    // The file is created first, because the library reports no reason if it cannot write the file.
    try saved.create()
    do throws(ONNXError) {
      return try ONNXSession(model: model, in: self, options: options)
    } catch {
      throw saved.isOnFullDisk ? ONNXError(code: ENOSPC, path: saved) : error
    }
  }
}

extension ONNXSession {
  /// The size of the decoder's attention heads: the last dimension of its cached keys.
  ///
  /// Nil for an encoder: its scales are already constants.
  fileprivate var headSize: Int? {
    inputs.first { $0.name.hasSuffix(".decoder.key") }?.shape.last ?? nil
  }
}

extension FilePath {
  /// The path of a hidden file in the same folder; a file left by an interrupted preparation is
  /// overwritten.
  fileprivate var temporary: FilePath {
    folder.appending(FilePath(bytes: Array(".".utf8) + name.bytes))
  }

  /// Creates an empty file.
  fileprivate func create() throws(ONNXError) {
    let file = withCString { open($0, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644) }
    guard file >= 0 else { throw ONNXError(code: errno, path: self) }
    close(file)
  }

  /// Whether the file system of this path has less than 1 MiB free.
  fileprivate var isOnFullDisk: Bool {
    var status = statvfs()
    let isKnown = withCString { statvfs($0, &status) } == 0
    return isKnown && status.f_bavail * status.f_frsize < 1 << 20
  }

  /// Moves a complete file into place after its data has been written to the disk.
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
