import SpeechEngine

extension ModelFiles {
  /// Checks every file of the model, and that they belong together.
  ///
  /// - Throws: `.modelDamaged` with the file and what is wrong in it, `.modelUnreadable`.
  @discardableResult
  func validate() throws(SpeechEngineError) -> CheckedModel {
    try validateAcoustics()
    let vocabulary = try check(language) { file throws(SphinxModelDamage) in
      try LanguageModelFile(file).vocabulary
    }
    let knownWords = try check(dictionary) { file throws(SphinxModelDamage) in
      try DictionaryFile.check(file)
      return DictionaryFile.excerpt(of: file, knownTo: vocabulary)
    }
    return CheckedModel(files: self, knownWords: knownWords, vocabulary: vocabulary)
  }

  /// Checks what needs neither dictionary nor language model.
  ///
  /// - Throws: the same.
  @discardableResult
  func validateAcoustics() throws(SpeechEngineError) -> ModelDefinition {
    try validateFeatureParameters()
    let definition = try check(acousticFile("mdef")) { file throws(SphinxModelDamage) in
      try ModelDefinition(file)
    }
    let means = try check(acousticFile("means")) { file throws(SphinxModelDamage) in
      try ModelParameters(file, dimensions: 3, hasStreams: true)
    }
    try check(acousticFile("variances")) { file throws(SphinxModelDamage) in
      let variances = try ModelParameters(file, dimensions: 3, hasStreams: true)
      try (variances == means).orDamage("its shape is not that of the means")
    }
    try check(acousticFile("transition_matrices")) { file throws(SphinxModelDamage) in
      try Self.checkTransitions(file, of: definition)
    }
    try check(acousticFile("sendump")) { file throws(SphinxModelDamage) in
      try Self.checkSenones(file, of: definition, means: means)
    }
    try check(acousticFile("noisedict")) { file throws(SphinxModelDamage) in
      try DictionaryFile.checkFillers(file, of: definition)
    }
    return definition
  }

  /// Checks what a front end needs of the model.
  func validateFeatureParameters() throws(SpeechEngineError) {
    try check(acousticFile("feat.params")) { file throws(SphinxModelDamage) in
      try FeatureParameters(file)
    }
  }

  private static func checkTransitions(
    _ file: ModelBytes, of definition: ModelDefinition
  ) throws(SphinxModelDamage) {
    let shape = try ModelParameters(file, dimensions: 3, hasStreams: false).shape
    let states = definition.statesPerPhone
    try (shape == [definition.transitionCount, states, states + 1]).orDamage(
      "its shape is not that of mdef")
  }

  private static func checkSenones(
    _ file: ModelBytes, of definition: ModelDefinition, means: ModelParameters
  ) throws(SphinxModelDamage) {
    let dump = try SenoneDump(file)
    let fits =
      dump.senoneCount == definition.senoneCount && dump.streamCount == means.shape[1]
      && dump.densityCount == means.shape[2]
      && means.shape[0] == definition.contextFreePhoneCount
      && Array(means.shape[3...]) == [13, 13, 13]
    try fits.orDamage("its shape does not fit mdef and means")
  }

  /// Names the file in what a check throws.
  @discardableResult
  private func check<Value>(
    _ path: String, _ body: (ModelBytes) throws(SphinxModelDamage) -> Value
  ) throws(SpeechEngineError) -> Value {
    let file = try ModelBytes(path: path)
    do throws(SphinxModelDamage) {
      return try body(file)
    } catch {
      throw .modelDamaged(path: path, reason: error.reason)
    }
  }
}
