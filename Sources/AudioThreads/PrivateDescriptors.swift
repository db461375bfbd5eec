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

/// A file that no program inherits, and that has no name: it goes when the descriptor does; negative
/// where the system refuses it, and `errno` says why.
///
/// The corresponding C functions are `mkostemp` and `unlink`.
package func makePrivateFile(in folder: String) -> Int32 {
  var name = Array("\(folder)/syrinx-XXXXXX".utf8CString)
  let descriptor = mkostemp(&name, O_CLOEXEC)
  if descriptor >= 0 { unlink(name) }
  return descriptor
}
