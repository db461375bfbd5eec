package import FilePaths
import Glibc

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
      .compactMap { (name: String) in dlopen(name, RTLD_NOW | RTLD_LOCAL) }.first
    // A C function's value is its address, which is what dlsym gives.
    guard let library,
      let algorithm = dlsym(library, "EVP_sha256").map({ unsafeBitCast($0, to: GetAlgorithm.self) }
      ),
      let digest = dlsym(library, "EVP_Digest").map({ unsafeBitCast($0, to: Digest.self) })
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
