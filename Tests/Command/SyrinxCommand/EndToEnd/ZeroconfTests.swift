import Foundation
import Glibc
import TestTools
import Testing

/// Tests `syrinx serve --zeroconf` with an Avahi daemon, on a separate bus and in a separate
/// network.
@Suite(
  .timeLimit(.minutes(5)), .enabled(if: geteuid() == 0, "a network of its own requires root"))
struct ZeroconfTests {
  let folder: TestFolder

  init() throws {
    folder = try TestFolder()
  }

  /// Runs a shell script with a bus, and returns the lines that it prints.
  ///
  /// The script can use these functions: `avahi` starts the daemon, and `serve LOG OPTION...`
  /// starts a server whose log is the descriptor LOG. `await LOG TEXT` prints the next line that
  /// contains the text, and `browse` prints the services that Avahi finds.
  private func lines(of script: String) async throws -> [String] {
    let address = "unix:path=\(folder.file("bus").path)"
    let rules = ["user", "own", "send_destination", "receive_sender"].map { "<allow \($0)=\"*\"/>" }
    try Data(
      """
      <busconfig>
        <type>system</type><listen>\(address)</listen>
        <policy context="default">\(rules.joined())</policy>
      </busconfig>
      """.utf8
    ).write(to: folder.file("bus.conf"))
    let run = try await BuiltCommand.shell(
      """
      await() {
        while read -r line <&$1; do
          case $line in *"$2"*) echo "$line"; return ;; esac
        done
        return 1
      }
      avahi() {
        exec 4< <(exec unshare --net --mount bash -c 'ip link set lo up
          mount -t tmpfs tmpfs /run && mkdir /run/avahi-daemon
          exec avahi-daemon --file /dev/null --no-drop-root --no-chroot --no-rlimits' 2>&1)
        avahi=$!
        await 4 'startup complete' >startup
      }
      serve() {
        log=$1
        shift
        eval "exec $log< <(exec syrinx serve ${*@Q} 2>&1)"
        servers="$servers $!"
      }
      browse() { avahi-browse --terminate --resolve --parsable _wyoming._tcp | grep '^=;lo;IPv4'; }
      trap 'kill $servers $browser $avahi $bus 2>killed' EXIT
      export DBUS_SYSTEM_BUS_ADDRESS='\(address)'
      exec 3< <(exec dbus-daemon --config-file bus.conf --nofork --print-address 2>bus.log)
      bus=$!
      await 3 unix: >address
      \(script)
      """, in: folder)
    #expect(run.status == 0, "\(run.error)")
    return run.outputLines
  }

  private static let remote = "--wyoming tcp://0.0.0.0:0 --allow-remote"

  @Test func `a server is announced with its name and port, and withdrawn when it ends`()
    async throws
  {
    let lines = try await lines(
      of: """
        avahi
        serve 5 \(Self.remote) --zeroconf 'Living room'
        await 5 listening && await 5 announced && browse
        exec 6< <(exec avahi-browse --parsable _wyoming._tcp)
        browser=$!
        await 6 '+;lo;IPv4;' && kill $servers && await 6 '-;lo;IPv4;'
        """)
    try #require(lines.count == 5, "\(lines)")
    let port = try #require(lines[0].firstMatch(of: #/:(\d+);/#)).output.1
    #expect(lines[1] == "syrinx: announced in the local network as Living room")
    #expect(lines[2].hasPrefix(#"=;lo;IPv4;Living\032room;_wyoming._tcp;local;"#), "\(lines[2])")
    #expect(lines[2].contains(";127.0.0.1;\(port);"), "\(lines[2])")
    let signs = lines.suffix(2).map { $0.prefix { $0 != ";" } }
    #expect(signs == ["+", "-"])
  }

  @Test func `a second server with the same name is announced under an alternative name`()
    async throws
  {
    let lines = try await lines(
      of: """
        avahi
        serve 5 \(Self.remote) --zeroconf && await 5 announced
        serve 6 \(Self.remote) --zeroconf --log-format json && await 6 announced
        browse | wc -l
        """)
    try #require(lines.count == 3, "\(lines)")
    #expect(lines[0] == "syrinx: announced in the local network as syrinx")
    #expect(lines[1].contains(##""event":"announced","name":"syrinx #2""##))
    #expect(lines[2] == "2")
  }

  @Test func `a server is announced once a daemon starts, and again after it has restarted`()
    async throws
  {
    let lines = try await lines(
      of: """
        serve 5 \(Self.remote) --zeroconf && await 5 announced
        for time in 1 2; do
          avahi && await 5 announced && kill $avahi && await 5 announced
        done
        """)
    let (missing, announced) = (
      "syrinx: not announced in the local network: the Avahi daemon is not running; start "
        + "avahi-daemon",
      "syrinx: announced in the local network as syrinx"
    )
    #expect(lines == [missing, announced, missing, announced, missing])
  }

  @Test
  func `a server works unannounced if there is no system bus, or if it serves only this machine`()
    async throws
  {
    let ping = #"echo '{"type":"ping"}' >&7 && head -n 1 <&7"#
    let lines = try await lines(
      of: """
        kill $bus && wait $bus
        serve 5 \(Self.remote) --zeroconf && await 5 listening >log && await 5 announced
        exec 7<>/dev/tcp/127.0.0.1/$(grep -o '[0-9]*;' log | tr -d ';') && \(ping)
        serve 6 --wyoming tcp://127.0.0.1:0 --zeroconf && await 6 announced
        """)
    try #require(lines.count == 3, "\(lines)")
    #expect(lines[0].hasPrefix("syrinx: not announced in the local network: Avahi reports: "))
    #expect(lines[1].contains(#""type":"pong""#))
    #expect(
      lines[2]
        == "syrinx: not announced in the local network: only this machine can reach the server")
  }
}
