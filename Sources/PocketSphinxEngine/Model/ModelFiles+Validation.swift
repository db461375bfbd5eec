import SpeechEngine
extension ModelFiles {
  func validate() throws(SpeechEngineError) {}
}
