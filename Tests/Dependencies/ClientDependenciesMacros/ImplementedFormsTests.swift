import ClientDependenciesMacros
import Testing

/// Calls implemented endpoints of every form, through their methods and through their closures.
@Suite struct ImplementedFormsTests {
  private var forms = Forms(count: 4, note: "n")

  @Test mutating func `a method passes its arguments to the closure in order`() async throws {
    forms.labelled = { $0 - $1 }
    #expect(try forms.labelled(first: 5, second: 3) == 2)
    #expect(try forms.labelled(5, 3) == 2)
    forms.mixed = { $0 * $1 }
    #expect(try await forms.mixed(5, named: 3) == 15)
  }

  @Test mutating func `a method can be referenced by its argument labels`() throws {
    forms.labelled = { $0 - $1 }
    let byLabels = forms.labelled(first:second:)
    #expect(try byLabels(5, 3) == 2)
    let byName = forms.labelled
    #expect(try byName(5, 3) == 2)
    forms.given = { "\($0)" }
    #expect([1, 2].map(forms.given(value:)) == ["1", "2"])
    #expect([1, 2].map(forms.given) == ["1", "2"])
  }

  @Test mutating func `inout arguments are changed by the implementation`() throws {
    forms.changing = { $0 += $1 }
    var number = 1
    try forms.changing(value: &number, by: 2)
    #expect(number == 3)
  }

  @Test mutating func `an autoclosure argument is evaluated when the implementation calls it`()
    throws
  {
    var evaluations = 0
    func evaluated() -> Int {
      evaluations += 1
      return evaluations
    }
    forms.lazily = { _ in 0 }
    #expect(try forms.lazily(value: evaluated()) == 0)
    #expect(evaluations == 0)
    forms.lazily = { $0() }
    #expect(try forms.lazily(value: evaluated()) == 1)
  }

  @Test mutating func `arguments and results marked sending are passed on`() throws {
    forms.sending = { box in
      box.value += 1
      return box
    }
    #expect(try forms.sending(box: Box(1)).value == 2)
  }

  @Test mutating func `a trailing closure is passed on`() async {
    forms.callback = { $0(3) }
    await confirmation { called in
      forms.callback { number in
        #expect(number == 3)
        called()
      }
    }
  }

  @Test @MainActor func `a client's properties have the values from its initializer`() {
    #expect(forms.count == 4)
    #expect(forms.note == "n")
    #expect(forms.computed == 5)
    #expect(Forms().count == 0)
    #expect(Forms().note == nil)
  }
}
