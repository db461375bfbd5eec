import SpeechEngine

/// The files that make up a model of Vosk.
struct VoskModelFiles: Equatable, Sendable {
  /// The folder that holds all of them.
  let directory: String
  private let layout: Layout

  /// How the files are spread; models of before 2020 have most of them in one folder.
  private enum Layout: Sendable {
    case folders, flat
  }

  /// Finds the layout of a folder; nil where it is no model.
  init?(directory: String) {
    let folder = Folder(directory)
    if folder.has("am") || folder.has("graph") {
      layout = .folders
    } else if folder.has("final.mdl") {
      layout = .flat
    } else {
      return nil
    }
    self.directory = directory
  }

  /// The language by the folder's name.
  var language: String { VoskModelLanguage.tag(ofModelNamed: directory) }

  /// Whether the model can be told what may be said: its graph is composed at run time.
  var takesPhrases: Bool { !has(graph("HCLG.fst")) }

  /// Checks that every file is there and is what it should be, as far as its beginning tells.
  ///
  /// - Throws: `.modelDamaged` with the file and what is wrong in it, `.modelUnreadable`.
  func validate() throws(SpeechEngineError) {
    for (name, format) in needed {
      let path = "\(directory)/\(name)"
      let file = try ModelFile(path: path)
      do throws(VoskModelDamage) {
        try format.check(file)
      } catch {
        throw .modelDamaged(path: path, reason: error.reason)
      }
    }
  }

  private var needed: [(String, KaldiFormat)] {
    var files: [(String, KaldiFormat)] = [
      (layout == .folders ? "am/final.mdl" : "final.mdl", .object("<TransitionModel>")),
      (features, .options),
    ]
    if layout == .folders { files.append(("conf/model.conf", .options)) }
    return files + search + optional + speaker
  }

  private var features: String {
    let folder = layout == .folders ? "conf/" : ""
    return has("\(folder)fbank.conf") && !has("\(folder)mfcc.conf")
      ? "\(folder)fbank.conf" : "\(folder)mfcc.conf"
  }

  private var search: [(String, KaldiFormat)] {
    if !takesPhrases { return [(graph("HCLG.fst"), .transducer)] }
    return [
      (graph("HCLr.fst"), .transducer), (graph("Gr.fst"), .transducer),
      (graph("disambig_tid.int"), .anything),
    ]
  }

  /// What a model may do without, but not have damaged.
  private var optional: [(String, KaldiFormat)] {
    let boundaries =
      layout == .folders ? "graph/phones/word_boundary.int" : "word_boundary.int"
    return [graph("words.txt"), boundaries, "rescore/G.carpa", "rescore/G.fst"].filter(has).map {
      ($0, .anything)
    }
  }

  /// What adapts to the speaker, in models that do.
  private var speaker: [(String, KaldiFormat)] {
    guard has("ivector") else { return [] }
    return [
      ("ivector/final.ie", .object("<IvectorExtractor>")),
      ("ivector/final.dubm", .object("<DiagGMM")), ("ivector/final.mat", .anything),
      ("ivector/global_cmvn.stats", .anything), ("ivector/splice.conf", .options),
      ("ivector/online_cmvn.conf", .optionsIfAny),
    ]
  }

  private func graph(_ name: String) -> String { layout == .folders ? "graph/\(name)" : name }

  private func has(_ name: String) -> Bool { Folder(directory).has(name) }
}
