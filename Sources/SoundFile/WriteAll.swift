import AudioThreads

/// Writes every byte of a part of a buffer to a descriptor; 0, or the `errno` of the failure.
func writeAll(_ bytes: Slice<UnsafeRawBufferPointer>, to descriptor: Int32) -> Int32 {
  writeAll(UnsafeRawBufferPointer(rebasing: bytes), to: descriptor)
}

/// The same for an array, whose writer may come to be in a hurry.
func writeAll(_ bytes: [UInt8], to descriptor: Int32, hurry: WakeUp? = nil) -> Int32 {
  bytes.withUnsafeBytes { writeAll($0, to: descriptor, hurry: hurry) }
}
