import Foundation
import Reducers
import Testing

@Suite struct IdentifiedArrayTests {
  private struct Row: Identifiable, Codable, Equatable {
    var id: Int
    var name: String
  }

  private let rows: IdentifiedArrayOf<Row> = [
    Row(id: 1, name: "one"), Row(id: 2, name: "two"), Row(id: 3, name: "three"),
  ]

  @Test func `elements are found by id and by index`() {
    #expect(rows[id: 2]?.name == "two")
    #expect(rows[id: 9] == nil)
    #expect(rows[0].name == "one")
    #expect(rows.index(id: 3) == 2)
    #expect(rows.ids == [1, 2, 3])
    #expect(rows.map(\.name) == ["one", "two", "three"])
  }

  @Test
  func `append rejects an element whose id is in use; updateOrAppend replaces the old element`() {
    var rows = rows
    #expect(rows.append(Row(id: 2, name: "again")) == (inserted: false, index: 1))
    #expect(rows[id: 2]?.name == "two")
    #expect(rows.updateOrAppend(Row(id: 2, name: "again"))?.name == "two")
    #expect(rows.ids == [1, 2, 3])
    #expect(rows[1].name == "again")
  }

  @Test func `inserting, moving, sorting, and removing keep each element under its id`() {
    var rows = rows
    rows.insert(Row(id: 4, name: "four"), at: 0)
    rows.move(fromOffsets: [0], toOffset: 4)
    #expect(rows.ids == [1, 2, 3, 4])
    rows.sort { $0.name < $1.name }
    #expect(rows.ids == [4, 1, 3, 2])
    rows[id: 1] = nil
    rows.remove(at: 0)
    rows.removeAll { $0.name == "two" }
    #expect(rows.elements == [Row(id: 3, name: "three")])
    #expect(rows[id: 3]?.name == "three")
  }

  @Test func `a changed id is reported, and the element is found under its new id`() {
    var rows = rows
    withKnownIssue {
      rows[1].id = 7
    } matching: {
      "\($0)".contains("the id of an element changed from 2 to 7")
    }
    #expect(rows.ids == [1, 7, 3])
    #expect(rows[id: 7]?.name == "two")
    withKnownIssue {
      rows[id: 3]?.id = 1
    } matching: {
      "\($0)".contains("the id of an element changed from 3 to 1")
    }
    #expect(rows.ids == [1, 7])
    withKnownIssue {
      rows[id: 1] = Row(id: 5, name: "five")
    } matching: {
      "\($0)".contains("an element with the id 5 cannot replace the one with the id 1")
    }
    #expect(rows[id: 1]?.name == "one")
  }

  @Test func `an identified array is encoded as an array, and equal IDs are a decoding error`()
    throws
  {
    let data = try JSONEncoder().encode(rows)
    #expect(try JSONDecoder().decode([Row].self, from: data) == rows.elements)
    #expect(try JSONDecoder().decode(IdentifiedArrayOf<Row>.self, from: data) == rows)
    let twice = Data(#"[{"id":1,"name":"a"},{"id":1,"name":"b"}]"#.utf8)
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(IdentifiedArrayOf<Row>.self, from: twice)
    }
  }
}
