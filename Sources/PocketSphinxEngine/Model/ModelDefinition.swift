/// The model's `mdef`: its phones, and which states of the acoustic model they have.
///
/// PocketSphinx believes every index in it, so each is checked.
struct ModelDefinition: Equatable {
  let phoneCount: Int
  let contextFreePhoneCount: Int
  let statesPerPhone: Int
  let senoneCount: Int
  let transitionCount: Int
  /// The phones of speech.
  private(set) var voices: [String] = []
  /// The phones of silence and noise, which alone a filler word may have.
  private(set) var fillers: Set<String> = []
  private let sequenceCount: Int
  private let treeCount: Int

  /// The phone of silence, by the name that PocketSphinx knows it by.
  static let silence = "SIL"

  init(_ file: ModelBytes) throws(SphinxModelDamage) {
    var file = file
    try (file.bytes.starts(with: Array("BMDF".utf8))).orDamage("it is no binary model definition")
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
    try (file.word() == 3).orDamage("its phones do not have 3 phones of context")
    treeCount = try file.word()
    let silence = try file.word()

    let isPlausible =
      (1...255).contains(contextFreePhoneCount) && phoneCount >= contextFreePhoneCount
      && (1...5).contains(statesPerPhone) && (1...65_535).contains(senoneCount)
      && (0...senoneCount).contains(contextFreeSenones) && transitionCount > 0 && sequenceCount > 0
      && treeCount > 0 && (0..<contextFreePhoneCount).contains(silence)
    try isPlausible.orDamage("the counts in its header make no sense")
    let names = try checkNames(&file, silence: silence)
    try checkTree(&file)
    fillers = try checkPhones(&file, names)
    voices = names.filter { !fillers.contains($0) }
    try fillers.contains(Self.silence).orDamage("its phone SIL is not marked as silence")
    try checkSequences(&file)
    try file.requireEnd()
  }

  /// PocketSphinx looks phones up by bisection, and that of silence without asking whether it is
  /// there.
  private func checkNames(
    _ file: inout ModelBytes, silence: Int
  ) throws(SphinxModelDamage) -> [String] {
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

  private func checkTree(_ file: inout ModelBytes) throws(SphinxModelDamage) {
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

  /// Gives the names of the phones that are marked as silence or noise.
  private func checkPhones(
    _ file: inout ModelBytes, _ names: [String]
  ) throws(SphinxModelDamage) -> Set<String> {
    var fillers: Set<String> = []
    for phone in 0..<phoneCount {
      let (sequence, transition) = (try file.word(), try file.word())
      let attributes = (try file.byte(), try file.byte(), try file.byte(), try file.byte())
      let hasContext = phone >= contextFreePhoneCount
      let contexts = max(attributes.1, attributes.2, attributes.3)
      let isInside =
        (0..<sequenceCount).contains(sequence) && (0..<transitionCount).contains(transition)
        && (!hasContext || attributes.0 < 4 && contexts < contextFreePhoneCount)
      try isInside.orDamage("phone \(phone) refers to what is not there")
      if !hasContext, attributes.0 != 0 { fillers.insert(names[phone]) }
    }
    return fillers
  }

  private func checkSequences(_ file: inout ModelBytes) throws(SphinxModelDamage) {
    try (file.word() == sequenceCount * statesPerPhone).orDamage(
      "its list of states has the wrong length")
    for _ in 0..<sequenceCount * statesPerPhone {
      try (file.halfWord() < senoneCount).orDamage("a phone has a state that is not there")
    }
  }
}
