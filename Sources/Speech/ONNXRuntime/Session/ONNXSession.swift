package import FilePaths
import Glibc
import Synchronization

/// A loaded model that can be shared.
///
/// Thread safety: it is immutable, so any number of threads may run it at the same time.
package final class ONNXSession: Sendable {
  /// The model's file.
  package let path: FilePath
  package let library: ONNXLibrary
  package let inputs: [ONNXPort]
  package let outputs: [ONNXPort]
  private let owner: ONNXOwner
  // The mapped file of the model, if its weights are used in place. The file must be released after
  // `owner`.
  private let mapping: MappedFile?
  // The names of inputs and outputs as C strings; never changed after `init`.
  private nonisolated(unsafe) let names: [String: UnsafeMutablePointer<CChar>]

  /// Loads the model; the corresponding C functions are `CreateSession` and
  /// `CreateSessionFromArray`.
  ///
  /// - Throws: `.modelUnusable` with the library's message, `.outOfMemory`.
  package init(
    model path: FilePath, in library: ONNXLibrary,
    options: ONNXSessionOptions = ONNXSessionOptions()
  ) throws(ONNXError) {
    let functions = library.functions
    let setUp = try options.made(in: library)
    let mapping = options.mapsWeights ? try MappedFile(component: path) : nil
    do throws(ONNXError) {
      owner = try library.makeSession { environment, created in
        guard let bytes = mapping?.bytes, let start = bytes.baseAddress else {
          return path.withCString {
            functions.createSession(environment, $0, setUp.pointer, created)
          }
        }
        return functions.createSessionFromArray(
          environment, start, bytes.count, setUp.pointer, created)
      }
    } catch {
      throw error.ofModel(at: path)
    }
    inputs = try functions.ports(
      of: owner.pointer, count: functions.inputCount, typeInfo: functions.inputTypeInfo,
      name: functions.inputName)
    outputs = try functions.ports(
      of: owner.pointer, count: functions.outputCount, typeInfo: functions.outputTypeInfo,
      name: functions.outputName)
    names = Dictionary(
      (inputs + outputs).map { ($0.name, strdup($0.name)) }, uniquingKeysWith: { first, _ in first }
    )
    (self.path, self.library, self.mapping) = (path, library, mapping)
  }

  deinit {
    for name in names.values { free(name) }
  }

  /// Checks that the model has exactly these inputs, and at least these outputs.
  ///
  /// - Throws: `.modelUnusable` with the first input or output that differs.
  package func require(
    inputs wanted: [ONNXPort], outputs given: [ONNXPort]
  ) throws(ONNXError) {
    for input in inputs where !wanted.contains(where: { $0.name == input.name }) {
      throw unusable("it has an input \"\(input.name.printable)\", which is unknown")
    }
    for (kind, wanted, there) in [("input", wanted, inputs), ("output", given, outputs)] {
      for port in wanted {
        guard let found = there.first(where: { $0.name == port.name }) else {
          throw unusable("it has no \(kind) \"\(port.name)\"")
        }
        guard found.takes(port) else {
          throw unusable("its \(kind) \"\(port.name)\" is \(found.kind) instead of \(port.kind)")
        }
      }
    }
  }

  private func unusable(_ reason: String) -> ONNXError {
    .modelUnusable(path: path, reason: reason)
  }

  /// Runs the model; the corresponding C function is `Run`.
  ///
  /// It blocks; with a `threadCount` of 1, it uses only the calling thread.
  ///
  /// - Parameters:
  ///   - inputs: the model's inputs by name.
  ///   - outputs: the names of the outputs to compute; the library skips all others.
  ///   - run: the run by which another thread can terminate the call.
  /// - Returns: a value for each name in `outputs`.
  /// - Throws: `.terminated`, `.outOfMemory`, `.failed`.
  package func run(
    _ inputs: [(name: String, value: ONNXValue)], outputs: [String], as run: ONNXRun? = nil
  ) throws(ONNXError) -> [ONNXValue] {
    if run?.isTerminated == true { throw .terminated }
    let functions = library.functions
    let inputNames = try inputs.map { input throws(ONNXError) in try name(input.name) }
    let outputNames = try outputs.map { output throws(ONNXError) in try name(output) }
    var results = [OpaquePointer?](repeating: nil, count: outputs.count)
    let status = withExtendedLifetime(inputs) {
      functions.run(
        owner.pointer, run?.options.pointer, inputNames, inputs.map { $0.value.owner.pointer },
        inputs.count, outputNames, outputs.count, &results)
    }
    do throws(ONNXError) {
      try functions.check(status)
    } catch {
      throw run?.isTerminated == true ? .terminated : error
    }
    return try values(results)
  }

  /// Removes mapped weights from this process's memory.
  ///
  /// The next run maps them again from the system's cache: 240 MB in 10 ms.
  package func releasePages() {
    mapping?.releasePages()
  }

  /// Takes ownership of all results of a run; if one of them is unusable, the others are still
  /// released.
  private func values(_ results: [OpaquePointer?]) throws(ONNXError) -> [ONNXValue] {
    let release = library.functions.releaseValue
    let made = results.map { pointer in
      Result { () throws(ONNXError) in
        guard let pointer else { throw .failed(reason: "it returned no value") }
        return try ONNXValue(ONNXOwner(pointer, releasedBy: release), in: library)
      }
    }
    return try made.map { result throws(ONNXError) in try result.get() }
  }

  private func name(_ name: String) throws(ONNXError) -> UnsafePointer<CChar> {
    guard let text = names[name] else {
      throw unusable("it has no input or output \"\(name)\"")
    }
    return UnsafePointer(text)
  }
}

extension ONNXError {
  /// Returns the error for a model that the library cannot load.
  fileprivate func ofModel(at path: FilePath) -> ONNXError {
    if case .failed(let reason) = self {
      return .modelUnusable(path: path, reason: reason.printable)
    }
    return self
  }
}

/// One or more consecutive runs that another thread can terminate.
///
/// Thread safety: any thread may call `terminate`, at any time and more than once. A run ends
/// between two of its operators. Moonshine's longest operator takes 50 ms for 20 s of audio.
package final class ONNXRun: Sendable {
  let options: ONNXOwner
  private let functions: ONNXFunctions
  private let flag = Atomic<Bool>(false)

  /// - Parameter returnsMemory: whether each run frees the session's unused memory when it ends;
  ///   otherwise, the memory is kept for later runs. The first allocated block is never freed.
  package init(in library: ONNXLibrary, returnsMemory: Bool = false) throws(ONNXError) {
    functions = library.functions
    let functions = functions
    options = try functions.make(releasedBy: functions.releaseRunOptions) {
      functions.createRunOptions($0)
    }
    guard returnsMemory else { return }
    try functions.check(
      functions.addRunConfigEntry(
        options.pointer, "memory.enable_memory_arena_shrinkage", "cpu:0"))
  }

  /// Ends the current run and every later run; the corresponding C function is
  /// `RunOptionsSetTerminate`.
  package func terminate() {
    flag.store(true, ordering: .releasing)
    // The call only sets a flag and cannot fail.
    try? functions.check(functions.setTerminate(options.pointer))
  }

  /// Whether the run was terminated.
  package var isTerminated: Bool { flag.load(ordering: .acquiring) }
}

/// The options for loading a model.
package struct ONNXSessionOptions: Equatable, Sendable {
  /// The level to which the library optimizes a graph while loading it.
  package enum Optimization: Int32, Sendable {
    case none = 0
    /// Optimizations that suit any processor.
    case extended = 2
    /// All optimizations, including optimizations that suit only this processor.
    case all = 99
  }

  package var optimization = Optimization.all
  /// Whether the session keeps the memory of a run for the next run.
  package var keepsMemory = true
  /// Whether the file of a model in ORT format is mapped into memory, so that processes share its
  /// weights.
  package var mapsWeights = false
  /// Whether the library copies mapped weights into the order that is fastest on this processor.
  package var prepacksWeights = false
  /// The number of threads of a run, including the calling thread.
  ///
  /// With two threads, Moonshine's encoder takes half the time, and 2 % more CPU time. Its decoder
  /// takes hardly less time, and 20 % more CPU time, because memory bandwidth limits a step.
  package var threadCount = 1
  /// The file that the library writes after it has loaded and optimized the model: in ORT format if
  /// its extension is `ort`, otherwise as ONNX.
  package var savedModel: FilePath?

  package init() {}

  /// Creates the library's options object.
  func made(in library: ONNXLibrary) throws(ONNXError) -> ONNXOwner {
    let functions = library.functions
    let made = try functions.make(releasedBy: functions.releaseSessionOptions) {
      functions.createSessionOptions($0)
    }
    let options = made.pointer
    try functions.check(functions.setThreadCount(options, Int32(threadCount)))
    try functions.check(functions.setOptimizationLevel(options, optimization.rawValue))
    // A memory pattern would be stored for each run, because the lengths of inputs differ between
    // runs.
    try functions.check(functions.disableMemoryPattern(options))
    if !keepsMemory { try functions.check(functions.disableArena(options)) }
    if let savedModel {
      try functions.check(
        savedModel.withCString { functions.setOptimizedModelFilePath(options, $0) })
    }
    for (key, value) in entries {
      try functions.check(functions.addConfigEntry(options, key, value))
    }
    return made
  }

  private var entries: [(String, String)] {
    var entries: [(String, String)] = []
    if let savedModel {
      let format = savedModel.pathExtension == "ort" ? "ORT" : "ONNX"
      entries.append(("session.save_model_format", format))
    }
    // Threads that spin while they wait cost CPU time and hardly shorten a run.
    if threadCount > 1 { entries.append(("session.intra_op.allow_spinning", "0")) }
    if mapsWeights {
      entries += [
        ("session.load_model_format", "ORT"),
        ("session.use_ort_model_bytes_directly", "1"),
        ("session.use_ort_model_bytes_for_initializers", "1"),
        ("session.disable_prepacking", prepacksWeights ? "0" : "1"),
      ]
    }
    return entries
  }
}
