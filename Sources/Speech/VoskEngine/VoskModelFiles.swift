import FilePaths
import Glibc
import SpeechEngine

/// The files of a Vosk model.
struct VoskModelFiles: InstalledModel, Equatable, Sendable {
  /// The model's folder.
  let directory: String
  /// Whether most files are directly in `directory`, as in models from before 2020.
  private let isFlat: Bool

  /// Finds the files; nil if the folder contains no model.
  init?(directory: String) {
    let folder = FilePath(directory)
    isFlat = !folder.has("am") && !folder.has("graph")
    if isFlat, !folder.has("final.mdl") { return nil }
    self.directory = directory
  }

  var location: String { directory }

  /// The language according to the folder's name.
  var language: String { Self.tag(ofModelNamed: directory) }

  /// Whether the model supports grammars; it does if its graph is composed at run time.
  var takesPhrases: Bool { !has(graph("HCLG.fst")) }

  /// Checks that every file exists and begins as its format requires.
  ///
  /// - Throws: `.modelDamaged` with the file and the reason, `.modelUnreadable`.
  func validate() throws(SpeechEngineError) {
    for (name, format) in needed {
      let path = "\(directory)/\(name)"
      let file = try ModelFileHead(path: path)
      try SpeechEngineError.checking(path) { () throws(ModelDamage) in try format.check(file) }
    }
  }

  private var needed: [(String, KaldiFileFormat)] {
    var files: [(String, KaldiFileFormat)] = [
      (isFlat ? "final.mdl" : "am/final.mdl", .object("<TransitionModel>")),
      (features, .options),
    ]
    if !isFlat { files.append(("conf/model.conf", .options)) }
    return files + search + optional + speaker
  }

  private var features: String {
    let folder = isFlat ? "" : "conf/"
    return has("\(folder)fbank.conf") && !has("\(folder)mfcc.conf")
      ? "\(folder)fbank.conf" : "\(folder)mfcc.conf"
  }

  private var search: [(String, KaldiFileFormat)] {
    if !takesPhrases { return [(graph("HCLG.fst"), .transducer)] }
    return [
      (graph("HCLr.fst"), .transducer), (graph("Gr.fst"), .transducer),
      (graph("disambig_tid.int"), .anything),
    ]
  }

  /// The optional files of a model.
  private var optional: [(String, KaldiFileFormat)] {
    let boundaries = isFlat ? "word_boundary.int" : "graph/phones/word_boundary.int"
    return [graph("words.txt"), boundaries, "rescore/G.carpa", "rescore/G.fst"].filter(has).map {
      ($0, .anything)
    }
  }

  /// The files for speaker adaptation, in models that support it.
  private var speaker: [(String, KaldiFileFormat)] {
    guard has("ivector") else { return [] }
    return [
      ("ivector/final.ie", .object("<IvectorExtractor>")),
      ("ivector/final.dubm", .object("<DiagGMM")), ("ivector/final.mat", .anything),
      ("ivector/global_cmvn.stats", .anything), ("ivector/splice.conf", .options),
      ("ivector/online_cmvn.conf", .optionsIfAny),
    ]
  }

  private func graph(_ name: String) -> String { isFlat ? name : "graph/\(name)" }

  private func has(_ name: String) -> Bool { FilePath(directory).has(name) }
}

/// The beginning of a model's file and the size of the file, which may be gigabytes.
struct ModelFileHead {
  static let headLength = 4_096

  let head: [UInt8]
  let size: Int
  /// Whether the head is the whole file.
  var isWhole: Bool { head.count == size }

  /// - Throws: `.modelDamaged` if the file is missing, `.modelUnreadable`; `.failed` if a system
  ///   limit is the cause.
  init(path: String) throws(SpeechEngineError) {
    let descriptor = FilePath(path).withCString {
      open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    }
    guard descriptor >= 0 else {
      switch errno {
      case ENOENT, ENOTDIR: throw .modelDamaged(path: path, reason: "it is missing")
      case let code: throw .unreadable(path, code: code)
      }
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.isRegularFile else {
      throw .modelDamaged(path: path, reason: "it is not a file")
    }
    size = Int(status.st_size)
    let length = min(size, Self.headLength)
    var count = 0
    // `read` fills at most the reserved capacity, and returns the count.
    head = [UInt8](unsafeUninitializedCapacity: length) { buffer, initialized in
      count = max(0, read(descriptor, buffer.baseAddress, length))
      initialized = count
    }
    guard count == length else {
      throw .modelDamaged(path: path, reason: "it cannot be read")
    }
  }
}

/// The formats of a model's files.
enum KaldiFileFormat: Equatable {
  /// An object in Kaldi's binary or text form that begins with this token.
  case object(String)
  /// A finite-state transducer of OpenFst.
  case transducer
  /// Options, one per line.
  case options
  /// Options, or an empty file.
  case optionsIfAny
  /// Any nonempty file.
  case anything

  func check(_ file: ModelFileHead) throws(ModelDamage) {
    guard file.size > 0 || self == .optionsIfAny else {
      throw ModelDamage("it is empty")
    }
    switch self {
    case .object(let token):
      let content =
        file.head.starts(with: [0, UInt8(ascii: "B")]) ? file.head.dropFirst(2) : file.head[...]
      guard content.starts(with: Array(token.utf8)) else {
        throw ModelDamage("it does not begin with \(token)")
      }
    case .transducer: try Self.checkTransducer(file)
    case .options, .optionsIfAny: try Self.checkOptions(file)
    case .anything: return
    }
  }

  /// Checks that every line is an option, because libvosk would otherwise print pages of help.
  private static func checkOptions(_ file: ModelFileHead) throws(ModelDamage) {
    let text = String(decoding: file.head, as: UTF8.self)
    for line in text.split(whereSeparator: \.isNewline).dropLast(file.isWhole ? 0 : 1) {
      let content = line.drop { $0 == " " || $0 == "\t" }
      guard content.isEmpty || content.hasPrefix("#") || content.hasPrefix("--") else {
        throw ModelDamage("its line \"\(line.prefix(40))\" is not an option")
      }
    }
  }
}

/// Determines the minimum sizes of transducers from their headers.
extension KaldiFileFormat {
  private static let magic: UInt64 = 2_125_659_606

  private static func checkTransducer(_ file: ModelFileHead) throws(ModelDamage) {
    guard let least = try leastSize(ofTransducer: file.head), file.size < least else { return }
    throw ModelDamage("it has \(file.size) bytes, but needs \(least) or more")
  }

  /// Returns the minimum size of the states and arcs; nil for an unknown kind of transducer.
  static func leastSize(ofTransducer bytes: [UInt8]) throws(ModelDamage) -> Int? {
    var rest = bytes[...]
    guard try number(&rest, bytes: 4) == magic else {
      throw ModelDamage("it is not an OpenFst transducer")
    }
    let kind = try text(&rest)
    _ = try text(&rest)
    // The fields are version, flags, properties, and first state.
    for width in [4, 4, 8, 8] { _ = try number(&rest, bytes: width) }
    let stateCount = Int(truncatingIfNeeded: try number(&rest, bytes: 8))
    let arcCount = Int(truncatingIfNeeded: try number(&rest, bytes: 8))
    // A state has a weight and a count in a `vector` transducer, and five numbers in a `const`
    // transducer.
    let widths = ["vector": 12, "const": 20]
    guard let width = widths[kind], stateCount >= 0, arcCount >= 0 else { return nil }
    let (states, isTooMuch) = stateCount.multipliedReportingOverflow(by: width)
    let (arcs, isTooMuchToo) = arcCount.multipliedReportingOverflow(by: 16)
    let (sum, isTooBig) = states.addingReportingOverflow(arcs)
    return isTooMuch || isTooMuchToo || isTooBig ? Int.max : sum
  }

  private static func number(
    _ rest: inout ArraySlice<UInt8>, bytes count: Int
  ) throws(ModelDamage) -> UInt64 {
    guard rest.count >= count else { throw ModelDamage("it ends within its header") }
    let value = rest.prefix(count).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    rest = rest.dropFirst(count)
    return value
  }

  private static func text(_ rest: inout ArraySlice<UInt8>) throws(ModelDamage) -> String {
    let length = try number(&rest, bytes: 4)
    guard length <= 64, rest.count >= Int(length) else {
      throw ModelDamage("its header is invalid")
    }
    defer { rest = rest.dropFirst(Int(length)) }
    return String(decoding: rest.prefix(Int(length)), as: UTF8.self)
  }
}
