import Glibc
import Synchronization
import Testing

@testable import AudioThreads

@Suite struct RingBufferTests {
  @Test func `elements are read in the order written, even across the wrap`() {
    let ring = RingBuffer<Int>(capacity: 5)
    var read: [Int] = []
    for value in 0..<23 {
      #expect(ring.tryWrite(value))
      if value % 3 == 2 {
        while let next = ring.tryRead() { read.append(next) }
      }
    }
    while let next = ring.tryRead() { read.append(next) }
    #expect(read == Array(0..<23))
  }

  @Test func `a full ring rejects elements and loses none`() {
    let ring = RingBuffer<Int>(capacity: 2)
    #expect([1, 2, 3].withUnsafeBufferPointer { ring.tryWrite($0) } == 2)
    #expect(!ring.tryWrite(4))
    #expect(ring.tryRead() == 1)
    #expect(ring.tryRead() == 2)
    #expect(ring.tryRead() == nil)
  }

  @Test func `two threads pass 100,000 numbers without loss`() async throws {
    let ring = RingBuffer<Int>(capacity: 64)
    let room = try WakeUp()
    let news = try WakeUp()
    let writer = try DedicatedThread.start(name: "writer") {
      var next = 0
      while next < 100_000 {
        if ring.tryWrite(next) { next += 1 } else { room.wait() }
        news.signal()
      }
    }
    let inOrder = Mutex(0)
    let reader = try DedicatedThread.start(name: "reader") {
      var expected = 0
      while expected < 100_000 {
        guard let value = ring.tryRead() else {
          news.wait()
          continue
        }
        if value != expected { return }
        expected += 1
        room.signal()
      }
      inOrder.withLock { $0 = expected }
    }
    await writer.join()
    await reader.join()
    #expect(inOrder.withLock { $0 } == 100_000)
  }

  @Test func `discarded elements make room and are not read`() {
    let ring = RingBuffer<Int>(capacity: 4)
    for value in 0..<4 { ring.tryWrite(value) }
    ring.discardReadable()
    #expect(ring.readable == 0 && ring.writable == 4)
    #expect(ring.totalWritten == 4)
    ring.tryWrite(9)
    #expect(ring.tryRead() == 9)
  }

  @Test func `a large ring touches no more memory than its backlog needs`() {
    // This ring is large enough to be mapped, so its memory begins as zeros.
    let ring = RingBuffer<Int>(capacity: 100_000)
    for round in 1...1_000 {
      for _ in 0..<150 { ring.tryWrite(round) }
      if round.isMultiple(of: 2) {
        while ring.tryRead() != nil {}
      }
    }
    #expect(ring.storage[..<300].allSatisfy { $0 > 0 })
    #expect(ring.storage[300...].allSatisfy { $0 == 0 })
  }

  @Test func `after the ring restarts at its first slot, elements are still read in order`() {
    let ring = RingBuffer<Int>(capacity: 5)
    var (written, read) = (0, [Int]())
    for count in [3, 4, 2, 5, 1, 5, 3] {
      for _ in 0..<count where ring.tryWrite(written) { written += 1 }
      // If the number of written elements is odd, one element is left unread.
      for _ in 0..<(count - written % 2) { ring.tryRead().map { read.append($0) } }
    }
    while let next = ring.tryRead() { read.append(next) }
    #expect(read == Array(0..<written))
  }

  @Test(arguments: [1, 1_000, 1 << 20]) func `a ring of any size can be filled`(capacity: Int) {
    let ring = RingBuffer<Int>(capacity: capacity)
    let written = Array(0..<capacity).withUnsafeBufferPointer { ring.tryWrite($0) }
    #expect(written == capacity && ring.storage.elementsEqual(0..<capacity))
  }

  @Test func `the resident part of a ring is in memory before its first use, and the rest is not`()
  {
    let ring = RingBuffer<UInt8>(capacity: 1 << 22, resident: 1 << 20)
    let page = Int(sysconf(CInt(_SC_PAGESIZE)))
    var states = [UInt8](repeating: 0, count: ring.capacity / page)
    #expect(mincore(ring.storage.baseAddress, ring.capacity, &states) == 0)
    let present = states.map { $0 & 1 == 1 }
    #expect(present.prefix((1 << 20) / page).allSatisfy { $0 })
    #expect(present.last == false)
  }

  @Test(arguments: [1, 1_000, 1 << 18])
  func `the whole ring can be kept resident, whatever its size`(capacity: Int) {
    let ring = RingBuffer<UInt64>(capacity: capacity, resident: capacity)
    let sevens = [UInt64](repeating: 7, count: capacity)
    #expect(sevens.withUnsafeBufferPointer { ring.tryWrite($0) } == capacity)
    #expect(ring.storage.allSatisfy { $0 == 7 })
  }
}
