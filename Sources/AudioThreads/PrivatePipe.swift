import CLinux
import Glibc

/// A pipe that no program inherits, not even one that another thread starts meanwhile; nil where
/// the system refuses it, and `errno` says why.
///
/// The corresponding C function is `pipe2`.
package func makePrivatePipe() -> (outlet: Int32, inlet: Int32)? {
  var ends: [Int32] = [-1, -1]
  return pipe2(&ends, O_CLOEXEC) == 0 ? (ends[0], ends[1]) : nil
}
