import ClientDependenciesTestSupport
import Dispatch
import Foundation
import Testing
import XCTest

@Suite(
  .dependencies {
    $0.date.now = Date(timeIntervalSince1970: 0)
    $0.uuid = .incrementing
  })
struct StudioTests {
  @Test func `each take gets its identifier from the test`() {
    let studio = Studio()
    #expect([studio.beginTake(), studio.beginTake()].map(\.id) == [UUID(0), UUID(1)])
  }

  @Test(.dependency(\.date.now, Date(timeIntervalSince1970: 60)))
  func `a take starts at the date that the test sets`() {
    #expect(Studio().beginTake().started == Date(timeIntervalSince1970: 60))
  }
}

struct SleepTimer {
  @Dependency(\.continuousClock) private var clock
  @Dependency(\.player) private var player

  func fadeOut(after time: Duration) async throws {
    try await clock.sleep(for: time)
    await player.setVolume(volume: 0)
  }
}

@Suite(.dependency(\.continuousClock, TestClock()))
struct SleepTimerTests {
  @Dependency(\.continuousClock, as: TestClock<Duration>.self) var clock

  @Test func `the music fades out at the end of the given time`() async throws {
    let volume = LockIsolated(1.0)
    let timer = withDependencies {
      $0.player.setVolume = { new in volume.setValue(new) }
    } operation: {
      SleepTimer()
    }
    async let fading: Void = timer.fadeOut(after: .seconds(60))
    await clock.sleepers(atLeast: 1)
    await clock.advance(by: .seconds(59))
    #expect(volume.value == 1)
    await clock.advance(by: .seconds(1))
    try await fading
    #expect(volume.value == 0)
    try await clock.checkSuspension()
  }
}

final class StudioTestCase: XCTestCase {
  override func invokeTest() {
    withDependencies {
      $0.date.now = Date(timeIntervalSince1970: 0)
      $0.uuid = .incrementing
    } operation: {
      super.invokeTest()
    }
  }

  func testATakeHasTheFirstIdentifier() {
    XCTAssertEqual(Studio().beginTake().id, UUID(0))
  }
}

@Suite struct OtherThreadsTests {
  @Test func `a call of an unimplemented endpoint on a queue fails the test`() async {
    @Dependency(\.microphone) var microphone
    await withKnownIssue {
      await withCheckedContinuation { done in
        DispatchQueue.global().async { [microphone] in
          _ = microphone.level()
          done.resume()
        }
      }
    } matching: {
      "\($0)".contains("Unimplemented: 'MicrophoneClient.level'")
    }
  }
}
