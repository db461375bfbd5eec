import CustomDump

extension Reducer {
  /// Prints each action and the change of the state that follows from it, in debug builds only.
  ///
  /// - Parameter print: takes the text; by default it goes to standard output.
  public func _printChanges(
    to print: @escaping (String) -> Void = { Swift.print($0) }
  ) -> some ReducerOf<Self> {
    #if DEBUG
    let base = prepared()
    return Reduce<State, Action> { state, action in
      let before = state
      let effect = base.reduce(into: &state, action: action)
      var text = "received action:\n"
      customDump(action, to: &text, indent: 2)
      text += "\n" + (diff(before, state) ?? "  (no change of the state)") + "\n"
      print(text)
      return effect
    }
    #else
    self
    #endif
  }
}
