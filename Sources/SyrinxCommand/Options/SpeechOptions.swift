import ArgumentParser
import FoundationEssentials
import SpeechClient

/// What may be said, and when an utterance ends: the options of the commands that recognise speech.
struct SpeechOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Take each utterance for a sentence of this JSGF grammar.", valueName: "file"))
  var grammar: String?

  @Option(
    help: ArgumentHelp(
      "The language that is spoken, as en-US; another one than the model's is an error.",
      valueName: "tag"))
  var locale: String?

  @Option(
    help: ArgumentHelp("How much silence ends an utterance (0.6).", valueName: "seconds"))
  var endSilence: Double?

  @Option(
    help: ArgumentHelp(
      "How long an utterance is at most, 1 to 3600 (20); the next begins there.",
      valueName: "seconds"))
  var longestUtterance: Double?

  func validate() throws {
    if let endSilence, !(0.01...3600).contains(endSilence) {
      throw ValidationError("--end-silence is 0.01 to 3600 seconds, not \(endSilence).")
    }
    if let longestUtterance, !(1...3600).contains(longestUtterance) {
      throw ValidationError("--longest-utterance is 1 to 3600 seconds, not \(longestUtterance).")
    }
  }

  /// The request with what the options ask for.
  func applied(to request: SpeechRequest) -> SpeechRequest {
    var request = request
    request.grammar = grammar.map { .file(URL(filePath: $0)) }
    request.locale = locale
    if let endSilence { request.endpointPolicy.silence = .seconds(endSilence) }
    if let longestUtterance { request.endpointPolicy.longest = .seconds(longestUtterance) }
    return request
  }
}
