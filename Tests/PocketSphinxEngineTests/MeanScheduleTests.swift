import AudioCore
import Testing

@testable import PocketSphinxEngine

@Suite struct MeanScheduleTests {
  private let tenth = FrameCount(1600)

  private func actions(
    _ schedule: inout MeanSchedule, tenths: Int
  ) -> [MeanSchedule.Action] {
    (0..<tenths).map { _ in schedule.add(tenth) }
  }

  @Test
  func `the first utterance waits for a second and a half, then the mean is set each half second`()
  {
    var schedule = MeanSchedule()
    schedule.beginUtterance()
    let first = actions(&schedule, tenths: 15)
    #expect(first == Array(repeating: .wait, count: 14) + [.setMeanAndSearch])
    #expect(
      actions(&schedule, tenths: 5)
        == Array(repeating: .search, count: 4) + [.setMeanAndSearch])
  }

  @Test func `an utterance after the first is searched at once`() {
    var schedule = MeanSchedule()
    schedule.beginUtterance()
    _ = actions(&schedule, tenths: 20)
    schedule.beginUtterance()
    #expect(!schedule.isSearching)
    #expect(schedule.add(tenth) == .setMeanAndSearch)
  }

  @Test func `sound in short utterances counts together`() {
    var schedule = MeanSchedule()
    schedule.beginUtterance()
    _ = actions(&schedule, tenths: 10)
    schedule.beginUtterance()
    #expect(actions(&schedule, tenths: 5).last == .setMeanAndSearch)
  }
}
