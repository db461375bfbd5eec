import ClientDependencies
import Foundation
import Testing

@Suite struct UUIDTests {
  @Dependency(\.uuid) private var uuid

  @Test func `a UUID from a number ends with that number`() {
    #expect(UUID(0).uuidString == "00000000-0000-0000-0000-000000000000")
    #expect(UUID(10).uuidString == "00000000-0000-0000-0000-00000000000A")
    #expect(UUID(0xFFFF_FFFF_FFFF).uuidString == "00000000-0000-0000-0000-FFFFFFFFFFFF")
    #expect(UUID(.max).uuidString == "00000000-0000-0000-7FFF-FFFFFFFFFFFF")
  }

  @Test
  func `a UUID from a negative number has a 1 in the third group, and ends with the magnitude`() {
    #expect(UUID(-1).uuidString == "00000000-0000-0001-0000-000000000001")
    #expect(UUID(-16).uuidString == "00000000-0000-0001-0000-000000000010")
    #expect(UUID(.min).uuidString == "00000000-0000-0001-8000-000000000000")
  }

  @Test func `each incrementing generator begins at zero`() {
    for _ in 1...2 {
      withDependencies {
        $0.uuid = .incrementing
      } operation: {
        #expect([uuid(), uuid(), uuid()] == [UUID(0), UUID(1), UUID(2)])
      }
    }
  }

  @Test func `an incrementing generator never repeats an identifier, on any thread`() async {
    let generator = UUIDGenerator.incrementing
    let made = await withTaskGroup(of: UUID.self) { group in
      for _ in 0..<100 { group.addTask { generator() } }
      return await group.reduce(into: Set<UUID>()) { $0.insert($1) }
    }
    #expect(made == Set((0..<100).map { UUID($0) }))
  }

  @Test func `a constant generator always returns the same identifier`() {
    let generator = UUIDGenerator.constant(UUID(7))
    #expect([generator(), generator()] == [UUID(7), UUID(7)])
  }
}
