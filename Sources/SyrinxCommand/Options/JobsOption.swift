import ArgumentParser
import FoundationEssentials

/// How many utterances are recognised at once.
struct JobsOption: ParsableArguments {
  /// More decoders than this are a mistake: each takes 100 MB.
  static let most = 256

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Recognise so many utterances at once, 1 to \(most) (as many as there are processors).",
      valueName: "number"))
  var jobs: Int?

  /// As many as were asked for, or as this process may use processors.
  var count: Int {
    jobs ?? min(Self.most, max(1, ProcessInfo.processInfo.activeProcessorCount))
  }

  func validate() throws {
    if let jobs, !(1...Self.most).contains(jobs) {
      throw ValidationError("--jobs is 1 to \(Self.most), not \(jobs).")
    }
  }

  /// What the help says about it.
  static let help = """
    With --jobs several decoders work, of 100 MB each: on several files, and on several utterances \
    of a long one. The text and its order are the same as with one. With partial results one works, \
    and with an engine that knows an utterance by those before it one for each file.
    """
}
