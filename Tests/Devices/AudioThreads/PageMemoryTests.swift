import Glibc
import Testing

@testable import AudioThreads

@Suite struct PageMemoryTests {
  @Test(arguments: [1, 1_000, 1 << 20]) func `every value can be written and read`(count: Int) {
    let memory = PageMemory<UInt32>(capacity: count)
    defer { memory.release() }
    #expect(memory.values.count == count)
    for index in memory.values.indices { memory.values[index] = UInt32(index) }
    let isKept = memory.values.indices.allSatisfy { memory.values[$0] == UInt32($0) }
    #expect(isKept)
  }

  @Test func `resident pages are present before they are touched, and others are not`() {
    let memory = PageMemory<UInt8>(capacity: 1 << 22, resident: 1 << 20)
    defer { memory.release() }
    let page = Int(sysconf(CInt(_SC_PAGESIZE)))
    var states = [UInt8](repeating: 0, count: memory.values.count / page)
    #expect(mincore(memory.values.baseAddress, memory.values.count, &states) == 0)
    let present = states.map { $0 & 1 == 1 }
    #expect(present.prefix((1 << 20) / page).allSatisfy { $0 })
    #expect(present.last == false)
  }

  @Test(arguments: [1, 1_000, 1 << 18]) func `memory of any size can be fully resident`(count: Int)
  {
    let memory = PageMemory<UInt64>(capacity: count, resident: count)
    defer { memory.release() }
    memory.values.initialize(repeating: 7)
    #expect(memory.values.allSatisfy { $0 == 7 })
  }
}
