/// A file of the package: its path from the package's root, and its text.
struct SourceFile: Equatable {
  var path: String
  var text: String

  /// The folder in `Sources` that holds the file.
  var target: String? {
    let parts = path.split(separator: "/")
    return parts.count > 2 && parts[0] == "Sources" ? String(parts[1]) : nil
  }

  var name: String { String(path.split(separator: "/").last ?? "") }
}

/// A rule that a file or target breaks.
enum ImportViolation: Hashable, CustomStringConvertible {
  case forbiddenImport(String, path: String)
  case unknownTarget(String)
  case cModuleWithoutOwner(String)
  case cModuleNotImported(String, owner: String)

  var description: String {
    switch self {
    case .forbiddenImport(let module, let path):
      "\(path) imports \(module), which ImportRules does not allow its target"
    case .unknownTarget(let target):
      "Sources/\(target) is not in ImportRules: say what it may import"
    case .cModuleWithoutOwner(let module):
      "the C module \(module) has no owner in ImportRules: name the one target that imports it"
    case .cModuleNotImported(let module, let owner):
      "\(owner) owns the C module \(module) and does not import it"
    }
  }
}

/// Holds the files of a package against the rules.
struct ImportChecker {
  var rules: ImportRules

  /// - Parameter files: the Swift files and module maps below `Sources`.
  func violations(in files: [SourceFile]) -> Set<ImportViolation> {
    let cModules = Set(files.filter { $0.name == "module.modulemap" }.compactMap(\.target))
    let swiftFiles = files.filter { $0.path.hasSuffix(".swift") }
    return Set(swiftFiles.flatMap(violations))
      .union(cModules.flatMap { violations(ofCModule: $0, importedBy: swiftFiles) })
  }

  private func violations(in file: SourceFile) -> [ImportViolation] {
    guard let target = file.target else { return [] }
    guard let allowed = rules.allowed[target] else { return [.unknownTarget(target)] }
    return ImportScanner.modules(in: file.text)
      .subtracting(allowed).subtracting(rules.forEverybody)
      .map { .forbiddenImport($0, path: file.path) }
  }

  /// The allowed imports, which `ImportRulesTests` check, ensure that no other target imports it.
  private func violations(
    ofCModule module: String, importedBy files: [SourceFile]
  ) -> [ImportViolation] {
    guard let owner = rules.owners[module] else { return [.cModuleWithoutOwner(module)] }
    let owners = files.filter { $0.target == owner }
    let isImported = owners.contains { ImportScanner.modules(in: $0.text).contains(module) }
    return owners.isEmpty || isImported ? [] : [.cModuleNotImported(module, owner: owner)]
  }
}
