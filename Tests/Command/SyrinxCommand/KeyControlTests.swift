import AudioPlayerClient
import TestTools
import Testing

@testable import SyrinxCommand

@Suite struct PlaybackKeyTests {
  @Test func `letters and arrows are keys, and other bytes are skipped`() {
    let bytes = Array(" mxq+\u{1B}[C\u{1B}OD\u{1B}[1;5A\u{1B}[3~-n\u{1B}".utf8)
    #expect(
      PlaybackKey.keys(in: bytes) == [
        .pause, .mute, .quit, .louder, .seek(.seconds(5)), .seek(.seconds(-5)),
        .seek(.seconds(60)), .softer, .next,
      ])
  }
}

@Suite struct KeyStateTests {
  private var state = KeyState(volume: 1)

  @Test mutating func `the space bar pauses and resumes`() {
    guard case .pause = state.command(for: .pause) else { return #expect(Bool(false)) }
    #expect(state.text == "  paused")
    guard case .resume = state.command(for: .pause) else { return #expect(Bool(false)) }
    #expect(state.text == "")
  }

  @Test
  mutating func `repeated arrow keys add up, even before the playback reports its new position`() {
    state.note(.progress(PlaybackProgress(played: .seconds(9), time: .seconds(9))))
    #expect(target(of: state.command(for: .seek(.seconds(5)))) == .seconds(14))
    #expect(target(of: state.command(for: .seek(.seconds(5)))) == .seconds(19))
    #expect(target(of: state.command(for: .seek(.seconds(-60)))) == .zero)
  }

  @Test
  mutating func `the key p seeks to the beginning of a file, and from there to the previous file`()
  {
    state.note(.advanced(PlaybackProgress(played: .zero, item: 2, time: .seconds(9))))
    #expect(item(of: state.command(for: .previous)) == 2)
    state.note(.sought(PlaybackProgress(played: .zero, item: 2, time: .zero)))
    #expect(item(of: state.command(for: .previous)) == 1)
  }

  @Test mutating func `keys change the volume in steps up to 200 percent, and muting preserves it`()
  {
    for _ in 1...12 { _ = state.command(for: .louder) }
    #expect(state.volume == 2 && state.text == "  volume 200%")
    #expect(volume(of: state.command(for: .mute)) == 0)
    #expect(state.text == "  muted")
    #expect(volume(of: state.command(for: .mute)) == 2)
    for _ in 1...30 { _ = state.command(for: .softer) }
    #expect(state.volume == 0)
  }

  @Test mutating func `a question mark shows the keys and sends no command`() {
    #expect(PlaybackKey.keys(in: Array("?".utf8)) == [.help])
    #expect(state.command(for: .help) == nil)
  }

  private func target(of command: PlaybackCommand?) -> Duration? {
    if case .seek(to: .time(let time), item: nil) = command { time } else { nil }
  }

  private func item(of command: PlaybackCommand?) -> Int? {
    if case .seek(to: .time(.zero), item: let item) = command { item } else { nil }
  }

  private func volume(of command: PlaybackCommand?) -> Float? {
    if case .setVolume(let volume, _) = command { volume } else { nil }
  }
}
