import Testing

@testable import ClientDependencies

@Suite struct ProcessThreadsTests {
  @Test func `the thread state is parsed for any thread name`() {
    #expect(ProcessThreads.isRunnable(stat: "17 (swift) R 1 17 17 0"))
    #expect(!ProcessThreads.isRunnable(stat: "17 (swift) S 1 17 17 0"))
    #expect(ProcessThreads.isRunnable(stat: "17 (swift) D 1 17 17 0"))
    #expect(!ProcessThreads.isRunnable(stat: "17 (R) R) S 1 17 17 0"))
    #expect(!ProcessThreads.isRunnable(stat: ""))
    #expect(!ProcessThreads.isRunnable(stat: "17 (swift)"))
  }

  @Test func `a process counts as quiet while only the calling thread works`()
    async
  {
    await #expect(processExitsWith: .success) {
      let isOver = Flag()
      // In a new process, other threads may still be running.
      while ProcessThreads.running?.isEmpty != true { await Task.yield() }
      let (starts, start) = AsyncStream<Void>.makeStream()
      let work = Task.detached {
        start.yield()
        while !isOver.isSet {}
      }
      for await _ in starts { break }
      // The working thread continues, so its run time grows.
      let first = ProcessThreads.running ?? [:]
      precondition(!first.isEmpty)
      while !(ProcessThreads.running ?? [:]).contains(where: { thread, time in
        first[thread].map { time - $0 >= QuiescenceDetector.share } ?? false
      }) {}
      isOver.set()
      await work.value
    }
  }
}
