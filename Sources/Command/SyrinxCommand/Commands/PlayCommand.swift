import ArgumentParser
import AudioCore
import AudioPlayerClient
import AudioThreads
import ClientDependencies
import Conversion
import FilePaths
import SoundFile

/// `syrinx play`: plays files.
struct PlayCommand: FileListSubcommand {
  static let configuration = CommandConfiguration(
    commandName: "play",
    abstract: "Play sound files one after another, without gaps.",
    discussion: """
      Examples:
        syrinx play intro.wav talk.flac
        syrinx play Music --shuffle
        syrinx play rain.ogg --loop forever --volume 0.3

      \(PlaybackKey.list)

      A folder stands for the sound files in it and its subfolders, a playlist (m3u, m3u8, pls), \
      also one on the web, for its entries. On a terminal, the keys control the playback, and the \
      titles that a live stream announces are shown.

      A file that cannot be played is reported and skipped; a truncated file is reported and played \
      as far as it goes. In both cases the exit status is 1. Ctrl-C fades out and ends the command \
      with status 130; a second one ends it at once.

      \(JSONRecord.playbackSchema)
      """)

  @Argument(
    help: """
      Files in any format that libsndfile, libFLAC, libmpg123, or an installed FFmpeg reads; \
      folders, playlists, and http:// and https:// addresses; - for standard input.
      """)
  var files: [FilePath]

  @OptionGroup var device: PlayDeviceOptions

  @OptionGroup var wait: WaitOption

  @Option(
    parsing: .unconditional,
    help: .value(
      "volume",
      "Volume, 0 to 10, 50%, or -6dB; above 1 it amplifies, limited to full scale."),
    transform: Double.volume)
  var volume = 1.0

  @Option(
    help: .value(
      "scope", "Apply the gain of ReplayGain or R 128 tags: track, or album with track as fallback."
    ))
  var replayGain: ReplayGainScope?

  @Option(
    parsing: .unconditional,
    help: .value(
      "factor", "Speed at the original pitch, 0.25 to 4; requires SoundTouch (libsoundtouch1)."))
  var speed = 1.0

  @Option(
    parsing: .unconditional,
    help: """
      Number of times to play each file, 1 to 1000000, or forever, which repeats the whole list if \
      there are several files.
      """)
  var loop = PlaybackRepetition.times(1)

  @Option(
    name: .customLong("repeat"), parsing: .unconditional,
    help: "Number of times to play the list of files, 1 to 1000000, or forever.")
  var rounds = PlaybackRepetition.times(1)

  @Flag(help: "Play the files in random order.")
  var shuffle = false

  @OptionGroup var part: PlayRangeOptions

  @Flag(
    help: """
      Read commands from standard input, one per line of up to \(StandardInputLines.longest) bytes: \
      \(ControlLine.commands). Each command runs when the previous one is done. The optional \
      TIME is the length of the fade or volume ramp; FILE counts from 1 (default: the current \
      file). At the end of standard input, a paused playback resumes.
      """)
  var control = false

  @OptionGroup var json: JSONOption

  @OptionGroup var raw: RawInputOptions

  @OptionGroup var common: CommonOptions

  var printsFailureAsJSON: Bool { json.isOn }

  var rawInput: RawAudioFormat? { raw.format }

  func validate() throws {
    try check("--volume", volume, in: 0...10, "a factor")
    try check("--speed", speed, in: 0.25...4, "a factor")
    try require(
      raw.coding == nil || files.contains("-"),
      "--raw-input requires standard input (-); convert a file without a header, or pipe it.")
    let pipes = files.count { $0 == "-" }
    for (option, count) in [("--loop", loop), ("--repeat", rounds)] {
      try require(
        pipes == 0 || count == .times(1),
        "\(option) cannot repeat standard input (-); save it to a file first.")
    }
    try require(pipes < 2, "standard input (-) can be played only once, not \(pipes) times.")
    try require(
      pipes == 0 || !control, "--control reads commands from standard input, so - cannot be played."
    )
    try require(
      loop != .forever || rounds == .times(1),
      "--loop forever never ends, so --repeat has no effect.")
  }

  func perform(in context: CommandContext) async throws {
    // A separate thread reads the folders and playlists, because they may be on a slow disk.
    let list = try await DedicatedThread.run(name: "syrinx-playlist") {
      [arguments = self.files] in
      PlayList(arguments)
    }
    for problem in list.problems {
      await context.console.report(problem)
      if json.isOn { try await context.console.print(JSONRecord(error: problem).jsonLine()) }
    }
    guard !list.files.isEmpty else { throw CommandEnd.reported }
    let files = shuffle ? list.files.shuffled() : list.files
    var report = PlaybackReport(files: files, json: json.isOn, context: context)
    try await play(files, hasStream: list.hasStream, report: &report, in: context)
    guard report.isComplete, list.problems.isEmpty else { throw CommandEnd.reported }
  }

  private func play(
    _ files: [FilePath], hasStream: Bool, report: inout PlaybackReport, in context: CommandContext
  ) async throws {
    @Dependency(\.audioPlayer) var player
    let id = PlaybackID()
    let terminal = wantsKeys ? KeyTerminal() : nil
    defer { terminal?.restore() }
    context.signals.beforeExit { terminal?.restore() }
    report.keys = terminal.map { _ in
      KeyControl(player: player, id: id, volume: Float(volume), console: context.console)
    }
    let (keys, pressed) = (report.keys, try terminal?.keys())
    let lines = control ? try StandardInputLines() : nil
    try await context.signals.finishing(with: { [player] in await player.stop() }) {
      try context.checkInterruption()
      let interval = progressInterval(
        hasStream: hasStream, hasKeys: keys != nil, isWatched: context.console.isWatched)
      // It reads the dependencies of this task, which the thread lacks.
      let pipe = FilePath("-").buffers(framesPerBuffer: 512, problems: context.problems)
      let items = try await DedicatedThread.run(name: "syrinx-tags") { [self] in
        try files.map { file in
          try context.checkInterruption()
          return item(file, standardInput: pipe)
        }
      }
      let request = request(id, items, progressInterval: interval)
      let events = await player.playback(request: request)
      // Handles a signal that arrived before the player had started the playback.
      if context.signals.received != nil { await player.stop() }
      let following = Task { [player, count = files.count] in
        if let pressed { await keys?.follow(pressed) }
        guard let lines else { return }
        await player.control(id, by: lines, fileCount: count, console: context.console)
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
    }
  }

  /// Whether keys may control the playback, if standard input is a terminal.
  private var wantsKeys: Bool { !control && !json.isOn && !files.contains("-") }

  /// Returns the time between progress reports.
  ///
  /// If no progress is shown, a longer interval saves CPU time. Without controls and streams, the
  /// longest interval also lets the device use a larger buffer, which saves more.
  func progressInterval(hasStream: Bool, hasKeys: Bool, isWatched: Bool) -> Duration {
    if json.isOn || isWatched { return .milliseconds(50) }
    return .milliseconds(control || hasKeys || hasStream ? 500 : 2_000)
  }

  /// Returns an item that plays a file; with `--replay-gain`, the item has the gain in the file's
  /// tags.
  private func item(
    _ file: FilePath, standardInput pipe: AsyncThrowingStream<AudioBuffer, any Error>
  ) -> PlaybackItem {
    var item = PlaybackItem(
      source: file == "-" ? .stream(pipe) : .file(file.source),
      range: part.range, repetition: loop)
    if let replayGain, file.status?.isRegularFile == true {
      // If the file cannot be read, the player reports the error.
      let metadata = (try? SoundFileReader(url: file.url))?.metadata
      item.gain = metadata?.replayGain(ofAlbum: replayGain == .album) ?? item.gain
    }
    return item
  }

  private func request(
    _ id: PlaybackID, _ items: [PlaybackItem], progressInterval: Duration
  ) -> PlaybackRequest {
    var items = items
    // If each file repeated forever, the second of several files would never be played.
    let repeatsList = loop == .forever && items.count > 1
    if repeatsList { for index in items.indices { items[index].repetition = .times(1) } }
    return PlaybackRequest(
      items: items, cycle: repeatsList ? .forever : rounds, device: device.id,
      volume: Float(volume), speed: speed, id: id,
      fadeIn: .seconds(part.fadeIn), fadeOut: .seconds(part.fadeOut),
      latency: device.latency, deviceFormat: device.format,
      progressInterval: progressInterval,
      onDeviceLoss: wait.onDeviceLoss)
  }
}
