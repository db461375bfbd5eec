import ArgumentParser
import AudioPlayerClient
import ClientDependencies
import FilePaths

/// `syrinx play`: plays files.
struct PlayCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "play",
    abstract: "Play sound files one after the other, without gaps.",
    discussion: """
      Examples:
        syrinx play intro.wav talk.flac
        syrinx play rain.ogg --loop forever --volume 0.3
        ffmpeg -i talk.m4a -f wav - | syrinx play -

      A file that cannot be played is reported and skipped; a truncated file is reported and played \
      as far as it goes. In both cases the exit status is 1. Ctrl-C fades out and ends the command \
      with status 130; a second one ends it at once.

      \(PlaybackRecord.schema)
      """)

  @Argument(
    help: """
      Files in any format that libsndfile, libFLAC, libmpg123, or an installed FFmpeg reads; - for \
      standard input.
      """)
  var files: [FilePath]

  @OptionGroup var device: PlaybackDeviceOption

  @OptionGroup var opening: PlayDeviceOptions

  @OptionGroup var wait: WaitOption

  @Option(parsing: .unconditional, help: "Volume, 0 to 1.")
  var volume = 1.0

  @Option(
    parsing: .unconditional,
    help: """
      Number of times to play each file, 1 to 1000000, or forever, which repeats the whole list if \
      there are several files.
      """)
  var loop = LoopCount.times(1)

  @Option(
    name: .customLong("repeat"), parsing: .unconditional,
    help: "Number of times to play the list of files, 1 to 1000000, or forever.")
  var rounds = LoopCount.times(1)

  @OptionGroup var part: PlayRangeOptions

  @Flag(
    help: """
      Read commands from standard input, one per line of up to \(LineReader.longest) bytes: \
      \(ControlLine.commands). Each command runs when the previous one is done. The optional \
      SECONDS are the length of the fade or volume ramp; FILE counts from 1 (default: the current \
      file). At the end of standard input, a paused playback resumes.
      """)
  var control = false

  @Flag(help: "Print events as JSON, one object per line.")
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
      throw ValidationError("standard input (-) can be played only once, not \(pipes) times.")
    }
    guard pipes == 0 || !control else {
      throw ValidationError("--control reads commands from standard input, so - cannot be played.")
    }
    guard loop != .forever || rounds == .times(1) else {
      throw ValidationError("--loop forever never ends, so --repeat has no effect.")
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
      // An earlier signal did not stop a playback that the player did not know yet.
      if context.signals.received != nil { await player.stop() }
      let following = Task { [player] in
        guard let lines else { return }
        await StandardInputControl(
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

  /// Reporting progress that nobody sees less often saves work.
  private func request(_ id: PlaybackID, in context: CommandContext) -> PlaybackRequest {
    // Otherwise the second of several files would never be played.
    let repeatsList = loop == .forever && files.count > 1
    let items = files.map { file in
      PlaybackItem(
        source: file == "-"
          ? .stream(input.standardInput(in: context)) : .file(file.url),
        range: part.range, repetition: repeatsList ? .times(1) : loop.repetition)
    }
    return PlaybackRequest(
      items: items, cycle: repeatsList ? .forever : rounds.repetition, device: device.id,
      volume: Float(volume), id: id,
      fadeIn: .seconds(part.fadeIn), fadeOut: .seconds(part.fadeOut),
      latency: opening.latency, deviceFormat: opening.format,
      progressInterval: .milliseconds(json || context.console.isWatched ? 50 : 1_000),
      onDeviceLoss: wait.onDeviceLoss)
  }
}
