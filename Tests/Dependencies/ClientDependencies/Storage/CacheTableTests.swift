import Testing

@testable import ClientDependencies

@Suite struct CacheTableTests {
  @Test func `an entry is found only under its key`() {
    let table = CacheTable()
    defer { table.destroy() }
    let keys = (0..<1_000).map { _ in Key() }
    let entries = keys.map {
      CachedValue(1, key: ObjectIdentifier($0), source: .context(firstReadAt: .here))
    }
    for entry in entries { #expect(table.insert(entry) === entry) }
    for (key, entry) in zip(keys, entries) {
      #expect(table.find(ObjectIdentifier(key))?.takeUnretainedValue() === entry)
    }
    #expect(table.find(ObjectIdentifier(Key())) == nil)
  }

  @Test func `the first entry of a key is kept`() {
    let table = CacheTable()
    defer { table.destroy() }
    let key = Key()
    let first = CachedValue(1, key: ObjectIdentifier(key), source: .context(firstReadAt: .here))
    #expect(table.insert(first) === first)
    #expect(
      table.insert(CachedValue(2, key: ObjectIdentifier(key), source: .context(firstReadAt: .here)))
        === first)
  }

  @Test func `an entry replaces an earlier one only if that is replaceable`() {
    let table = CacheTable()
    defer { table.destroy() }
    let key = Key()
    let entries = (0..<3).map {
      CachedValue($0, key: ObjectIdentifier(key), source: .context(firstReadAt: .here))
    }
    #expect(table.put(entries[0]) { _ in false } == nil)
    #expect(table.put(entries[1]) { _ in false } === entries[0])
    #expect(table.put(entries[2]) { $0 === entries[0] } == nil)
    #expect(table.find(ObjectIdentifier(key))?.takeUnretainedValue() === entries[2])
    #expect(table.insert(entries[1]) === entries[2])
  }

  @Test func `concurrent insertions of a key get the same entry`() async {
    let table = CacheTable()
    defer { table.destroy() }
    let keys = (0..<200).map { _ in Key() }
    for key in keys {
      let winners = await withTaskGroup(of: ObjectIdentifier.self) { group in
        for number in 0..<4 {
          group.addTask {
            let entry = CachedValue(
              number, key: ObjectIdentifier(key), source: .context(firstReadAt: .here))
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
