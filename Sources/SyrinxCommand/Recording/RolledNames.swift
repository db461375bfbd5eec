import FoundationEssentials

/// The files beside `file` that a recording into it could go on in, of those that exist.
///
/// - Parameter hasLimit: whether the files have a length or a size, so that `%d` is a number.
func rolledFiles(of file: String, hasLimit: Bool) -> [String] {
  let url = URL(filePath: file)
  let folder = url.deletingLastPathComponent()
  let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
  return names.filter { isRolledName($0, of: url.lastPathComponent, hasLimit: hasLimit) }
    .map { folder.appending(path: $0).path }
}

/// The first place in a file's name that looks like one for a date, as in `%Y`; nil where there is
/// none.
func unknownPlace(in file: String) -> Substring? {
  let name = file.split(separator: "/").last ?? ""
  return name.matches(of: /%[-_0^#]?[0-9]*[A-Za-z]/).map(\.output)
    .first { $0.wholeMatch(of: /%0?[0-9]?d/) == nil }
}

/// Whether `name` is `file` with a number: in the place of `%d`, or of three digits and more before
/// the extension.
private func isRolledName(_ name: String, of file: String, hasLimit: Bool) -> Bool {
  if hasLimit, let place = file.firstRange(of: /%0?[0-9]?d/) {
    let (start, end) = (file[..<place.lowerBound], file[place.upperBound...])
    return name.hasNumber(between: start, and: end, digits: 1)
  }
  let dot = file.lastIndex(of: ".") ?? file.endIndex
  return name.hasNumber(between: file[..<dot] + "-", and: file[dot...], digits: 3)
}

extension String {
  fileprivate func hasNumber(
    between start: Substring, and end: Substring, digits: Int
  ) -> Bool {
    guard hasPrefix(start), hasSuffix(end), count >= start.count + digits + end.count else {
      return false
    }
    return dropFirst(start.count).dropLast(end.count).allSatisfy { "0"..."9" ~= $0 }
  }
}
