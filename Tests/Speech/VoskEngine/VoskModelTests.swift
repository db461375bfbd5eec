import AudioCore
import Foundation
import SpeechEngine
import Testing

@testable import VoskEngine

@Suite(.timeLimit(.minutes(5))) struct VoskModelTests {
  private let vosk: FakeVosk

  init() throws {
    vosk = try FakeVosk()
  }

  private func failure() -> SpeechEngineError? {
    do throws(SpeechEngineError) {
      try VoskModelFiles(directory: vosk.model.path)?.validate()
      return nil
    } catch {
      return error
    }
  }

  private func write(_ bytes: [UInt8], to name: String) throws {
    let file = vosk.model.appending(path: name)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: file)
  }

  private static let files = [
    "am/final.mdl", "conf/mfcc.conf", "conf/model.conf", "graph/HCLr.fst", "graph/Gr.fst",
    "graph/disambig_tid.int", "ivector/final.ie", "ivector/final.dubm", "ivector/final.mat",
    "ivector/global_cmvn.stats", "ivector/splice.conf",
  ]

  @Test func `a complete model is valid`() {
    #expect(failure() == nil)
  }

  @Test(arguments: files + ["ivector/online_cmvn.conf"])
  func `the error for a missing file contains the file's name`(file: String) throws {
    let url = vosk.model.appending(path: file)
    try FileManager.default.removeItem(at: url)
    #expect(failure() == .modelDamaged(path: url.path, reason: "it is missing"))
  }

  @Test(arguments: files + ["graph/phones/word_boundary.int", "rescore/G.carpa"])
  func `the error for an empty file contains the file's name`(file: String) throws {
    try write([], to: file)
    let path = vosk.model.appending(path: file).path
    #expect(failure() == .modelDamaged(path: path, reason: "it is empty"))
  }

  @Test func `a folder in place of a file is reported as damage`() throws {
    let file = vosk.model.appending(path: "am/final.mdl")
    try FileManager.default.removeItem(at: file)
    try FileManager.default.createDirectory(at: file, withIntermediateDirectories: true)
    #expect(failure() == .modelDamaged(path: file.path, reason: "it is not a file"))
  }

  @Test(arguments: [
    ("am/final.mdl", "<html>", "it does not begin with <TransitionModel>"),
    ("ivector/final.ie", "\0B<Other>", "it does not begin with <IvectorExtractor>"),
    ("graph/Gr.fst", "<html>", "it is not an OpenFst transducer"),
    ("graph/Gr.fst", "a", "it ends within its header"),
    ("conf/model.conf", "--beam=10\n<html>\n", "its line \"<html>\" is not an option"),
  ])
  func `the error for a file of another format contains the file's name`(
    file: String, text: String, reason: String
  ) throws {
    try write(Array(text.utf8), to: file)
    let path = vosk.model.appending(path: file).path
    #expect(failure() == .modelDamaged(path: path, reason: reason))
  }

  @Test func `a truncated transducer is reported as damage`() throws {
    var bytes = Array(
      try Data(contentsOf: vosk.model.appending(path: "graph/Gr.fst")))
    // 1000 arcs, of 16 bytes each.
    bytes.replaceSubrange(bytes.count - 8..<bytes.count - 6, with: [0xE8, 0x03])
    try write(bytes, to: "graph/Gr.fst")
    guard case .modelDamaged(_, let reason) = failure() else {
      Issue.record("nothing was found")
      return
    }
    #expect(reason.contains("needs 16000 or more"))
    try write(Array(bytes.prefix(30)), to: "graph/Gr.fst")
    #expect(failure() != nil)
    for count in 0..<bytes.count {
      #expect(throws: ModelDamage.self) {
        try KaldiFileFormat.leastSize(ofTransducer: Array(bytes.prefix(count)))
      }
    }
  }

  @Test func `a model with a fixed graph needs fewer files, and accepts no grammar or key phrases`()
    throws
  {
    let graph = vosk.model.appending(path: "graph")
    try FileManager.default.moveItem(
      at: graph.appending(path: "Gr.fst"), to: graph.appending(path: "HCLG.fst"))
    for name in ["HCLr.fst", "disambig_tid.int"] {
      try FileManager.default.removeItem(at: graph.appending(path: name))
    }
    #expect(failure() == nil)
    let grammar = SpeechSessionOptions(grammar: "#JSGF V1.0;\npublic <a> = go;")
    #expect {
      try vosk.engine.makeSession(grammar)
    } throws: { error in
      guard case .unsupported(let what, "Vosk") = error as? SpeechEngineError else { return false }
      return what.contains("graph is fixed")
    }
  }

  @Test func `a model whose files are all in one folder is found and valid`() throws {
    let flat = vosk.folder.appending(path: "flat")
    try FileManager.default.createDirectory(at: flat, withIntermediateDirectories: true)
    for name in [
      "am/final.mdl", "conf/mfcc.conf", "graph/HCLr.fst", "graph/Gr.fst",
      "graph/disambig_tid.int",
    ] {
      let from = vosk.model.appending(path: name)
      try FileManager.default.copyItem(at: from, to: flat.appending(path: from.lastPathComponent))
    }
    let files = try #require(VoskModelFiles(directory: flat.path))
    try files.validate()
    #expect(files.language == "und")
  }

  @Test func `a folder without a model has no files`() {
    #expect(VoskModelFiles(directory: "/nowhere") == nil)
    #expect(VoskModelFiles(directory: vosk.folder.path) == nil)
  }
}

@Suite struct ModelLanguageTests {
  @Test(arguments: [
    ("/a/vosk-model-small-en-us-0.15", "en-US"), ("vosk-model-de-0.21", "de"),
    ("vosk-model-small-cn-0.22", "zh"), ("vosk-model-en-us-0.42-gigaspeech", "en-US"),
    ("vosk-model-small-uk-v3-nano", "uk"), ("vosk-model-small-ja-0.22", "ja"),
    ("vosk-model-spk-0.4", "und"), ("my-model", "und"), ("", "und"), ("vosk-model-", "und"),
  ])
  func `the language of a model follows from its name`(name: String, tag: String) {
    #expect(VoskModelFiles.tag(ofModelNamed: name) == tag)
  }
}

@Suite(.timeLimit(.minutes(5))) struct VoskModelLocationTests {
  private let vosk: FakeVosk
  private let cache: URL

  init() throws {
    vosk = try FakeVosk()
    cache = vosk.folder.appending(path: ".cache/vosk")
    try FileManager.default.createDirectory(at: cache, withIntermediateDirectories: true)
    for name in ["vosk-model-small-de-0.15", "vosk-model-small-en-us-0.1", "vosk-model-spk-0.4"] {
      try FileManager.default.copyItem(at: vosk.model, to: cache.appending(path: name))
    }
    let speaker = cache.appending(path: "vosk-model-spk-0.4")
    for name in ["am", "graph"] {
      try FileManager.default.removeItem(at: speaker.appending(path: name))
    }
  }

  private var location: VoskModelLocation {
    VoskModelLocation(chosen: nil, environment: ["HOME": vosk.folder.path])
  }

  @Test func `models in the user's cache are found and chosen by language`() throws {
    #expect(try location.models().map(\.language) == ["de", "en-US"])
    #expect(try location.model(for: nil).language == "de")
    #expect(try location.model(for: "en-US").language == "en-US")
    #expect(
      throws: SpeechEngineError.languageMissing(wanted: "fr", available: "de, en-US")
    ) { try location.model(for: "fr") }
  }

  @Test func `a damaged model is skipped, and is an error if it is the only model`()
    throws
  {
    let damaged = cache.appending(path: "vosk-model-small-de-0.15/am/final.mdl")
    try Data().write(to: damaged)
    #expect(try location.models().map(\.language) == ["en-US"])
    try FileManager.default.removeItem(at: cache.appending(path: "vosk-model-small-en-us-0.1"))
    #expect(
      throws: SpeechEngineError.modelDamaged(path: damaged.path, reason: "it is empty")
    ) { try location.models() }
  }

  @Test func `if a folder is chosen, no other folder is searched`() throws {
    let named = VoskModelLocation(
      chosen: nil,
      environment: ["HOME": vosk.folder.path, "SYRINX_VOSK_MODEL": vosk.model.path])
    #expect(try named.models().map(\.directory) == [vosk.model.path])
    let wrong = VoskModelLocation(
      chosen: URL(filePath: "/nowhere"), environment: ["HOME": vosk.folder.path])
    #expect {
      try wrong.models()
    } throws: { "\($0)".contains("found in /nowhere: the folder does not exist") }
  }

  @Test func `the engine lists the location's models, the model for its language first`() throws {
    let library = VoskLibraryLocation(chosen: vosk.library)
    #expect(Vosk(library: library, models: location).all.map(\.language) == ["de", "en-US"])
    let engine = Vosk(library: library, models: location, language: "en")
    #expect(engine.all.map(\.language) == ["en-US", "de"])
    #expect(try engine.makeSession(SpeechSessionOptions()).understand(speech(.go)).texts == ["go"])
  }
}
