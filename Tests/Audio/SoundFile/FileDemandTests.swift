import AudioCore
import AudioThreads
import Foundation
import TestTools
import Testing

@testable import SoundFile

@Suite struct FileDemandTests {
  let folder: TestFolder
  let file: URL

  init() throws {
    folder = try TestFolder()
    file = try folder.file("a.wav", .wav16, sampleBuffer())
  }

  private func demand(_ file: URL) -> FileDemand {
    FileDemand(framesPerBuffer: 1_000) {
      try SoundFileReader(url: file, interruption: $0).frames()
    }
  }

  @Test func `before the first request, the file is not open and no thread runs`() throws {
    let demand = demand(file)
    #expect(demand.thread == nil)
    #expect(try !isOpen(file))
  }

  @Test func `at the end the file is closed and the thread has ended`() async throws {
    let demand = demand(file)
    var thread: DedicatedThread?
    while try await demand.next() != nil { thread = thread ?? demand.thread }
    await thread?.join()
    #expect(thread != nil)
    #expect(try !isOpen(file))
    #expect(try await demand.next() == nil)
  }

  @Test func `after an error the thread has ended and the stream is over`() async throws {
    let demand = demand(folder.file("none"))
    await #expect(throws: SoundFileError.self) { try await demand.next() }
    #expect(demand.thread == nil)
    #expect(try await demand.next() == nil)
  }

  @Test func `releasing the reader closes the file and ends the thread`() async throws {
    var demand: FileDemand? = demand(file)
    _ = try await demand?.next()
    #expect(try isOpen(file))
    let thread = try #require(demand?.thread)
    demand = nil
    await thread.join()
    #expect(try !isOpen(file))
  }

  @Test func `a released stream closes the file`() async throws {
    let file = file
    func first() async throws -> AudioBuffer? {
      for try await buffer in SoundFile.buffers(of: file) { return buffer }
      return nil
    }
    #expect(try await first()?.frameCount == 4_096)
    while try isOpen(file) { await Task.yield() }
  }

  @Test func `a canceled consumer gets the end of the stream, and the file is closed`() async throws
  {
    let demand = demand(file)
    _ = try await demand.next()
    let thread = try #require(demand.thread)
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await demand.next()
    }
    #expect(try await task.value == nil)
    await thread.join()
    #expect(try !isOpen(file))
  }

  @Test func `canceling ends a read that waits for a silent pipe`() async throws {
    let pipe = TestPipe()
    let data = try Data(contentsOf: file)
    pipe.write(data.prefix(80 + 4_000))
    let demand = FileDemand(framesPerBuffer: 1_000) {
      try SoundFileReader(fileDescriptor: pipe.outlet, interruption: $0).frames()
    }
    #expect(try await demand.next()?.frameCount == 1_000)
    let thread = try #require(demand.thread)
    let task = Task { try await demand.next() }
    task.cancel()
    #expect(try await task.value == nil)
    await thread.join()
    pipe.waitForReadersToGo()
  }
}
