import ArgumentParser
import AudioCore
import ClientDependencies
import FoundationEssentials
import SoundFile
import SpeechClient
import Logging

/// `syrinx transcribe`: files to text.
struct TranscribeCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "transcribe",
    abstract: "Writes what is said in sound files, a line for each utterance.",
    discussion: """
      A line comes as soon as its utterance is understood, the files in their order. A file that \
      cannot be read is reported, and the next one follows; the exit status is 1 then.

      \(SpeechClient.modelHelp)

      \(UtteranceRecord.schema) "file" is the file's name as it was given.
      """)

  @Argument(help: "The files, in any format that libsndfile reads; - is standard input.")
  var files: [String]

  @Flag(help: "Print JSON, one object a line.")
  var json = false

  @OptionGroup var recognition: SpeechOptions

  @OptionGroup var common: CommonOptions

  func validate() throws {
    let pipes = files.count { $0 == "-" }
    guard pipes < 2 else {
      throw ValidationError("standard input (-) can be read once only, not \(pipes) times.")
    }
  }

  func perform(in context: CommandContext) async throws {
    @Dependency(\.speechClient) var speech
    try await speech.makeReady()
    var hasFailed = false
    for file in files {
      do {
        try await transcribe(file, with: speech, in: context)
      } catch let error where isOfOneFile(error) {
        let sentence = "\(error)"
        await context.console.report(sentence.contains(file) ? sentence : "\(file): \(sentence)")
        hasFailed = true
      }
    }
    if hasFailed { throw CommandEnd.reported }
  }

  private func transcribe(
    _ file: String, with speech: SpeechClient, in context: CommandContext
  ) async throws {
    let shortfall = FileTroubles()
    let audio = HeardAudio()
    let results = await speech.startTask(request: request(file, shortfall, audio))
    context.log.info("transcribing \(file)")
    for try await result in results where result.isFinal {
      let line =
        json
        ? try UtteranceRecord(result, file: file).jsonLine()
        : result.bestTranscription.formattedString
      try await context.console.print(line)
    }
    for case .shortfall(let shortfall) in shortfall.all {
      await context.console.report("\(file) is shorter than its header says: \(shortfall)")
    }
    guard audio.isAny else {
      throw CommandFailure(description: "\(file) holds no audio: there is nothing to transcribe")
    }
  }

  private func request(
    _ file: String, _ troubles: FileTroubles, _ audio: HeardAudio
  ) -> SpeechRequest {
    let buffers =
      file == "-"
      ? SoundFile.buffers(ofFileDescriptor: 0)
      : SoundFile.buffers(of: URL(filePath: file)) { troubles.append(.shortfall($0)) }
    let heard = buffers.map { buffer in
      if !buffer.isEmpty { audio.note() }
      return buffer
    }
    return recognition.applied(
      to: SpeechRequest(buffers: heard, shouldReportPartialResults: false))
  }
}

/// Whether the next file may still be transcribed: not where the engine or standard output is gone.
private func isOfOneFile(_ error: any Error) -> Bool {
  switch error {
  case SoundFileError.brokenPipe: false
  case is OutputError, is CommandEnd, is CancellationError: false
  case SpeechClientError.unavailable, SpeechClientError.noResources: false
  case SpeechClientError.invalidGrammar: false
  default: true
  }
}
