import AudioCore
import AudioPlayerClient
import AudioThreads
import Glibc
import Synchronization

/// A key that controls a playback.
enum PlaybackKey: Equatable {
  case pause, mute, quit, next, previous, help
  case louder, softer
  /// Seeks by a duration: forward, or backward if it is negative.
  case seek(Duration)

  /// The keys, for the help of `syrinx play`.
  static let list = """
    Keys:
      space         pause and resume
      left, right   5 seconds back and forward
      up, down      60 seconds forward and back
      n, p          next and previous file
      +, -, m       louder, softer, mute
      q, ?          quit, show the keys
    """

  /// The keys on one line, shown by the key ?.
  static let line = """
    keys: space (pause), left and right (5 s), up and down (60 s), n and p (next and previous file), \
    + and - (volume), m (mute), q (quit)
    """

  /// Returns the keys that the bytes from a terminal encode; other bytes are skipped.
  static func keys(in bytes: [UInt8]) -> [PlaybackKey] {
    var (keys, rest): ([PlaybackKey], ArraySlice<UInt8>) = ([], bytes[...])
    while let byte = rest.popFirst() {
      guard byte == 0x1B else {
        keys += [plain[Character(UnicodeScalar(byte))]].compactMap(\.self)
        continue
      }
      // An arrow is ESC [ A, or ESC O A in application mode; other sequences end with a letter.
      guard rest.first == UInt8(ascii: "[") || rest.first == UInt8(ascii: "O") else { continue }
      rest = rest.dropFirst().drop { $0 < 0x40 }
      let end = rest.popFirst().map { Character(UnicodeScalar($0)) }
      keys += [end.flatMap { arrows[$0] }].compactMap(\.self)
    }
    return keys
  }

  private static let plain: [Character: PlaybackKey] = [
    " ": .pause, "m": .mute, "q": .quit, "n": .next, "p": .previous, "+": .louder, "=": .louder,
    "-": .softer, "?": .help,
  ]

  private static let arrows: [Character: PlaybackKey] = [
    "A": .seek(.seconds(60)), "B": .seek(.seconds(-60)), "C": .seek(.seconds(5)),
    "D": .seek(.seconds(-5)),
  ]
}

/// Turns keys into commands, and tracks the state of the playback for this purpose.
struct KeyState {
  /// The maximum volume that the key + sets.
  static let loudest: Float = 2

  private(set) var volume: Float
  private(set) var isMuted = false
  private(set) var isPaused = false
  private var item = 0
  private var time = Duration.zero

  init(volume: Float) {
    self.volume = volume
  }

  /// Updates the state from an event of the playback.
  mutating func note(_ event: PlaybackEvent) {
    switch event {
    case .started(let start): item = start.item
    case .progress(let progress), .advanced(let progress), .sought(let progress),
      .looped(let progress, _):
      (item, time) = (progress.item, progress.time)
    default: break
    }
  }

  /// Returns the command for a key; nil for the help key.
  mutating func command(for key: PlaybackKey) -> PlaybackCommand? {
    switch key {
    case .help: return nil
    case .pause:
      isPaused.toggle()
      return isPaused ? .pause() : .resume()
    case .quit: return .stop()
    case .next: return .skip
    case .previous:
      // Within the first two seconds of a file, the key seeks to the previous file; later, it seeks
      // to the beginning of the current file.
      let target = time < .seconds(2) ? max(0, item - 1) : item
      return .seek(to: .time(.zero), item: target)
    case .seek(let distance):
      // The time is updated at once, so that repeated keys add up until the next report.
      time = max(.zero, time + distance)
      return .seek(to: .time(time))
    case .mute: isMuted.toggle()
    case .louder: change(volume: volume + 0.1)
    case .softer: change(volume: volume - 0.1)
    }
    return .setVolume(isMuted ? 0 : volume)
  }

  private mutating func change(volume: Float) {
    isMuted = false
    self.volume = min(max(((volume * 10).rounded()) / 10, 0), max(Self.loudest, self.volume))
  }

  /// The text that the progress line shows about pause and volume; empty if neither was changed.
  var text: String {
    let volume =
      isMuted ? "muted" : self.volume == 1 ? "" : "volume \(Int(self.volume * 100 + 0.5))%"
    return [isPaused ? "paused" : "", volume].filter { !$0.isEmpty }.map { "  \($0)" }.joined()
  }
}

/// Controls a playback by the keys of a terminal.
actor KeyControl {
  private let player: AudioPlayerClient
  private let id: PlaybackID
  private let console: Console
  private var state: KeyState

  init(player: AudioPlayerClient, id: PlaybackID, volume: Float, console: Console) {
    (self.player, self.id, self.console) = (player, id, console)
    state = KeyState(volume: volume)
  }

  /// Updates the state from an event, and returns the event's text for the progress line.
  func note(_ event: PlaybackEvent) -> String {
    state.note(event)
    return state.text
  }

  /// Performs the commands of the keys until the task is canceled.
  func follow(_ keys: AsyncStream<PlaybackKey>) async {
    for await key in keys {
      guard let command = state.command(for: key) else {
        await console.notifyTerminal(PlaybackKey.line)
        continue
      }
      // The error is ignored: a playback that has just ended accepts no command, and a stream is
      // not seekable.
      try? await player.control(id: id, command: command)
    }
  }
}

/// The value that disables a key of a terminal; `_POSIX_VDISABLE` in C.
private let disabledKey: UInt8 = 0

/// A terminal in a mode that passes on each key at once, without echo.
final class KeyTerminal: Sendable {
  private let original: termios
  private let descriptor: Int32
  // The lock ensures that the terminal is restored only once.
  private let isRestored = Mutex(false)

  /// Makes the terminal pass on each key at once; nil if the descriptor is not a terminal, or this
  /// job is in the background.
  ///
  /// `readLimitInTenths` is the time, in tenths of a second, after which a read without bytes
  /// returns; nil to wait for a byte.
  init?(descriptor: Int32 = 0, readLimitInTenths: UInt8? = nil) {
    var settings = termios()
    guard isatty(descriptor) == 1, tcgetpgrp(descriptor) == getpgrp(),
      tcgetattr(descriptor, &settings) == 0
    else { return nil }
    (original, self.descriptor) = (settings, descriptor)
    settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
    // Ctrl-C keeps its meaning. Ctrl-\ (VQUIT) and Ctrl-Z (VSUSP) are disabled, because they would
    // end or stop the process before the terminal is restored.
    (settings.c_cc.1, settings.c_cc.10) = (disabledKey, disabledKey)
    if let readLimitInTenths {
      // With VMIN = 0 and VTIME, a read returns after this time even if no key was pressed.
      (settings.c_cc.6, settings.c_cc.5) = (0, readLimitInTenths)
    }
    tcsetattr(descriptor, TCSADRAIN, &settings)
  }

  deinit { restore() }

  /// Restores the terminal's settings; calling it again has no effect.
  func restore() {
    isRestored.withLock { isRestored in
      guard !isRestored else { return }
      isRestored = true
      var settings = original
      tcsetattr(descriptor, TCSADRAIN, &settings)
    }
  }

  /// Returns the keys; a separate thread reads them until the input or the process ends.
  func keys() throws -> AsyncStream<PlaybackKey> {
    let (keys, key) = AsyncStream.makeStream(
      of: PlaybackKey.self, bufferingPolicy: .bufferingOldest(64))
    _ = try DedicatedThread.start(name: "syrinx-keys") { [descriptor] in
      var bytes = [UInt8](repeating: 0, count: 64)
      while case let count = read(descriptor, &bytes, bytes.count), count != 0 {
        guard count > 0 || errno == EINTR else { break }
        for pressed in PlaybackKey.keys(in: Array(bytes.prefix(max(0, count)))) {
          key.yield(pressed)
        }
      }
      key.finish()
    }
    return keys
  }
}
