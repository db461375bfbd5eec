import AudioCore
import AudioPlayerClient
import FilePaths
import Testing

@testable import SyrinxCommand

struct PlaybackRecordTests {
  private let files: [FilePath] = ["a.wav", "b.wav"]

  private func line(_ event: PlaybackEvent) throws -> String {
    try line(JSONRecord(event, files: files))
  }

  /// Returns the line of a record after checking that the help documents its keys.
  private func line(_ record: JSONRecord) throws -> String {
    for key in record.names {
      #expect(JSONRecord.playbackSchema.contains("\"\(key)\""), "\(key)")
    }
    return try record.jsonLine()
  }

  @Test
  func `a playback event is one line of documented keys, with times to a millisecond`()
    throws
  {
    let start = PlaybackStart(device: "virtual", format: .speech, item: 1)
    #expect(
      try line(.started(start))
        == """
        {"channelCount":1,"device":"virtual","event":"started","file":"b.wav","item":1,"rate":16000}
        """)
    let card = PlaybackStart(
      device: "virtual", format: .speech,
      settings: PCMConfiguration(
        device: "virtual", format: .speech, sampleFormat: .int24Packed, period: 400, buffer: 1_600))
    #expect(
      try line(.started(card))
        == """
        {"buffer":1600,"channelCount":1,"device":"virtual","event":"started","file":"a.wav",\
        "item":0,"period":400,"rate":16000,"sampleFormat":"int24Packed"}
        """)
    let place = PlaybackProgress(
      played: .milliseconds(2_500), item: 1, position: 16_000, time: .seconds(1),
      length: .microseconds(1_500_400))
    #expect(
      try line(.sought(place))
        == """
        {"event":"sought","file":"b.wav","frame":16000,"item":1,"length":1.5,"played":2.5,"position":1}
        """)
    #expect(try line(.xrun(.milliseconds(25))) == #"{"event":"xrun","silence":0.025}"#)
    #expect(try line(.xrun(.microseconds(21))) == #"{"event":"xrun","silence":2.1e-05}"#)
    #expect(try line(.starved(.nanoseconds(9))) == #"{"event":"starved","silence":9e-09}"#)
    #expect(try line(.deviceLost) == #"{"event":"deviceLost"}"#)
    #expect(
      try line(.deviceReturned(gap: .seconds(2))) == #"{"event":"deviceReturned","gap":2}"#)
    #expect(try line(.limited(Decibels(-6.02))) == #"{"event":"limited","gain":-6}"#)
    #expect(
      try line(.title(item: 1, "A\n\"B\""))
        == #"{"event":"title","file":"b.wav","item":1,"title":"A\n\"B\""}"#)
    #expect(try line(.nonFinite(sampleCount: 3)) == #"{"event":"nonFinite","samples":3}"#)
    #expect(
      try line(
        JSONRecord(
          (item: 1, reason: .stopped, played: .seconds(3)), files: files))
        == #"{"event":"finished","file":"b.wav","item":1,"played":3,"reason":"stopped"}"#)
  }

  @Test
  func `the record of each kind of playback event contains the name of the kind`() throws {
    let place = PlaybackProgress(played: .zero)
    let events: [PlaybackEvent] = [
      .progress(place), .looped(place, count: 1), .advanced(place), .paused(place),
      .resumed(place), .starved(.zero), .shortfall(item: 0, announced: .zero, decoded: .zero),
      .failed(item: 0, .emptySource(nil)),
    ]
    let names = [
      "progress", "looped", "advanced", "paused", "resumed", "starved", "shortfall", "failed",
    ]
    for (event, name) in zip(events, names) {
      #expect(try line(event).contains(#""event":"\#(name)""#))
    }
  }
}

struct ItemFinishesTests {
  /// Returns "item reason played" for each item that ends, in order.
  private func ends(
    _ itemCount: Int, _ events: PlaybackEvent..., then last: ItemEndTracker.Reason? = nil
  ) -> [String] {
    var tracker = ItemEndTracker(itemCount: itemCount)
    let ends = events.flatMap { tracker.process($0) } + (last.map { tracker.endAll($0) } ?? [])
    return ends.map { "\($0.item) \($0.reason) \($0.played.components.seconds)" }
  }

  private func place(_ item: Int, _ seconds: Int) -> PlaybackProgress {
    PlaybackProgress(played: .seconds(seconds), item: item)
  }

  private func start(_ item: Int = 0) -> PlaybackEvent {
    .started(PlaybackStart(device: "virtual", format: .speech, item: item))
  }

  private func finish(_ reason: PlaybackFinish.Reason, _ seconds: Int) -> PlaybackEvent {
    .finished(PlaybackFinish(reason: reason, played: .seconds(seconds)))
  }

  @Test func `an item ends when the next item begins, and the last item ends with the playback`() {
    let found = ends(
      2, start(), .progress(place(0, 1)), .advanced(place(1, 2)), finish(.completed, 5))
    #expect(found == ["0 completed 2", "1 completed 5"])
  }

  @Test func `a failed item has one end event, whether it was played or not`() {
    let error = AudioPlayerError.emptySource(nil)
    #expect(
      ends(
        3, .failed(item: 0, error), start(1), .progress(place(1, 2)), .failed(item: 1, error),
        .advanced(place(2, 3)), then: .completed)
        == ["0 failed 0", "1 failed 2", "2 completed 3"])
  }

  @Test func `a seek ends the current item, and the end of the playback ends all other items`() {
    #expect(
      ends(3, start(), .sought(place(1, 1)), finish(.stopped, 2))
        == ["0 stopped 1", "1 stopped 2", "2 stopped 2"])
    #expect(ends(2, then: .failed) == ["0 failed 0", "1 failed 0"])
  }

  @Test func `in a repeated list, each playback of an item has one end event`() {
    let found = ends(
      2, start(), .advanced(place(1, 1)), .advanced(place(0, 2)), .sought(place(0, 3)),
      finish(.stopped, 4))
    #expect(found == ["0 completed 1", "1 completed 2", "0 stopped 4"])
  }
}
