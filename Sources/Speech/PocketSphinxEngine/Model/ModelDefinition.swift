import SpeechEngine

/// The phones in a model's `mdef`, whose size is checked.
struct ModelDefinition {
  /// The phones of speech, without those of silence and noise.
  private(set) var voices: [String] = []

  init(_ file: ModelBytes) throws(ModelDamage) {
    var file = file
    try file.skip(magic: "BMDF", of: "a binary model definition")
    try (file.word() == 1).orDamage("its version is not 1")
    try file.skip(file.word())
    let header = try file.words(10)
    try header.allSatisfy { $0 >= 0 }.orDamage("the counts in its header are invalid")
    let (contextFreePhones, phones, states) = (header[0], header[1], header[2])
    let (sequences, treeNodes) = (header[6], header[8])

    let start = file.position
    for _ in 0..<contextFreePhones { voices.append(try file.text(upTo: 0)) }
    try file.skip((start - file.position) & 3)
    try file.skip(treeNodes, 8)
    var isVoice: [Bool] = []
    for _ in voices {
      try file.skip(8)
      isVoice.append(try file.byte() == 0)
      try file.skip(3)
    }
    voices = zip(voices, isVoice).filter(\.1).map(\.0)
    try file.skip(phones - contextFreePhones, 12)
    try file.skip(4)
    try file.skip(sequences, states, 2)
    try file.requireEnd()
  }
}
