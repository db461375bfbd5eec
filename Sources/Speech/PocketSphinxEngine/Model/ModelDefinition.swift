import SpeechEngine

/// The model's `mdef`: its phones and their states in the acoustic model.
///
/// PocketSphinx trusts every index, so each is checked.
struct ModelDefinition: Equatable {
  let phoneCount: Int
  let contextFreePhoneCount: Int
  let statesPerPhone: Int
  let senoneCount: Int
  let transitionCount: Int
  /// The phones of speech.
  private(set) var voices: [String] = []
  /// The phones of silence and noise, the only ones for filler words.
  private(set) var fillers: Set<String> = []
  private let sequenceCount: Int
  private let treeCount: Int

  /// PocketSphinx's name of the phone of silence.
  static let silence = "SIL"

  init(_ file: ModelBytes) throws(ModelDamage) {
    var file = file
    try (file.bytes.starts(with: Array("BMDF".utf8))).orDamage(
      "it is not a binary model definition")
    try file.skip(4)
    try (file.word() == 1).orDamage("its version is not 1")
    try file.skip(file.word())
    contextFreePhoneCount = try file.word()
    phoneCount = try file.word()
    statesPerPhone = try file.word()
    let contextFreeSenones = try file.word()
    senoneCount = try file.word()
    transitionCount = try file.word()
    sequenceCount = try file.word()
    try (file.word() == 3).orDamage("its context length is not 3 phones")
    treeCount = try file.word()
    let silence = try file.word()

    let isPlausible =
      (1...255).contains(contextFreePhoneCount) && phoneCount >= contextFreePhoneCount
      && (1...5).contains(statesPerPhone) && (1...65_535).contains(senoneCount)
      && (0...senoneCount).contains(contextFreeSenones) && transitionCount > 0 && sequenceCount > 0
      && treeCount > 0 && (0..<contextFreePhoneCount).contains(silence)
    try isPlausible.orDamage("the counts in its header are invalid")
    let names = try checkNames(&file, silence: silence)
    try checkTree(&file)
    fillers = try checkPhones(&file, names)
    voices = names.filter { !fillers.contains($0) }
    try fillers.contains(Self.silence).orDamage("its phone SIL is not marked as silence")
    try checkSequences(&file)
    try file.requireEnd()
  }

  /// PocketSphinx finds phones by binary search, and assumes that the phone of silence exists.
  private func checkNames(
    _ file: inout ModelBytes, silence: Int
  ) throws(ModelDamage) -> [String] {
    let start = file.position
    var names: [String] = []
    for _ in 0..<contextFreePhoneCount {
      let name = try file.text(upTo: 0)
      try (!name.isEmpty).orDamage("a phone has no name")
      if let last = names.last {
        try last.utf8.lexicographicallyPrecedes(name.utf8).orDamage(
          "its phones \(last) and \(name) are out of order")
      }
      names.append(name)
    }
    try (names[silence] == Self.silence).orDamage(
      "its phone of silence is \(names[silence]) and not SIL")
    let length = file.position - start
    try file.skip((4 - length % 4) % 4)
    return names
  }

  private func checkTree(_ file: inout ModelBytes) throws(ModelDamage) {
    for _ in 0..<treeCount {
      _ = try file.halfWord()
      let children = try file.halfWord()
      let target = try file.word()
      let isInside =
        children == 0
        ? (-1..<phoneCount).contains(target)
        : target >= 0 && target + children <= treeCount
      try isInside.orDamage("its tree of phones points outside itself")
    }
  }

  /// Returns the phones that are marked as silence or noise.
  private func checkPhones(
    _ file: inout ModelBytes, _ names: [String]
  ) throws(ModelDamage) -> Set<String> {
    var fillers: Set<String> = []
    for phone in 0..<phoneCount {
      let (sequence, transition) = (try file.word(), try file.word())
      let attributes = (try file.byte(), try file.byte(), try file.byte(), try file.byte())
      let hasContext = phone >= contextFreePhoneCount
      let contexts = max(attributes.1, attributes.2, attributes.3)
      let isInside =
        (0..<sequenceCount).contains(sequence) && (0..<transitionCount).contains(transition)
        && (!hasContext || attributes.0 < 4 && contexts < contextFreePhoneCount)
      try isInside.orDamage("phone \(phone) refers to a missing entry")
      if !hasContext, attributes.0 != 0 { fillers.insert(names[phone]) }
    }
    return fillers
  }

  private func checkSequences(_ file: inout ModelBytes) throws(ModelDamage) {
    try (file.word() == sequenceCount * statesPerPhone).orDamage(
      "its list of states has the wrong length")
    for _ in 0..<sequenceCount * statesPerPhone {
      try (file.halfWord() < senoneCount).orDamage("a phone has a state that does not exist")
    }
  }
}
