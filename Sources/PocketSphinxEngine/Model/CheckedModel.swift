/// A model whose files have been validated.
final class CheckedModel: Sendable {
  let files: ModelFiles
  /// The lines of the dictionary whose words the language model knows: what dictation needs of it.
  let knownWords: [UInt8]

  /// The words that the language model knows.
  let vocabulary: Vocabulary

  init(files: ModelFiles, knownWords: [UInt8], vocabulary: Vocabulary) {
    (self.files, self.knownWords, self.vocabulary) = (files, knownWords, vocabulary)
  }
}
