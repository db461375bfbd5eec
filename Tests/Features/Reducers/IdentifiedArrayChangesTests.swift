import Foundation
import Reducers
import Testing

@Suite struct IdentifiedArrayChangesTests {
  private struct Item: Identifiable, Comparable {
    let id: Int
    var rank: Int

    static func < (item: Self, other: Self) -> Bool { item.rank < other.rank }
  }

  /// The same numbers in each run.
  private struct Numbers: RandomNumberGenerator {
    private var last: UInt64 = 1

    mutating func next() -> UInt64 {
      last = last &* 6_364_136_223_846_793_005 &+ 1
      return last
    }
  }

  private let items: IdentifiedArrayOf<Item> = [
    Item(id: 1, rank: 30), Item(id: 2, rank: 10), Item(id: 3, rank: 40), Item(id: 4, rank: 20),
  ]

  /// Applies a change to an identified array, checks its lookup, and returns the ids.
  private func ids(after change: (inout IdentifiedArrayOf<Item>) -> Void) -> [Int] {
    var items = items
    change(&items)
    #expect(items.ids.elementsEqual(items.map(\.id)))
    for (index, item) in items.enumerated() {
      #expect(items.index(id: item.id) == index)
      #expect(items[id: item.id] == item)
    }
    return items.map(\.id)
  }

  @Test func `elements are removed at both ends, in ranges, by offsets, and by their ids`() {
    #expect(ids { $0.removeFirst() } == [2, 3, 4])
    #expect(ids { $0.removeFirst(3) } == [4])
    #expect(ids { $0.removeLast() } == [1, 2, 3])
    #expect(ids { $0.removeLast(3) } == [1])
    #expect(ids { $0.removeSubrange(1..<3) } == [1, 4])
    #expect(ids { $0.removeSubrange(2...) } == [1, 2])
    #expect(ids { $0.remove(atOffsets: [0, 2, 3]) } == [2])
    #expect(ids { $0.remove(atOffsets: []) } == [1, 2, 3, 4])
    #expect(ids { $0.remove(Item(id: 3, rank: 0)) } == [1, 2, 4])
    #expect(ids { _ = $0.popLast() } == [1, 2, 3])
    #expect(ids { $0.removeAll(keepingCapacity: true) } == [])
  }

  @Test func `move(fromOffsets:toOffset:) keeps the order of the moved elements`() {
    #expect(ids { $0.move(fromOffsets: [0, 2], toOffset: 0) } == [1, 3, 2, 4])
    #expect(ids { $0.move(fromOffsets: [0, 2], toOffset: 2) } == [2, 1, 3, 4])
    #expect(ids { $0.move(fromOffsets: [0, 2], toOffset: 4) } == [2, 4, 1, 3])
    #expect(ids { $0.move(fromOffsets: [3], toOffset: 1) } == [1, 4, 2, 3])
  }

  @Test func `the order changes by swaps, reversal, partition, sorting, and shuffling`() {
    #expect(ids { $0.swapAt(0, 3) } == [4, 2, 3, 1])
    #expect(ids { $0.reverse() } == [4, 3, 2, 1])
    #expect(ids { $0.sort() } == [2, 4, 1, 3])
    #expect(ids { $0.sort(using: KeyPathComparator(\.rank, order: .reverse)) } == [3, 1, 4, 2])
    var numbers = Numbers()
    #expect(ids { $0.shuffle(using: &numbers) }.sorted() == [1, 2, 3, 4])
    let partitioned = ids { items in
      #expect(items.partition { $0.rank > 25 } == 2)
    }
    #expect(Set(partitioned[..<2]) == [2, 4])
  }

  @Test func `appended and joined elements are added, except those with used ids`() {
    let more = [Item(id: 2, rank: 0), Item(id: 5, rank: 50), Item(id: 5, rank: 60)]
    #expect(ids { $0.append(contentsOf: more) } == [1, 2, 3, 4, 5])
    #expect(ids { $0 += more } == [1, 2, 3, 4, 5])
    var joined = items
    joined += more
    #expect(joined[id: 2]?.rank == 10)
    #expect(joined[id: 5]?.rank == 50)
  }

  @Test func `replaceSubrange and insert(contentsOf:) put elements at the given indices`() {
    #expect(ids { $0.replaceSubrange(1..<3, with: [Item(id: 7, rank: 0)]) } == [1, 7, 4])
    let new = [Item(id: 8, rank: 0), Item(id: 9, rank: 0)]
    #expect(ids { $0.insert(contentsOf: new, at: 1) } == [1, 8, 9, 2, 3, 4])
  }

  @Test func `an element is updated where it is, and inserted if it is new`() {
    var items = items
    #expect(items.update(Item(id: 2, rank: 11), at: 1).rank == 10)
    #expect(items.updateOrInsert(Item(id: 2, rank: 12), at: 0) == (Item(id: 2, rank: 11), 1))
    #expect(items.updateOrInsert(Item(id: 6, rank: 60), at: 0) == (nil, 0))
    #expect(items.ids == [6, 1, 2, 3, 4])
    withKnownIssue {
      items.update(Item(id: 9, rank: 0), at: 1)
    } matching: {
      "\($0)".contains("an element with the id 9 cannot replace the one with the id 1")
    }
    #expect(items.ids == [6, 1, 2, 3, 4])
  }

  @Test
  func `assigning to an index moves an element whose ID is in use, or replaces the old element`() {
    #expect(ids { $0[0] = Item(id: 3, rank: 0) } == [3, 1, 2, 4])
    #expect(ids { $0[3] = Item(id: 1, rank: 0) } == [2, 3, 4, 1])
    #expect(ids { $0[1] = Item(id: 9, rank: 0) } == [1, 9, 3, 4])
    var items = items
    items[1] = Item(id: 2, rank: 99)
    #expect(items.map(\.rank) == [30, 99, 40, 20])
  }

  @Test func `reading with a default stores nothing, and changing the default value stores it`() {
    var items = items
    #expect(items[id: 5, default: Item(id: 5, rank: 1)].rank == 1)
    #expect(items.ids == [1, 2, 3, 4])
    items[id: 5, default: Item(id: 5, rank: 1)].rank += 1
    items[id: 1, default: Item(id: 1, rank: 1)].rank += 1
    #expect(items.map(\.rank) == [31, 10, 40, 20, 2])
  }

  @Test func `filter returns an identified array, and contains(_:) compares only IDs`() {
    let large: IdentifiedArrayOf<Item> = items.filter { $0.rank > 25 }
    #expect(large.ids == [1, 3])
    #expect(large.contains(Item(id: 3, rank: 0)))
    #expect(!large.contains(Item(id: 2, rank: 10)))
  }

  @Test func `an array can be made from a slice, with an ID key path, or by combining equal IDs`() {
    #expect(IdentifiedArray(items[1..<3]).ids == [2, 3])
    #expect(IdentifiedArray(uncheckedUniqueElements: items) == items)
    var words = IdentifiedArray(id: \String.count)
    words.append(contentsOf: ["a", "bb", "c"])
    #expect(words.elements == ["a", "bb"])
    #expect(words.filter { $0 > "a" }.elements == ["bb"])
    let longest = IdentifiedArray(["a", "bb", "c"], id: \.count) { $0 + $1 }
    #expect(longest.elements == ["ac", "bb"])
    let sums = IdentifiedArray([Item(id: 1, rank: 1), Item(id: 1, rank: 2)]) {
      Item(id: $0.id, rank: $0.rank + $1.rank)
    }
    #expect(sums.map(\.rank) == [3])
  }

  @Test func `mirrors and descriptions show an identified array as its elements`() {
    let names: IdentifiedArrayOf<Identified<Int, String>> = [Identified("a", id: 1)]
    #expect(Mirror(reflecting: names).displayStyle == .collection)
    #expect(Mirror(reflecting: names).children.map(\.label) == [nil])
    let words = IdentifiedArray(uniqueElements: ["a", "b"], id: \.self)
    #expect(words.description == #"["a", "b"]"#)
    #expect(words.debugDescription == #"IdentifiedArray<String>(["a", "b"])"#)
  }

  @Test func `an identified value has the given ID, and its properties are those of the value`() {
    var item = Identified(Item(id: 1, rank: 2), id: "one")
    item.rank = 5
    #expect(item.id == "one")
    #expect(item.value.rank == 5)
    #expect(Identified("abc", id: \.count).id == 3)
    #expect(Identified("abc") { $0.uppercased() }.id == "ABC")
  }
}
