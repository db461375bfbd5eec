import Testing

@testable import ClientDependencies

@Suite struct CacheTableTests {
  @Test func `an entry is found under its key and no other`() {
    let table = CacheTable()
    defer { table.destroy() }
    let keys = (0..<1_000).map { _ in Key() }
    let entries = keys.map { CachedValue(1, key: ObjectIdentifier($0), gap: nil) }
    for entry in entries { #expect(table.insert(entry) === entry) }
    for (key, entry) in zip(keys, entries) {
      #expect(table.find(ObjectIdentifier(key))?.takeUnretainedValue() === entry)
    }
    #expect(table.find(ObjectIdentifier(Key())) == nil)
  }

  @Test func `the first entry of a key stays`() {
    let table = CacheTable()
    defer { table.destroy() }
    let key = Key()
    let first = CachedValue(1, key: ObjectIdentifier(key), gap: nil)
    #expect(table.insert(first) === first)
    #expect(table.insert(CachedValue(2, key: ObjectIdentifier(key), gap: nil)) === first)
  }

  @Test func `all who insert a key at the same time get the same entry`() async {
    let table = CacheTable()
    defer { table.destroy() }
    let keys = (0..<200).map { _ in Key() }
    for key in keys {
      let winners = await withTaskGroup(of: ObjectIdentifier.self) { group in
        for number in 0..<4 {
          group.addTask {
            let entry = CachedValue(number, key: ObjectIdentifier(key), gap: nil)
            return ObjectIdentifier(table.insert(entry))
          }
        }
        return await group.reduce(into: Set()) { $0.insert($1) }
      }
      #expect(winners.count == 1)
    }
  }
}

private final class Key: Sendable {}
