import AudioCore
import AudioPlayerClient
import Testing

@testable import SyrinxCommand

struct ItemFinishesTests {
  /// "item reason heard" of each end, in order.
  private func ends(
    _ itemCount: Int, _ events: PlaybackEvent..., then last: ItemFinishes.Reason? = nil
  ) -> [String] {
    var finishes = ItemFinishes(itemCount: itemCount)
    let ends = events.flatMap { finishes.take($0) } + (last.map { finishes.endAll($0) } ?? [])
    return ends.map { "\($0.item) \($0.reason) \($0.heard.components.seconds)" }
  }

  private func place(_ item: Int, _ seconds: Int) -> PlaybackProgress {
    PlaybackProgress(heard: .seconds(seconds), item: item)
  }

  private func start(_ item: Int = 0) -> PlaybackEvent {
    .started(PlaybackStart(device: "virtual", format: .speech, item: item))
  }

  private func finish(_ reason: PlaybackFinish.Reason, _ seconds: Int) -> PlaybackEvent {
    .finished(PlaybackFinish(reason: reason, heard: .seconds(seconds)))
  }

  @Test func `an item ends when the next one begins, and the last one with the playback`() {
    let found = ends(
      2, start(), .progress(place(0, 1)), .advanced(place(1, 2)), finish(.completed, 5))
    #expect(found == ["0 completed 2", "1 completed 5"])
  }

  @Test func `an item that failed ends once, whether it was heard or not`() {
    let error = AudioPlayerError.emptySource(nil)
    #expect(
      ends(
        3, .failed(item: 0, error), start(1), .progress(place(1, 2)), .failed(item: 1, error),
        .advanced(place(2, 3)), then: .completed)
        == ["0 failed 0", "1 failed 2", "2 completed 3"])
  }

  @Test func `what was stopped, or never begun, has an end as well, what was heard first`() {
    #expect(
      ends(3, start(), .sought(place(1, 1)), finish(.stopped, 2))
        == ["0 stopped 1", "1 stopped 2", "2 stopped 2"])
    #expect(ends(2, then: .failed) == ["0 failed 0", "1 failed 0"])
  }

  @Test func `in each round an item ends again`() {
    let found = ends(
      2, start(), .advanced(place(1, 1)), .advanced(place(0, 2)), .sought(place(0, 3)),
      finish(.stopped, 4))
    #expect(found == ["0 completed 1", "1 completed 2", "0 stopped 4"])
  }
}
