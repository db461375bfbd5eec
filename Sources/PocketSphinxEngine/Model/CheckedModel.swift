/// A model whose files have been validated.
final class CheckedModel: Sendable {
  let files: ModelFiles
  /// The lines of the dictionary whose words the language model knows: what dictation needs of it.
  let knownWords: [UInt8]

  init(files: ModelFiles, knownWords: [UInt8]) {
    (self.files, self.knownWords) = (files, knownWords)
  }
}
