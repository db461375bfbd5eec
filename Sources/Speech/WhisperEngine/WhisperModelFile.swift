import FilePaths
import FoundationEssentials
import ONNXRuntime
import SpeechEngine

/// A model file of whisper.cpp: `ggml-base.bin`, `ggml-large-v3-turbo-q5_0.bin`.
struct WhisperModelFile: InstalledModel, Equatable, Sendable {
  let path: FilePath

  var location: String { path.text }

  /// English for a file with the smaller vocabulary of English models; otherwise any language.
  var language: String {
    guard path.status?.isRegularFile == true, let head = try? path.contents(atMost: 8),
      head.count >= 8
    else { return LanguageTag.multiple }
    let vocabulary = head[4..<8].reversed().reduce(0) { $0 << 8 | Int($1) }
    return vocabulary == 51_864 ? "en" : LanguageTag.multiple
  }

  func validate() throws(SpeechEngineError) { _ = try contents() }

  /// Maps the file after checking its structure, because libwhisper trusts the sizes in a file.
  ///
  /// - Throws: `.modelDamaged`, `.modelUnreadable`.
  func contents() throws(SpeechEngineError) -> MappedFile {
    let file = try SpeechEngineError.checkingFile { () throws(ONNXError) in
      try MappedFile(component: InstalledFolder(path.folder).file(path.name.text))
    }
    try SpeechEngineError.checking(location) { () throws(ModelDamage) in
      var reader = GGMLReader(bytes: file.bytes)
      try reader.checkModel()
    }
    return file
  }
}

/// Reads the structure of a model file from its beginning to its end.
struct GGMLReader {
  private static let magic = 0x6767_6d6c
  /// The sizes of the blocks of each type of weights: elements and bytes.
  private static let blocks: [Int: (elements: Int, bytes: Int)] = [
    0: (1, 4), 1: (1, 2), 2: (32, 18), 3: (32, 20), 6: (32, 22), 7: (32, 24), 8: (32, 34),
    10: (256, 84), 11: (256, 110), 12: (256, 144), 13: (256, 176), 14: (256, 210),
  ]
  /// The type of the large weights, by the file's format.
  private static let types = [
    0: 0, 1: 1, 2: 2, 3: 3, 7: 8, 8: 6, 9: 7, 10: 10, 11: 11, 12: 12, 13: 13, 14: 14,
  ]
  /// The bytes of the longest name of a weight, and the largest dimension.
  private static let (longestText, largest) = (1_024, 100_000)

  let bytes: UnsafeRawBufferPointer
  private var position = 0

  init(bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  /// Checks the sizes in the header, and that the file consists of whole parts to its end.
  ///
  /// libwhisper itself checks the names and shapes of the weights, but not these numbers.
  mutating func checkModel() throws(ModelDamage) {
    guard try number() == Self.magic else {
      throw ModelDamage("it is not a ggml file of whisper.cpp")
    }
    var sizes: [Int] = []
    for _ in 0..<10 { sizes.append(try number()) }
    let (vocabulary, width, heads, mels) = (sizes[0], sizes[2], sizes[3], sizes[9])
    guard (51_864...51_900).contains(vocabulary), sizes[1] == WhisperModel.wholeWindow,
      (64...2_048).contains(width), (1...32).contains(heads), width.isMultiple(of: heads),
      (1...48).contains(sizes[4]), sizes[5] == 448, sizes[6] == width, sizes[7] == heads,
      (1...48).contains(sizes[8]), [80, 128].contains(mels)
    else { throw ModelDamage("its sizes are not those of a Whisper model: \(sizes)") }
    guard let type = Self.types[try number() % 1_000] else {
      throw ModelDamage("its weights have an unknown format")
    }
    try skipFilters(mels: mels)
    try skipVocabulary(atMost: vocabulary)
    var names: Set<String> = []
    while position < bytes.count {
      let name = try skipWeight(of: [0, 1, type])
      guard names.insert(name).inserted else {
        throw ModelDamage("it has the weight \(name.printableLine(atMost: 60)) twice")
      }
    }
    let count = 15 * sizes[4] + 24 * sizes[8] + 11
    guard names.count == count else {
      throw ModelDamage("it has \(names.count) weights instead of \(count)")
    }
  }

  /// Reads the next 32-bit number.
  mutating func number() throws(ModelDamage) -> Int {
    let start = position
    try skip(4)
    return Int(Int32(littleEndian: bytes.loadUnaligned(fromByteOffset: start, as: Int32.self)))
  }

  private mutating func skip(_ count: Int) throws(ModelDamage) {
    guard count >= 0, count <= bytes.count - position else {
      throw ModelDamage("it ends early; it was cut short or is damaged")
    }
    position += count
  }

  private mutating func text(length: Int) throws(ModelDamage) -> String {
    guard (0...Self.longestText).contains(length) else {
      throw ModelDamage("it has a text of \(length) bytes")
    }
    let start = position
    try skip(length)
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  private mutating func skipFilters(mels: Int) throws(ModelDamage) {
    let (filters, bins) = (try number(), try number())
    guard filters == mels, bins == 201 else {
      throw ModelDamage("it has \(filters)×\(bins) mel filters instead of \(mels)×201")
    }
    try skip(filters * bins * 4)
  }

  private mutating func skipVocabulary(atMost most: Int) throws(ModelDamage) {
    let count = try number()
    guard (1...most).contains(count) else {
      throw ModelDamage("it has \(count) tokens, and should have at most \(most)")
    }
    for _ in 0..<count { try skip(number()) }
  }

  /// Skips a weight of one of the types, and returns its name.
  private mutating func skipWeight(of types: Set<Int>) throws(ModelDamage) -> String {
    let (rank, length, type) = (try number(), try number(), try number())
    guard (1...3).contains(rank) else { throw ModelDamage("a weight has \(rank) dimensions") }
    guard types.contains(type), let block = Self.blocks[type] else {
      throw ModelDamage("a weight has the type \(type)")
    }
    var shape: [Int] = []
    for _ in 0..<rank {
      let size = try number()
      guard (1...Self.largest).contains(size) else {
        throw ModelDamage("a weight has a dimension of \(size)")
      }
      shape.append(size)
    }
    let name = try text(length: length)
    guard shape[0].isMultiple(of: block.elements) else {
      throw ModelDamage("\(name.printableLine(atMost: 60)) does not consist of whole blocks")
    }
    // At most 3 × 17 bits, so the product does not overflow.
    try skip(shape.reduce(1, *) / block.elements * block.bytes)
    return name
  }
}

/// The location of Whisper models.
struct WhisperModelLocation: Sendable {
  static let variable = "SYRINX_WHISPER_MODEL"

  private let chosen: FilePath?
  private let environment: [String: String]

  init(chosen: URL?, environment: [String: String] = ProcessInfo.processInfo.environment) {
    self.chosen = chosen.map(FilePath.init)
    self.environment = environment
  }

  /// Returns the valid models, the default first.
  ///
  /// - Throws: `.modelNotInstalled` if there is none; `.modelDamaged` or `.modelUnreadable` if none
  ///   is valid.
  func models() throws(SpeechEngineError) -> [WhisperModelFile] {
    try candidates.map(WhisperModelFile.init).valid(
      orThrow: only.map { SpeechEngineError.noModel(inNamed: $0) }
        ?? .modelNotInstalled(searched: searched, remedy: WhisperLibrary.remedy))
  }

  /// Returns the first model for a language; nil or `auto` accepts any model.
  ///
  /// - Throws: the same errors as `models`, and `.languageMissing`.
  func model(for language: String?) throws(SpeechEngineError) -> WhisperModelFile {
    // Nothing needs to be installed for a language that no model supports.
    try WhisperLanguage.check(language)
    return try models().first(for: WhisperLanguage.isNamed(language) ? language : nil)
  }

  /// The file or folder that the caller or the environment names; nil if none is named.
  private var only: FilePath? { chosen ?? environment.nonEmpty(Self.variable).map { FilePath($0) } }

  private var candidates: [FilePath] {
    guard let only else {
      return InstalledFolder.installed(named: "whisper-", environment: environment)
        .flatMap(Self.models)
    }
    guard let status = only.status else { return [] }
    return status.isFolder ? Self.models(in: only) : [only]
  }

  private static func models(in folder: FilePath) -> [FilePath] {
    let names = (folder.names ?? []).map(\.text).filter {
      $0.hasPrefix("ggml-") && $0.hasSuffix(".bin")
    }
    return names.sorted().map { folder.appending(FilePath($0)) }
  }

  private var searched: [String] {
    let root = InstalledFolder.root(environment: environment)
    return [root.map { "\($0.text)/whisper-*" } ?? "~/.local/share/syrinx/whisper-*"]
  }
}
