import Reducers
import Testing

@Suite struct CasePathTests {
  @Test func `a case key path embeds and extracts through nested cases`() {
    let path = AnyCasePath<Parent.Action, Counter.Action>(\.rows[id: 3])
    #expect(path.embed(.increment) == .rows(.element(id: 3, action: .increment)))
    #expect(path.extract(.rows(.element(id: 3, action: .tick))) == .tick)
    #expect(path.extract(.rows(.element(id: 4, action: .tick))) == nil)
    #expect(path.extract(.clear) == nil)
  }

  @Test func `case paths of the presented action are available on the presentation action`() {
    let path = AnyCasePath<Parent.Action, Counter.Action>(\.sheet.presented)
    #expect(path.extract(.sheet(.presented(.increment))) == .increment)
    #expect(path.extract(.sheet(.dismiss)) == nil)
    #expect(Parent.Action.sheet(.dismiss).is(\.sheet.dismiss))
  }

  @Test func `is(_:), the case subscript, and modify affect only a matching case`() {
    var action = Parent.Action.child(.add(1))
    #expect(action.is(\.child))
    #expect(!action.is(\.optional))
    #expect(action[case: \.child] == .add(1))
    action[case: \.optional] = .increment
    #expect(action == .child(.add(1)))
    action.modify(\.child) { $0 = .add(2) }
    #expect(action == .child(.add(2)))
  }

  @Test func `modify on a different case reports an issue and changes nothing`() {
    var action = Parent.Action.clear
    withKnownIssue {
      action.modify(\.child) { $0 = .increment }
    } matching: {
      "\($0)".contains("modify(\\.child): the value is another case, Action.clear")
    }
    #expect(action == .clear)
  }
}
