package import FilePaths

/// How a model is loaded.
package struct ONNXSessionOptions: Equatable, Sendable {
  /// How far the library optimizes a graph while loading it.
  package enum Optimization: Int32, Sendable {
    case none = 0
    /// For any processor.
    case extended = 2
    /// For this processor.
    case all = 99
  }

  /// A file that the library writes after it has loaded and optimized a model.
  package struct Saving: Equatable, Sendable {
    package enum Format: String, Sendable {
      case onnx = "ONNX"
      case ort = "ORT"
    }

    package let path: FilePath
    package let format: Format

    package init(_ path: FilePath, as format: Format) {
      (self.path, self.format) = (path, format)
    }
  }

  package var optimization = Optimization.all
  /// Whether the memory of a run is kept for the next one.
  package var keepsMemory = true
  /// Whether the file of a model in ORT format is mapped into memory, so that processes share its
  /// weights.
  package var mapsWeights = false
  /// Whether the library copies mapped weights into the order in which this processor multiplies
  /// fastest.
  package var prepacksWeights = false
  package var saving: Saving?

  package init() {}

  /// Creates the library's object with these options.
  func made(in library: ONNXLibrary) throws(ONNXError) -> ONNXOwner {
    let functions = library.functions
    let made = try functions.make(releasedBy: functions.releaseSessionOptions) {
      functions.createSessionOptions($0)
    }
    let options = made.pointer
    // A second thread costs 20% more CPU time and hardly shortens a decode, because memory bandwidth
    // limits a step. Parallelism comes from decoding several utterances at once.
    try functions.check(functions.setThreadCount(options, 1))
    try functions.check(functions.setOptimizationLevel(options, optimization.rawValue))
    // The lengths of inputs change with each run, so that each would add a pattern.
    try functions.check(functions.disableMemoryPattern(options))
    if !keepsMemory { try functions.check(functions.disableArena(options)) }
    if let saving {
      try functions.check(
        saving.path.withCString { functions.setOptimizedModelFilePath(options, $0) })
    }
    for (key, value) in entries {
      try functions.check(functions.addConfigEntry(options, key, value))
    }
    return made
  }

  private var entries: [(String, String)] {
    var entries: [(String, String)] = []
    if let saving { entries.append(("session.save_model_format", saving.format.rawValue)) }
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
