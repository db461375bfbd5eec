import CLinux

/// Lets what C libraries print go nowhere: libsndfile prints what is wrong in a file, between the
/// lines of a program whose output others read.
///
/// From then on C's `stdout` leads to `/dev/null`, and with it Swift's `print`; descriptor 1 stays
/// what it is. To be called where nobody else prints, at the start of a program.
public func discardLibraryOutput() {
  syrinx_discard_stdout()
}
