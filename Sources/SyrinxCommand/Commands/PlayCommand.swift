import ArgumentParser
import AudioPlayerClient
import ClientDependencies
import FilePaths

/// `syrinx play`: files to a loudspeaker.
struct PlayCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "play",
    abstract: "Plays sound files, one after the other and without a gap.",
    discussion: """
      A file that cannot be played is reported and skipped. A truncated file is reported and \
      played as far as it goes. In both cases the exit status is 1. Ctrl-C fades out and ends with \
      130; a second one ends at once.

      \(PlaybackRecord.schema)
      """)

  @Argument(
    help: """
      The files, in any format that libsndfile, libFLAC, libmpg123 or an installed FFmpeg reads; - is \
      standard input.
      """)
  var files: [FilePath]

  @OptionGroup var device: PlaybackDeviceOption

  @OptionGroup var opening: PlayDeviceOptions

  @OptionGroup var wait: WaitOption

  @Option(parsing: .unconditional, help: "The volume, 0 (silence) to 1 (as it is).")
  var volume = 1.0

  @Option(
    parsing: .unconditional,
    help: """
      How often each file is played: a number from 1 to 1000000, or forever, which plays several \
      files again and again in their order.
      """)
  var loop = LoopCount.times(1)

  @Option(
    name: .customLong("repeat"), parsing: .unconditional,
    help: """
      How often the list of files is played, the first again after the last: a number from 1 to \
      1000000, or forever.
      """)
  var rounds = LoopCount.times(1)

  @OptionGroup var part: PlayRangeOptions

  @Flag(
    help: """
      Read commands from standard input, one a line of up to \(LineReader.longest) bytes, each when \
      the one before is done: \
      \(ControlLine.commands). SECONDS in brackets \
      are how long it takes to fall silent, to sound again or to reach the volume; FILE counts the \
      files from 1, and without it seek goes to a time of the one that is heard. At the end of \
      standard input what is paused goes on.
      """)
  var control = false

  @Flag(help: "Print the events as JSON, one object a line.")
  var json = false

  @OptionGroup var input: RawOptions

  @OptionGroup var common: CommonOptions

  func validate() throws {
    try check("--volume", volume, in: 0...1, "a factor")
    try input.checkSource(of: files)
    let pipes = files.count { $0 == "-" }
    for (option, count) in [("--loop", loop), ("--repeat", rounds)] {
      guard pipes == 0 || count == .times(1) else {
        throw ValidationError(
          "\(option) cannot repeat standard input (-); save it to a file first.")
      }
    }
    guard pipes < 2 else {
      throw ValidationError("standard input (-) can be played once only, not \(pipes) times.")
    }
    guard pipes == 0 || !control else {
      throw ValidationError("--control reads standard input, so that it cannot be played (-).")
    }
    guard loop != .forever || rounds == .times(1) else {
      throw ValidationError("--loop forever does not end, so that --repeat cannot begin again.")
    }
  }

  func perform(in context: CommandContext) async throws {
    @Dependency(\.audioPlayer) var player
    let id = PlaybackID()
    let lines = control ? try StandardInputLines() : nil
    var report = PlaybackReport(files: files, json: json, context: context)
    try await context.signals.finishing(with: { [player] in await player.stop() }) {
      try context.checkInterruption()
      let events = await player.playback(request: request(id, in: context))
      // A signal that came before the player knew of this playback did not stop it.
      if context.signals.received != nil { await player.stop() }
      let following = Task { [player] in
        guard let lines else { return }
        await CommandLineControl(
          player: player, id: id, fileCount: files.count, console: context.console
        ).follow(lines)
      }
      defer { following.cancel() }
      do {
        for try await event in events { try await report.show(event) }
      } catch let error as AudioPlayerError {
        try await report.end(after: error)
        if report.failures.contains(error) { throw CommandEnd.reported }
        throw error
      }
      try context.checkInterruption()
      guard report.isComplete else { throw CommandEnd.reported }
    }
  }

  /// Where nobody sees the progress it is told seldom, which saves work.
  private func request(_ id: PlaybackID, in context: CommandContext) -> PlaybackRequest {
    // The second of several files would never be heard otherwise.
    let goesRound = loop == .forever && files.count > 1
    let items = files.map { file in
      PlaybackItem(
        source: file == "-"
          ? .stream(input.standardInput(in: context)) : .file(file.url),
        range: part.range, repetition: goesRound ? .times(1) : loop.repetition)
    }
    return PlaybackRequest(
      items: items, cycle: goesRound ? .forever : rounds.repetition, device: device.id,
      volume: Float(volume), id: id,
      fadeIn: .seconds(part.fadeIn), fadeOut: .seconds(part.fadeOut),
      latency: opening.latency, deviceFormat: opening.format,
      progressInterval: .milliseconds(json || context.console.isWatched ? 50 : 1_000),
      onDeviceLoss: wait.onDeviceLoss)
  }
}
