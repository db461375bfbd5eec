/// The modules that each target of `Sources` may import.
///
/// Of this package's own modules these are exactly the dependencies in the manifest, so that a new edge of the graph is a
/// change here as well.
struct ImportRules {
  /// The modules that each target may import, besides those for everybody.
  var allowed: [String: Set<String>]
  /// The only target that imports each C module.
  var owners: [String: String]
  /// The parts of Swift itself, for every target.
  var forEverybody: Set<String> = ["Swift", "Synchronization", "_Concurrency", "_StringProcessing"]
}

extension ImportRules {
  static let ofSyrinx = ImportRules(allowed: allowed, owners: owners)

  private static let owners = [
    "CALSA": "ALSASoundCard",
    "CCairo": "AudioPlots",
    "CEBUR128": "Loudness",
    "CFLAC": "SoundFile",
    "CKissFFT": "AudioPlots",
    "CLinux": "AudioThreads",
    "CMPG123": "SoundFile",
    "CPNG": "AudioPlots",
    "CPocketSphinx": "PocketSphinxEngine",
    "CSndFile": "SoundFile",
    "CSoxr": "Resampling",
    "CTagLib": "SoundFile",
    "CVorbis": "SoundFile",
    "CLibYAML": "SyrinxCommand",
  ]

  private static let essentials: Set = ["FoundationEssentials", "Glibc"]
  private static let clients: Set = ["AudioPlayerClient", "AudioRecorderClient", "SpeechClient"]
  private static let lives: Set = [
    "AudioPlayerClientLive", "AudioRecorderClientLive", "SpeechClientLive",
  ]
  private static let engine = essentials.union([
    "AudioCore", "AudioThreads", "ClientDependencies", "FilePaths", "Resampling", "SoundFile",
  ])

  private static let allowed: [String: Set<String>] = [
    // The vocabulary. Glibc (or Musl) gives AudioCore sine and logarithm, which Swift lacks.
    "AudioCore": ["Glibc", "Musl"],
    "AudioThreads": ["CLinux", "Glibc", "Logging"],
    "FilePaths": essentials,

    // Dependencies that a feature controls, or Point-Free's modules in their place.
    "ClientDependencies": essentials.union([
      "Dependencies", "Dispatch", "Foundation", "FoundationNetworking", "IssueReporting",
    ]),
    "ClientDependenciesMacros": [
      "ClientDependencies", "ClientDependenciesMacrosPlugin", "DependenciesMacros",
    ],
    "ClientDependenciesMacrosPlugin": [
      "SwiftCompilerPlugin", "SwiftDiagnostics", "SwiftSyntax", "SwiftSyntaxBuilder",
      "SwiftSyntaxMacros",
    ],
    "ClientDependenciesTestSupport": [
      "ClientDependencies", "DependenciesTestSupport", "Testing", "XCTest",
    ],

    // Features: the dependencies that they control, and nothing of audio or speech.
    "Reducers": [
      "ClientDependencies", "CustomDump", "IssueReporting", "Observation", "OrderedCollections",
    ],

    "ReducersMacros": ["ClientDependenciesMacros", "Reducers", "ReducersMacrosPlugin"],
    "ReducersMacrosPlugin": [
      "SwiftCompilerPlugin", "SwiftDiagnostics", "SwiftSyntax", "SwiftSyntaxBuilder",
      "SwiftSyntaxMacros",
    ],

    // The seams: no C, and nothing above or below them.
    "SoundCard": ["AudioCore", "AudioThreads", "ClientDependencies"],
    "SpeechEngine": ["AudioCore", "AudioThreads", "ClientDependencies", "FilePaths"],

    // The owners of C libraries.
    "ALSASoundCard": [
      "AudioCore", "AudioThreads", "CALSA", "ClientDependencies", "FilePaths", "Glibc", "Logging",
      "SoundCard",
    ],
    "SoundFile": essentials.union([
      "AudioCore", "AudioThreads", "CFLAC", "CMPG123", "CSndFile", "CTagLib", "CVorbis",
      "FilePaths",
      "Logging",
    ]),
    "AudioPlots": ["AudioCore", "CCairo", "CKissFFT", "CPNG", "Glibc"],
    "Loudness": ["AudioCore", "CEBUR128", "Glibc"],
    "Resampling": ["AudioCore", "CSoxr"],
    "PocketSphinxEngine": essentials.union([
      "AudioCore", "CPocketSphinx", "ClientDependencies", "FilePaths", "Logging", "SpeechEngine",
    ]),

    // Files converted into others.
    "Conversion": [
      "AudioCore", "AudioThreads", "FilePaths", "FoundationEssentials", "Glibc", "Loudness",
      "Resampling", "SoundFile",
    ],

    // Libraries that are loaded at run time, and engines that use them: no C module.
    "ONNXRuntime": essentials.union(["AudioThreads", "FilePaths", "Logging", "SpeechEngine"]),
    "SileroDetector": [
      "AudioCore", "FilePaths", "FoundationEssentials", "ONNXRuntime", "SpeechEngine",
    ],
    "VoskEngine": essentials.union(["AudioCore", "FilePaths", "Logging", "SpeechEngine"]),
    // It aligns words with PocketSphinx' acoustic model.
    "MoonshineEngine": essentials.union([
      "AudioCore", "AudioThreads", "FilePaths", "Logging", "ONNXRuntime", "PocketSphinxEngine",
      "SpeechEngine",
    ]),

    // The Wyoming protocol: the meaning of its bytes, the engine that is a client, and the server, which alone needs
    // SwiftNIO and swift-metrics.
    "Wyoming": ["AudioCore", "FoundationEssentials"],
    "WyomingEngine": [
      "AudioCore", "AudioThreads", "FilePaths", "Glibc", "SpeechEngine", "Wyoming",
    ],
    "WyomingServer": [
      "AudioCore", "AudioThreads", "ClientDependencies", "CoreMetrics", "FilePaths", "Glibc",
      "NIOCore", "NIOHTTP1", "NIOPosix", "SpeechClient", "SpeechEngine", "Transcripts", "Wyoming",
    ],

    // The clients' interfaces and the engines behind them. A speech request may name a microphone with the recorder's
    // types, so that a feature that overrides the recorder has overridden the microphone.
    "AudioPlayerClient": [
      "AudioCore", "ClientDependencies", "FilePaths", "FoundationEssentials",
    ],
    "AudioRecorderClient": [
      "AudioCore", "ClientDependencies", "FilePaths", "FoundationEssentials",
    ],
    "SpeechClient": [
      "AudioCore", "AudioRecorderClient", "ClientDependencies", "FoundationEssentials",
    ],
    // Transcriptions as subtitles, and the measure of their errors.
    "Transcripts": ["AudioCore", "SpeechClient"],
    "AudioPlayerClientLive": engine.union(["AudioPlayerClient", "SoundCard"]),
    "AudioRecorderClientLive": engine.union(["AudioRecorderClient", "SoundCard"]),
    "SpeechClientLive": engine.union(["SoundCard", "SpeechClient", "SpeechEngine", "Transcripts"]),

    // What people try things with, and test with: never a Live module, never C.
    "VirtualSoundCard": ["AudioCore", "AudioThreads", "ClientDependencies", "SoundCard"],
    "SyrinxTestSupport": [
      "AudioCore", "AudioRecorderClient", "AudioThreads", "ClientDependencies", "FilePaths",
      "Foundation", "SoundCard", "SoundFile", "SpeechClient", "SpeechEngine", "VirtualSoundCard",
    ],

    // The command's work, above the interfaces, and the executable, which chooses the live values.
    "SyrinxCommand": essentials.union(clients).union([
      "ArgumentParser", "AudioCore", "AudioPlots", "AudioThreads", "ClientDependencies",
      "Conversion", "CLibYAML", "FilePaths", "Logging", "Loudness", "ONNXRuntime", "SoundCard",
      "SoundFile", "SpeechEngine", "Transcripts", "VirtualSoundCard", "Wyoming", "WyomingServer",
    ]),
    "syrinx": lives.union([
      "ALSASoundCard", "FilePaths", "MoonshineEngine", "ONNXRuntime", "PocketSphinxEngine",
      "SileroDetector", "SpeechEngine", "SyrinxCommand", "VoskEngine", "Wyoming", "WyomingEngine",
    ]),
  ]
}
