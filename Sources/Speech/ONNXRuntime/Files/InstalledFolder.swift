import AudioThreads
package import FilePaths
import FoundationEssentials
import Glibc

/// A folder with the files of a component: an installed folder with a manifest, or the user's own
/// folder, which is never changed.
///
/// Only the folder's owner and the administrator may have permission to change the folder.
package struct InstalledFolder: Sendable {
  /// The content of a manifest.
  package struct Manifest: Codable, Equatable, Sendable {
    package struct File: Codable, Equatable, Sendable {
      package let name: String
      package let bytes: Int
      package let sha256: String
      /// The modification time of the file, in nanoseconds since 1970.
      package let modified: Int?
    }

    package let component: String
    package let version: String
    package let files: [File]
  }

  package static let manifestName = "manifest.json"

  package let path: FilePath
  /// The manifest; nil for the user's own folder.
  package let manifest: Manifest?

  /// Checks a folder, and reads its manifest.
  ///
  /// A folder among the installed components must have a manifest; `environment` determines the
  /// folder of the installed components.
  ///
  /// - Throws: `.fileMissing`, `.fileUnsafe`; `.fileDamaged` for the manifest.
  package init(
    _ path: FilePath, environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(ONNXError) {
    self.path = path
    _ = try Self.trustedStatus(of: path)
    let manifest = path.appending(FilePath(Self.manifestName))
    let isInstalled = path.folder == Self.root(environment: environment)
    self.manifest = isInstalled || manifest.status != nil ? try Self.read(manifest) : nil
  }

  private static let longestManifest = 1_048_576

  private static func read(_ path: FilePath) throws(ONNXError) -> Manifest {
    _ = try trustedFile(path)
    do {
      let bytes = try path.contents(atMost: longestManifest)
      guard bytes.count <= longestManifest else {
        throw ONNXError.fileDamaged(path: path, reason: "it is too long for a manifest")
      }
      let manifest = try JSONDecoder().decode(Manifest.self, from: Data(bytes))
      guard manifest.files.allSatisfy({ !$0.name.contains("/") && $0.bytes >= 0 }) else {
        throw ONNXError.fileDamaged(path: path, reason: "it names files outside its folder")
      }
      return manifest
    } catch let error as FilePathError {
      throw ONNXError(code: error.code, path: path)
    } catch let error as ONNXError {
      throw error
    } catch {
      throw .fileDamaged(path: path, reason: "it is not a manifest")
    }
  }

  /// Whether the component contains a file of this name, according to its manifest if it has one.
  package func has(_ name: String) -> Bool {
    guard let manifest else { return path.appending(FilePath(name)).status != nil }
    return manifest.files.contains { $0.name == name }
  }

  /// Returns the path of a file after comparing its size and date with the manifest.
  ///
  /// If only the date differs, this verifies the digest of the whole file.
  ///
  /// - Throws: `.fileMissing`, `.fileUnsafe`, `.fileDamaged`, `.fileUnreadable`; `.fileUncheckable`
  ///   or `.failed` if the digest cannot be computed.
  package func file(_ name: String) throws(ONNXError) -> FilePath {
    let file = path.appending(FilePath(name))
    let status = try Self.trustedFile(file)
    guard let manifest else { return file }
    guard let recorded = manifest.files.first(where: { $0.name == name }) else {
      throw .fileDamaged(
        path: path.appending(FilePath(Self.manifestName)), reason: "it does not list \(name)")
    }
    guard status.st_size == recorded.bytes else {
      throw .fileDamaged(
        path: file, reason: "it has \(status.st_size) bytes instead of \(recorded.bytes)")
    }
    if status.modified != recorded.modified { try recorded.verify(file) }
    return file
  }

  /// Reads every file in the manifest, and compares its digest with the recorded digest.
  ///
  /// - Throws: the same errors as `file`, for the first file that differs.
  package func verify() throws(ONNXError) {
    for recorded in manifest?.files ?? [] { try recorded.verify(file(recorded.name)) }
  }

  /// Returns the status of a regular file that no other user can change; throws for a pipe, because
  /// opening it would block.
  private static func trustedFile(_ path: FilePath) throws(ONNXError) -> stat {
    let status = try trustedStatus(of: path)
    guard status.isRegularFile else {
      throw .fileDamaged(path: path, reason: "it is not a regular file")
    }
    return status
  }

  /// Returns the status of a file or folder that no other user can change.
  private static func trustedStatus(of path: FilePath) throws(ONNXError) -> stat {
    guard let status = path.status else { throw ONNXError(code: errno, path: path) }
    let isOurs = status.st_uid == geteuid()
    if status.st_mode & S_IWOTH != 0 {
      throw .fileUnsafe(path: path, reason: "every user may change it")
    }
    if status.st_mode & S_IWGRP != 0 && !isOurs {
      throw .fileUnsafe(path: path, reason: "user \(status.st_uid)'s group may change it")
    }
    return status
  }
}

extension InstalledFolder {
  /// Writes the manifest of a folder's files, and replaces an earlier manifest atomically.
  package static func record(
    _ path: FilePath, component: String, version: String, files names: [String]
  ) throws(ONNXError) {
    let files = try names.map { name throws(ONNXError) in
      try Manifest.File(name, in: path)
    }
    let manifest = Manifest(component: component, version: version, files: files)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    let name = path.appending(FilePath(manifestName))
    do {
      try Data(encoder.encode(manifest)).replace(name)
    } catch let error as FilePathError {
      throw ONNXError(code: error.code, path: name)
    } catch {
      throw .failed(reason: "the manifest \(name) cannot be written: \(error)")
    }
  }

  /// Returns the folder of installed components: `syrinx` in `XDG_DATA_HOME`, or in
  /// `~/.local/share`.
  package static func root(
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> FilePath? {
    // The XDG specification requires ignoring a relative path.
    let data = environment.nonEmpty("XDG_DATA_HOME").map { FilePath($0) }
    let home = FilePath.home(environment["HOME"])?.appending(".local/share")
    return [data, home].compactMap(\.self).first(where: \.isAbsolute)?.appending("syrinx")
  }

  /// Returns the installed components whose names begin with a prefix, in alphabetical order.
  package static func installed(
    named prefix: String, environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> [FilePath] {
    root(environment: environment).map { components(in: $0, named: prefix) } ?? []
  }

  /// Returns a folder that contains components with this name prefix, other than the folder in use.
  ///
  /// The candidates are the registered home folder, if `HOME` names another folder, and the folders
  /// for all users: those in `XDG_DATA_DIRS`, or else `/usr/local/share`, `/usr/share`, and the
  /// home of the system's service, `/var/lib/syrinx`.
  ///
  /// If only `XDG_DATA_HOME` is set, the registered home folder is not searched, because the user
  /// chose another folder.
  package static func otherRoot(
    having prefix: String, environment: [String: String] = ProcessInfo.processInfo.environment,
    registeredHome: FilePath? = FilePath.registeredHome
  ) -> FilePath? {
    let isHidden = FilePath.home(environment["HOME"]) != registeredHome
    let own = isHidden ? registeredHome?.appending(".local/share") : nil
    let shared =
      environment.nonEmpty("XDG_DATA_DIRS") ?? "/usr/local/share:/usr/share:/var/lib/syrinx"
    let used = root(environment: environment)
    return ([own].compactMap(\.self) + shared.split(separator: ":").map { FilePath(String($0)) })
      .filter(\.isAbsolute).map { $0.appending("syrinx") }
      .first { $0 != used && !components(in: $0, named: prefix).isEmpty }
  }

  private static func components(in root: FilePath, named prefix: String) -> [FilePath] {
    (root.names ?? []).map(\.text).filter { $0.hasPrefix(prefix) }.sorted()
      .map { root.appending(FilePath($0)) }
  }
}

extension InstalledFolder.Manifest.File {
  /// Creates the manifest's record of a file.
  fileprivate init(_ name: String, in folder: FilePath) throws(ONNXError) {
    let path = folder.appending(FilePath(name))
    guard let status = path.status else { throw ONNXError(code: errno, path: path) }
    (self.name, bytes, modified) = (name, Int(status.st_size), status.modified)
    sha256 = try path.sha256()
  }

  /// Compares the digest of the whole file with the recorded digest.
  fileprivate func verify(_ path: FilePath) throws(ONNXError) {
    if try path.sha256() != sha256 {
      throw .fileDamaged(path: path, reason: "its SHA-256 differs from the recorded one")
    }
  }
}

extension stat {
  /// The modification time of the file, in nanoseconds since 1970.
  ///
  /// A date after 2262 wraps around, which does not affect comparisons.
  fileprivate var modified: Int { st_mtim.tv_sec &* 1_000_000_000 &+ st_mtim.tv_nsec }
}

extension Data {
  /// Writes a new file and moves it into place.
  fileprivate func replace(_ path: FilePath) throws(FilePathError) {
    let temporary = FilePath(bytes: path.bytes + Array(".new".utf8))
    temporary.remove()
    let file = temporary.withCString { open($0, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644) }
    guard file >= 0 else { throw FilePathError(code: errno) }
    defer { close(file) }
    let code = withUnsafeBytes { writeAll($0, to: file) }
    guard code == 0 else { throw FilePathError(code: code) }
    try temporary.move(to: path)
  }
}

extension FilePath {
  private typealias GetAlgorithm = @convention(c) () -> OpaquePointer?
  private typealias Digest =
    @convention(c) (
      UnsafeRawPointer?, Int, UnsafeMutablePointer<UInt8>, UnsafeMutablePointer<UInt32>?,
      OpaquePointer?, OpaquePointer?
    ) -> Int32

  /// Returns the SHA-256 of the whole file in hexadecimal digits.
  ///
  /// OpenSSL's libcrypto is loaded at run time, because recognition needs it only for files that
  /// changed after their installation. The corresponding C function is `EVP_Digest`.
  package func sha256() throws(ONNXError) -> String {
    let file = try MappedFile(component: self)
    let library = ["libcrypto.so.3", "libcrypto.so.1.1", "libcrypto.so"].lazy
      .compactMap { (name: FilePath) in try? LoadedLibrary(name) }.first
    guard let library, let algorithm: GetAlgorithm = library.optional("EVP_sha256"),
      let digest: Digest = library.optional("EVP_Digest")
    else {
      throw .fileUncheckable(
        path: self, reason: "its SHA-256 needs libcrypto, which is not installed; install libssl3")
    }
    var result = [UInt8](repeating: 0, count: 32)
    guard
      digest(file.bytes.baseAddress, file.bytes.count, &result, nil, algorithm(), nil) == 1
    else { throw .failed(reason: "libcrypto cannot compute the SHA-256 of \(self)") }
    return result.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
