import CALSA
import Glibc

/// The owner of a set of hardware parameters.
struct HardwareParameters: ~Copyable {
  let pointer: OpaquePointer

  /// Allocates a set; nil without memory.
  init?() {
    var pointer: OpaquePointer?
    guard snd_pcm_hw_params_malloc(&pointer) == 0, let pointer else { return nil }
    self.pointer = pointer
  }

  deinit { snd_pcm_hw_params_free(pointer) }

  /// Returns a copy.
  func copy() -> HardwareParameters? {
    guard let other = HardwareParameters() else { return nil }
    snd_pcm_hw_params_copy(other.pointer, pointer)
    return other
  }
}

/// The owner of a set of software parameters.
struct SoftwareParameters: ~Copyable {
  let pointer: OpaquePointer

  /// Allocates a set; nil without memory.
  init?() {
    var pointer: OpaquePointer?
    guard snd_pcm_sw_params_malloc(&pointer) == 0, let pointer else { return nil }
    self.pointer = pointer
  }

  deinit { snd_pcm_sw_params_free(pointer) }
}
