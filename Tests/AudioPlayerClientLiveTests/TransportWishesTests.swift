import AudioThreads
import Testing

@testable import AudioPlayerClientLive

@Suite struct TransportWishesTests {
  @Test func `what is written is read once, all of it`() {
    let board = WishBoard(gain: 2)
    #expect(board.current.wishes.gain == 1)
    #expect(board.read(after: board.current.serial) == nil)
    let serial = board.update { wishes in
      wishes = TransportWishes(
        isPaused: true, isStopping: true, epoch: 7, fade: .milliseconds(3), gain: 0.5,
        ramp: .seconds(2))
    }
    let reading = board.read(after: serial - 1)
    #expect(reading?.serial == serial)
    #expect(reading?.wishes == board.current.wishes)
    #expect(board.read(after: serial) == nil)
  }

  @Test func `a reader never sees half of a change`() async throws {
    let board = WishBoard(gain: 1)
    board.update { $0.fade = .zero }
    let hasRead = Gate()
    let isOver = Gate()
    let reader = try DedicatedThread.start(name: "reader") {
      var serial = 0
      while !isOver.isOpen {
        guard let reading = board.read(after: serial) else { continue }
        #expect(reading.serial > serial)
        #expect(reading.wishes.fade == .nanoseconds(reading.wishes.epoch))
        #expect(reading.wishes.isPaused == !reading.wishes.epoch.isMultiple(of: 2))
        serial = reading.serial
        hasRead.open()
      }
    }
    await hasRead.wait()
    for _ in 0..<20_000 {
      board.update { wishes in
        wishes.epoch += 1
        wishes.fade = .nanoseconds(wishes.epoch)
        wishes.isPaused.toggle()
      }
    }
    isOver.open()
    await reader.join()
  }
}
