import Testing

@testable import AudioThreads

@Suite struct PageMemoryTests {
  @Test(arguments: [1, 1_000, 1 << 20]) func `all of it can be written and read`(count: Int) {
    let memory = PageMemory<UInt32>(capacity: count)
    defer { memory.release() }
    #expect(memory.values.count == count)
    for index in memory.values.indices { memory.values[index] = UInt32(index) }
    let isKept = memory.values.indices.allSatisfy { memory.values[$0] == UInt32($0) }
    #expect(isKept)
  }
}
