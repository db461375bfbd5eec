import AudioCore
import ClientDependencies
import Synchronization
import Testing

@testable import WyomingServer

@Suite struct AudioPipeTests {
  private func buffer(_ frame: Int) -> AudioBuffer {
    AudioBuffer(format: .speech, samples: [0.5], firstFrame: FrameCount(frame))
  }

  @Test func `buffers come out in order, and the end after them`() async throws {
    let pipe = AudioPipe()
    let sender = Task {
      for frame in 0..<100 { await pipe.send(buffer(frame)) }
      pipe.finish()
    }
    var frames: [Int] = []
    for try await buffer in pipe.buffers { frames.append(buffer.firstFrame.rawValue) }
    #expect(frames == Array(0..<100))
    await sender.value
  }

  @Test func `a sender waits while nobody hears`() async throws {
    let pipe = AudioPipe()
    let sent = Mutex(0)
    let sender = Task {
      for frame in 0..<20 {
        await pipe.send(buffer(frame))
        sent.withLock { $0 += 1 }
      }
      pipe.finish()
    }
    var count = 0
    for try await _ in pipe.buffers {
      #expect(sent.withLock { $0 } <= count + AudioPipe.limit)
      count += 1
    }
    #expect(count == 20)
    await sender.value
  }

  @Test func `a sender is free when the hearer is gone, and when it is cancelled itself`() async {
    let pipe = AudioPipe()
    let sender = Task { for frame in 0..<20 { await pipe.send(buffer(frame)) } }
    pipe.abandon()
    await sender.value
    let other = AudioPipe()
    let cancelled = Task { for frame in 0..<20 { await other.send(buffer(frame)) } }
    cancelled.cancel()
    await cancelled.value
  }

  @Test func `a hearer that is cancelled sees the end`() async throws {
    let pipe = AudioPipe()
    let hearer = Task { try await pipe.buffers.first { _ in true } }
    hearer.cancel()
    #expect(try await hearer.value == nil)
  }
}
