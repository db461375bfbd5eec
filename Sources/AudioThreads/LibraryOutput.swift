import CLinux

/// Discards what C libraries print.
///
/// libsndfile prints diagnostics to standard output, between the program's own lines. This
/// redirects C's `stdout`, and with it Swift's `print`, to `/dev/null`; descriptor 1 is unchanged.
/// Call it at the start of a program, before other threads print.
public func discardLibraryOutput() {
  syrinx_discard_stdout()
}
