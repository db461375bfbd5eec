/// The spelling in PocketSphinx' dictionary, as people want to read it.
enum DictionaryWord {
  /// The word without the number of its pronunciation; nil for silence and noise (`<sil>`,
  /// `[NOISE]`, `++breath++`), and for the nothing that a grammar's repetitions begin and end with
  /// (`(NULL)`).
  ///
  /// A key phrase has a space at its end, where its threshold stood.
  static func text(of entry: String) -> String? {
    let entry = entry.hasSuffix(" ") ? String(entry.dropLast()) : entry
    guard let first = entry.first, !"<[+".contains(first), entry != "(NULL)" else { return nil }
    guard entry.hasSuffix(")"), let open = entry.lastIndex(of: "("), open != entry.startIndex
    else { return entry }
    return String(entry[..<open])
  }
}
