import AudioCore
import ClientDependencies
import FilePaths
import Foundation
import Glibc
import SoundCard
import Synchronization
import TestTools
import Testing
import VirtualSoundCard

@testable import SyrinxCommand

@Suite(.timeLimit(.minutes(5)))
struct DoctorCommandTests {
  let folder: TestFolder

  init() throws {
    folder = try TestFolder()
  }

  private struct Line: Decodable {
    let check: String
    let state: String
    let detail: String
    let remedy: String?
  }

  @Test
  func `without a sound card, 'doctor' prints a remedy for each failure and has status 1`()
    async throws
  {
    let run = try await BuiltCommand.run(
      "doctor", in: folder, environment: BuiltCommand.withoutSoundCard)
    #expect(run.status == 1)
    let failures = run.outputLines.filter { $0.hasPrefix("failure ") }
    #expect(failures.count == 2, "\(run.output)")
    #expect(failures.allSatisfy { $0.contains("; connect a sound card") })
    #expect(run.error == "syrinx: not working: playing, recording\n")
    #expect(run.outputLines.contains { $0.hasPrefix("ok       recognizing         pocketsphinx") })
  }

  @Test
  func `with --json, each line is an object`() async throws {
    let run = try await BuiltCommand.run(
      "doctor", "--json", in: folder, environment: BuiltCommand.withoutSoundCard)
    let lines = try run.outputLines.map {
      try JSONDecoder().decode(Line.self, from: Data($0.utf8))
    }
    let states = Dictionary(lines.map { ($0.check, $0.state) }) { first, _ in first }
    #expect(states["playing"] == "failure" && states["recording"] == "failure")
    #expect(states["recognizing"] == "ok" && states["latency"] == "note")
    #expect(lines.allSatisfy { $0.state != "failure" || $0.remedy != nil })
  }
}

struct DeviceExaminationTests {
  @Test
  func `devices that can be opened are ok, and the latency is not measured without a loopback`()
    async
  {
    let findings = await withDependencies {
      $0.soundCard = VirtualSoundCard(pace: .untimed).soundCard
    } operation: {
      await DeviceExamination(cardIDs: []).findings()
    }
    #expect(findings.map(\.check) == ["sound server", "playing", "recording", "latency"])
    #expect(findings[1].state == .ok && findings[2].state == .ok)
    #expect(findings[3].remedy?.contains("syrinx doctor --loopback") == true)
  }

  @Test
  func `the latency of connected default devices is measured despite a loopback card`() async {
    let card = VirtualSoundCard(pace: .untimed).soundCard
    let opened = Mutex<[AudioDevice.ID?]>([])
    let findings = await withDependencies {
      $0.soundCard = card
      $0.soundCard.openPlayback = { request in
        opened.withLock { $0.append(request.device) }
        return try await card.openPlayback(request: request)
      }
    } operation: {
      await DeviceExamination(cardIDs: ["Loopback"], isConnected: true).findings()
    }
    #expect(opened.withLock { $0 } == [nil, nil])
    #expect(findings[3].detail.contains("click"))
  }

  @Test
  func `the failure for a busy device contains the program that uses it`() async {
    let holder = DeviceHolder(name: "mpv", processID: 7)
    let findings = await withDependencies {
      $0.soundCard = SoundCard(
        devices: { [] },
        openPlayback: { _ in throw SoundCardError.busy("default", holder: holder) },
        openCapture: { _ in throw SoundCardError.permissionDenied("default") })
    } operation: {
      await DeviceExamination(cardIDs: []).findings()
    }
    #expect(findings[1].state == .failure && findings[1].detail.contains("mpv (process 7)"))
    #expect(findings[1].remedy?.contains("close that program") == true)
    #expect(findings[2].remedy?.contains("usermod -aG audio") == true)
  }
}

struct SystemExaminationTests {
  private let folder: TestFolder
  private var system: SystemExamination

  init() throws {
    folder = try TestFolder()
    system = SystemExamination(root: FilePath(folder.url))
    system.isRoot = false
  }

  @Test
  func `the kernel's cards are listed by name and ID`() throws {
    try write(
      "proc/asound/cards",
      """
       0 [PCH            ]: HDA-Intel - HDA Intel PCH
                            HDA Intel PCH at 0xf7a10000 irq 31
       1 [Loopback       ]: Loopback - Loopback
                            Loopback 1

      """)
    #expect(system.cardIDs == ["PCH", "Loopback"])
    #expect(system.cards == .ok("sound cards", "HDA Intel PCH (PCH), Loopback (Loopback)"))
  }

  @Test
  func `doctor reports missing sound cards as a note, not as a failure`() {
    #expect(system.cardIDs == [])
    #expect(system.cards.state == .note)
  }

  @Test
  func `the note on an inaccessible device file contains the group to join`() throws {
    try write("dev/snd/controlC0", "")
    try write("dev/snd/seq", "")
    var system = system
    system.mayUse = { _ in true }
    #expect(system.permissions == .ok("permissions", "this user may open all 1 files in /dev/snd"))
    system.mayUse = { _ in false }
    #expect(system.permissions.state == .note)
    #expect(system.permissions.detail.hasSuffix("dev/snd/controlC0"))
    #expect(system.permissions.remedy?.contains("usermod -aG") == true)
  }

  @Test
  func `limits of zero and a full disk have remedies; sufficient limits and space have none`() {
    var system = system
    system.limit = { _ in 0 }
    system.freeBytes = { _ in 100 << 20 }
    #expect(system.priority.remedy?.contains("rtprio 20") == true)
    #expect(system.lockedMemory.remedy?.contains("memlock") == true)
    #expect(system.disk.remedy != nil && system.disk.detail.contains("0.1 GB"))
    system.limit = { _ in .max }
    system.freeBytes = { _ in 2 << 30 }
    #expect(system.priority == .ok("real-time priority", "rtprio is unlimited"))
    #expect(system.lockedMemory.state == .ok && system.disk.state == .ok)
  }

  @Test
  func `without FFmpeg, the remedy contains the package to install`() {
    var system = system
    system.ffmpeg = nil
    #expect(system.otherFormats.remedy == "`apt install ffmpeg`")
    system.ffmpeg = "/usr/bin/ffmpeg"
    #expect(system.otherFormats.state == .ok)
  }

  private func write(_ path: String, _ text: String) throws {
    let file = folder.file(path)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
  }
}
