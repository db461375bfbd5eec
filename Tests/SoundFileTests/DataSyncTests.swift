import AudioCore
import Foundation
import Testing

@testable import SoundFile

@Suite struct DataSyncTests {
  @Test func `requests are carried out and the end waits for them`() throws {
    let folder = try TestFolder()
    let file = try GrowingFile(path: folder.file("a").path)
    let sync = try DataSync(file.descriptor)
    for _ in 0..<100 {
      _ = withUnsafeBytes(of: UInt64(1)) { file.append($0) }
      sync.request()
    }
    sync.end()
    #expect(sync.failureCode == 0)
  }

  @Test func `a failure is kept for who asks`() throws {
    let sync = try DataSync(Descriptor(owning: -1))
    sync.request()
    while sync.failureCode == 0 { sched_yield() }
    sync.end()
    #expect(sync.failureCode == EBADF)
  }

  @Test func `an end without a request ends, also the second time`() throws {
    let sync = try DataSync(Descriptor(owning: -1))
    sync.end()
    sync.end()
  }
}
