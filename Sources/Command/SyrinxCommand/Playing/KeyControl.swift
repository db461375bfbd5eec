import AudioCore
import AudioPlayerClient
import AudioThreads
import Glibc
import Synchronization

/// A key that controls a playback.
enum PlaybackKey: Equatable {
  case pause, mute, quit, next, previous, help
  case louder, softer
  /// Forward, or backward if negative.
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

  /// The keys on one line, which ? shows.
  static let line = """
    keys: space (pause), left and right (5 s), up and down (60 s), n and p (next and previous file), \
    + and - (volume), m (mute), q (quit)
    """

  /// The keys in bytes of a terminal; other bytes are skipped.
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

/// The state that keys change, and the commands that they lead to.
struct KeyState {
  /// The loudest volume that the key + reaches.
  static let loudest: Float = 2

  private(set) var volume: Float
  private(set) var isMuted = false
  private(set) var isPaused = false
  private var item = 0
  private var time = Duration.zero

  init(volume: Float) {
    self.volume = volume
  }

  /// What the playback reports.
  mutating func note(_ event: PlaybackEvent) {
    switch event {
    case .started(let start): item = start.item
    case .progress(let progress), .advanced(let progress), .sought(let progress),
      .looped(let progress, _):
      (item, time) = (progress.item, progress.time)
    default: break
    }
  }

  /// The command for a key; nil for one that only shows something.
  mutating func command(for key: PlaybackKey) -> PlaybackCommand? {
    switch key {
    case .help: return nil
    case .pause:
      isPaused.toggle()
      return isPaused ? .pause() : .resume()
    case .quit: return .stop()
    case .next: return .skip
    case .previous:
      // Soon after the beginning of a file, to the one before it.
      let target = time < .seconds(2) ? max(0, item - 1) : item
      return .seek(to: .time(.zero), item: target)
    case .seek(let distance):
      // Until the next report, further keys add up.
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

  /// What the progress line adds; empty for a playback that nothing has changed.
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

  /// Notes an event and returns what the progress line adds.
  func note(_ event: PlaybackEvent) -> String {
    state.note(event)
    return state.text
  }

  /// Follows the keys until the task is canceled.
  func follow(_ keys: AsyncStream<PlaybackKey>) async {
    for await key in keys {
      guard let command = state.command(for: key) else {
        await console.notifyTerminal(PlaybackKey.line)
        continue
      }
      // A playback that has just ended takes no command, and a stream cannot be sought in.
      try? await player.control(id: id, command: command)
    }
  }
}

/// The value that disables a key of a terminal; `_POSIX_VDISABLE` in C.
private let disabledKey: UInt8 = 0

/// A terminal that passes each key on at once, without showing it.
final class KeyTerminal: Sendable {
  private let original: termios
  private let descriptor: Int32
  // Held to restore the terminal, once.
  private let isRestored = Mutex(false)

  /// Nil if the descriptor is no terminal, or that of another job.
  ///
  /// - Parameter readLimitInTenths: the tenths of a second after which a read without a byte ends;
  ///   nil to wait for one.
  init?(descriptor: Int32 = 0, readLimitInTenths: UInt8? = nil) {
    var settings = termios()
    guard isatty(descriptor) == 1, tcgetpgrp(descriptor) == getpgrp(),
      tcgetattr(descriptor, &settings) == 0
    else { return nil }
    (original, self.descriptor) = (settings, descriptor)
    settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
    // Ctrl-C keeps its meaning. Ctrl-\ (VQUIT) and Ctrl-Z (VSUSP) would leave the terminal like this.
    (settings.c_cc.1, settings.c_cc.10) = (disabledKey, disabledKey)
    if let readLimitInTenths {
      // VMIN and VTIME.
      (settings.c_cc.6, settings.c_cc.5) = (0, readLimitInTenths)
    }
    tcsetattr(descriptor, TCSADRAIN, &settings)
  }

  deinit { restore() }

  /// Gives the terminal its settings back; the second time it has no effect.
  func restore() {
    isRestored.withLock { isRestored in
      guard !isRestored else { return }
      isRestored = true
      var settings = original
      tcsetattr(descriptor, TCSADRAIN, &settings)
    }
  }

  /// The keys, read on a thread of its own that ends with the process.
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
