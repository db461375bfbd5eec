/// The first place in a file's name that looks like one for a date, as in `%Y`; nil where there is
/// none.
func unknownPlace(in file: String) -> Substring? {
  let name = file.split(separator: "/").last ?? ""
  return name.matches(of: /%[-_0^#]?[0-9]*[A-Za-z]/).map(\.output)
    .first { $0.wholeMatch(of: /%0?[0-9]?d/) == nil }
}
