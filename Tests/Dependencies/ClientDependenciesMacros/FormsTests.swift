import ClientDependenciesMacros
import Testing

/// Calls unimplemented endpoints of every form.
@Suite struct FormsTests {
  private let forms = Forms()

  @Test func `an unimplemented throwing function throws an error that names the function`() async {
    expectUnimplemented("Forms.unlabelled") {
      #expect(throws: Unimplemented("Forms.unlabelled")) { try forms.unlabelled(1) }
    }
    expectUnimplemented("Forms.labelled") {
      #expect(throws: Unimplemented.self) { try forms.labelled(first: 1, second: 2) }
    }
    await expectUnimplemented("Forms.mixed") {
      await #expect(throws: Unimplemented.self) { try await forms.mixed(1, named: 2) }
    }
    expectUnimplemented("Forms.anyError") {
      #expect(throws: Unimplemented.self) { try forms.anyError(id: 1) }
    }
  }

  @Test func `an unimplemented function without a result simply returns`() {
    expectUnimplemented("Forms.nothing") { forms.nothing() }
    expectUnimplemented("Forms.emptyTuple") { forms.emptyTuple(note: "") }
    expectUnimplemented("Forms.closureFirst") { forms.closureFirst(id: 1) }
    expectUnimplemented("Forms.callback") { forms.callback { _ in } }
  }

  @Test func `a function with an optional result returns nil`() {
    expectUnimplemented("Forms.optional") { #expect(forms.optional(id: 1) == nil) }
    expectUnimplemented("Forms.writtenOutOptional") { #expect(forms.writtenOutOptional() == nil) }
    expectUnimplemented("Forms.neverThrows") { #expect(forms.neverThrows(id: 1) == nil) }
  }

  @Test func `an unimplemented endpoint returns the result of its default`() {
    expectUnimplemented("Forms.given") { #expect(forms.given(value: 1) == "given") }
    expectUnimplemented("Forms.severalLines") { #expect(forms.severalLines(value: 2) == [2, 4]) }
    expectUnimplemented("Forms.tuple") { #expect(forms.tuple() == (1, name: "one")) }
  }

  @Test func `inout, borrowing, consuming, sending, and autoclosure parameters are passed on`() {
    var number = 1
    expectUnimplemented("Forms.changing") { try? forms.changing(value: &number, by: 2) }
    expectUnimplemented("Forms.borrowing") { _ = try? forms.borrowing(value: "a") }
    expectUnimplemented("Forms.consuming") { _ = try? forms.consuming(value: "a") }
    expectUnimplemented("Forms.sending") { _ = try? forms.sending(box: Box(1)) }
    expectUnimplemented("Forms.lazily") { _ = try? forms.lazily(value: 1) }
    expectUnimplemented("Forms.takesTuple") { _ = try? forms.takesTuple(pair: (1, 2)) }
    expectUnimplemented("Forms.default") { _ = try? forms.default(in: 1) }
    expectUnimplemented("Forms.inParentheses") { _ = try? forms.inParentheses(id: 1) }
    expectUnimplemented("Forms.nested") { _ = try? forms.nested(nested: Forms.Nested()) }
  }

  @Test @MainActor func `functions isolated to the main actor are called on the main actor`() async
  {
    expectUnimplemented("Forms.onMain") { #expect(forms.onMain(value: 1) == 0) }
    await expectUnimplemented("Forms.onMainLater") { _ = try? await forms.onMainLater() }
    await expectUnimplemented("Forms.inCallersActor") {
      _ = try? await forms.inCallersActor(value: 1)
    }
  }

  @Test func `an endpoint's method can have another name and be overloaded`() {
    expectUnimplemented("Forms.findByID") { _ = try? forms.find(id: 1) }
    expectUnimplemented("Forms.findByName") { _ = try? forms.find(name: "a") }
    expectUnimplemented("Forms.unnamed") { _ = try? forms.renamed(1) }
  }

  @Test func `an ignored endpoint is an ordinary property`() {
    #expect(forms.ignored() == 7)
    #expect(forms.context == .test)
  }
}
