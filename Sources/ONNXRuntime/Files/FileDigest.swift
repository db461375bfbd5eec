package import FilePaths

/// SHA-256 of files, by OpenSSL's libcrypto.
///
/// It is loaded at run time, because only files that changed after their installation need it.
package enum FileDigest {
  private typealias GetAlgorithm = @convention(c) () -> OpaquePointer?
  private typealias Digest =
    @convention(c) (
      UnsafeRawPointer?, Int, UnsafeMutablePointer<UInt8>, UnsafeMutablePointer<UInt32>?,
      OpaquePointer?, OpaquePointer?
    ) -> Int32

  /// The digest of the whole file in hexadecimal digits; the corresponding C function is
  /// `EVP_Digest`.
  package static func sha256(of path: FilePath) throws(ONNXError) -> String {
    let file = try MappedFile(path)
    let library = ["libcrypto.so.3", "libcrypto.so.1.1", "libcrypto.so"].lazy
      .compactMap { (name: FilePath) in try? LoadedLibrary(name) }.first
    guard let library, let algorithm: GetAlgorithm = library.optional("EVP_sha256"),
      let digest: Digest = library.optional("EVP_Digest")
    else {
      throw .fileUncheckable(
        path: path, reason: "its SHA-256 needs libcrypto, which is not installed; install libssl3")
    }
    var result = [UInt8](repeating: 0, count: 32)
    guard
      digest(file.bytes.baseAddress, file.bytes.count, &result, nil, algorithm(), nil) == 1
    else { throw .failed(reason: "libcrypto cannot compute the SHA-256 of \(path)") }
    return result.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
