import ArgumentParser
import AudioPlayerClient
import ClientDependencies
import FoundationEssentials
import SoundFile

/// `syrinx play`: files to a loudspeaker.
struct PlayCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "play",
    abstract: "Plays sound files, one after the other.",
    discussion: """
      A file that cannot be played is reported, and the next one follows; the exit status is 1 then. \
      A file that is shorter than its header says is played as far as it goes. Ctrl-C fades out and \
      ends with 130; a second one ends at once.
      """)

  @Argument(help: "The files, in any format that libsndfile reads; - is standard input.")
  var files: [String]

  @OptionGroup var device: PlaybackDeviceOption

  @Option(help: "The volume, 0 (silence) to 1 (as it is).")
  var volume = 1.0

  @Option(help: "How often each file is played: a number from 1 to 1000000, or forever.")
  var loop = LoopCount.times(1)

  @OptionGroup var common: CommonOptions

  func validate() throws {
    try check("--volume", volume, in: 0...1, "a factor")
    let pipes = files.count { $0 == "-" }
    guard pipes == 0 || loop == .times(1) else {
      throw ValidationError("--loop cannot repeat standard input (-); save it to a file first.")
    }
    guard pipes < 2 else {
      throw ValidationError("standard input (-) can be played once only, not \(pipes) times.")
    }
    guard loop != .forever || files.count == 1 else {
      throw ValidationError("--loop forever plays one file; \(files.count) were given.")
    }
  }

  func perform(in context: CommandContext) async throws {
    @Dependency(\.audioPlayer) var player
    var hasFailed = false
    try await context.signals.finishing(with: { [player] in await player.stop() }) {
      for file in files {
        do {
          try await play(file, with: player, in: context)
        } catch let error as AudioPlayerError where error.isOfSource {
          await context.console.report(error.description)
          hasFailed = true
        }
      }
    }
    if hasFailed { throw CommandEnd.reported }
  }

  private func play(
    _ file: String, with player: AudioPlayerClient, in context: CommandContext
  ) async throws {
    try context.checkInterruption()
    var report = PlaybackReport(file: file, loop: loop, context: context)
    let events = await player.playback(request: request(file))
    // A signal that came before the player knew of this playback did not stop it.
    if context.signals.received != nil { await player.stop() }
    for try await event in events { await report.show(event) }
    try context.checkInterruption()
  }

  private func request(_ file: String) -> PlaybackRequest {
    PlaybackRequest(
      source: file == "-"
        ? .stream(SoundFile.buffers(ofFileDescriptor: 0)) : .file(URL(filePath: file)),
      device: device.id, volume: Float(volume), repetition: loop.repetition)
  }
}

extension AudioPlayerError {
  /// Whether another file may still be played.
  fileprivate var isOfSource: Bool {
    switch self {
    case .source, .emptySource: true
    default: false
    }
  }
}
