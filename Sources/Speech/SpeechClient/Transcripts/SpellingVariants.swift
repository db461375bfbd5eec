/// Unifies the spelling of English words.
///
/// It expands contractions and abbreviations, uses American spellings, and removes fillers.
enum SpellingVariants {
  /// Returns the words to compare for a lowercase word.
  static func words(for word: String) -> [String] {
    if fillers.contains(word) { return [] }
    return (phrases[word] ?? expanded(word)).map(american)
  }

  private static let fillers: Set<String> = [
    "uh", "uhh", "um", "umm", "uhm", "er", "erm", "hm", "hmm", "mm", "mmm", "mhm",
  ]

  /// Words that follow no rule.
  private static let phrases: [String: [String]] = [
    "won't": ["will", "not"], "can't": ["can", "not"], "cannot": ["can", "not"],
    "shan't": ["shall", "not"], "ain't": ["is", "not"], "let's": ["let", "us"],
    "y'all": ["you", "all"],
    "gonna": ["going", "to"], "wanna": ["want", "to"], "gotta": ["got", "to"],
    "ok": ["okay"], "mr": ["mister"], "mrs": ["missus"], "dr": ["doctor"], "prof": ["professor"],
    "vs": ["versus"], "etc": ["et", "cetera"],
  ]

  /// The endings of contractions; 's may be a possessive and counts only after these words.
  private static let endings = [
    ("n't", "not"), ("'re", "are"), ("'ll", "will"), ("'ve", "have"), ("'m", "am"), ("'d", "would"),
  ]
  private static let subjects: Set<String> = [
    "it", "he", "she", "that", "this", "there", "here", "what", "who", "where", "when", "why",
    "how",
  ]

  private static func expanded(_ word: String) -> [String] {
    guard word.contains("'") else { return [word] }
    for (ending, meaning) in endings where word.hasSuffix(ending) && word.count > ending.count {
      return expanded(String(word.dropLast(ending.count))) + [meaning]
    }
    let stem = String(word.dropLast(2))
    return word.hasSuffix("'s") && subjects.contains(stem) ? [stem, "is"] : [word]
  }

  private static func american(_ word: String) -> String {
    if let other = spellings[word] { return other }
    for length in stride(from: min(word.count, longestStem), through: 5, by: -1) {
      let stem = String(word.prefix(length))
      if let other = stems[stem] { return other + word.dropFirst(length) }
    }
    return withZ(word)
  }

  /// Spells organise, organised, organising, and organisation with a z, unless they are exceptions.
  private static func withZ(_ word: String) -> String {
    for ending in ["ise", "ises", "ised", "iser", "isers", "ising", "isation", "isations"]
    where word.hasSuffix(ending) && word.count - ending.count >= 4 {
      let stem = word.dropLast(ending.count)
      return wordsWithS.contains { stem.hasSuffix($0) } ? word : stem + "iz" + ending.dropFirst(2)
    }
    return word
  }

  /// The parts before "ise" of words that are always spelled with an s.
  private static let wordsWithS = [
    "adv", "rev", "dev", "superv", "telev", "improv", "exerc", "surpr", "enterpr", "compr", "desp",
    "prem", "prom", "otherw", "likew", "clockw", "lengthw", "crossw", "prec", "disgu", "franch",
    "merchand", "expert", "parad", "treat", "turquo", "porpo", "torto", "appra", "mayonna",
  ]

  private static let longestStem = stems.keys.map(\.count).max() ?? 0

  /// The beginnings of words.
  private static let stems: [String: String] = [
    "armour": "armor", "behaviour": "behavior", "clamour": "clamor", "colour": "color",
    "endeavour": "endeavor", "favour": "favor", "flavour": "flavor", "harbour": "harbor",
    "honour": "honor", "humour": "humor", "labour": "labor", "neighbour": "neighbor",
    "odour": "odor", "parlour": "parlor", "rumour": "rumor", "saviour": "savior",
    "savour": "savor", "splendour": "splendor", "tumour": "tumor", "vapour": "vapor",
    "vigour": "vigor",
    "cancelle": "cancele", "cancelli": "canceli", "counsello": "counselo", "fuelle": "fuele",
    "jewelle": "jewele", "labelle": "labele", "labelli": "labeli", "levelle": "levele",
    "levelli": "leveli", "marvello": "marvelo", "modelle": "modele", "modelli": "modeli",
    "quarrelle": "quarrele", "signalle": "signale", "signalli": "signali",
    "travelle": "travele", "travelli": "traveli",
    "analyse": "analyze", "analysi": "analyzi", "analysis": "analysis", "paralyse": "paralyze",
    "catalyse": "catalyze", "anaemi": "anemi", "anaesth": "anesth", "encyclopaed": "encycloped",
    "oestrogen": "estrogen", "paediatric": "pediatric", "manoeuvre": "maneuver",
    "archaeolog": "archeolog", "sceptic": "skeptic", "aluminium": "aluminum",
    "moustache": "mustache", "plough": "plow", "mould": "mold", "acknowledgement": "acknowledgment",
    "judgement": "judgment", "aeroplane": "airplane", "pyjama": "pajama", "skilful": "skillful",
    "wilful": "willful", "instalment": "installment", "enrolment": "enrollment",
    "fulfilment": "fulfillment",
  ]

  /// Whole words.
  private static let spellings: [String: String] = [
    "centre": "center", "centres": "centers", "centred": "centered", "theatre": "theater",
    "theatres": "theaters", "metre": "meter", "metres": "meters", "kilometre": "kilometer",
    "kilometres": "kilometers", "centimetre": "centimeter", "centimetres": "centimeters",
    "millimetre": "millimeter", "millimetres": "millimeters", "litre": "liter", "litres": "liters",
    "fibre": "fiber", "fibres": "fibers", "calibre": "caliber", "sombre": "somber",
    "lustre": "luster", "meagre": "meager", "spectre": "specter",
    "catalogue": "catalog", "catalogues": "catalogs", "dialogue": "dialog", "dialogues": "dialogs",
    "analogue": "analog", "defence": "defense", "defences": "defenses", "offence": "offense",
    "offences": "offenses", "licence": "license", "licences": "licenses", "pretence": "pretense",
    "practise": "practice", "practised": "practiced", "practising": "practicing",
    "grey": "gray", "greys": "grays", "greyer": "grayer", "tyre": "tire", "tyres": "tires",
    "cheque": "check", "cheques": "checks", "programme": "program", "programmes": "programs",
    "kerb": "curb", "cosy": "cozy", "ageing": "aging", "fulfil": "fulfill", "enrol": "enroll",
    "learnt": "learned", "burnt": "burned", "spelt": "spelled", "dreamt": "dreamed",
    "spoilt": "spoiled", "whilst": "while", "amongst": "among", "towards": "toward",
    "afterwards": "afterward", "mum": "mom", "maths": "math", "jewellery": "jewelry",
  ]
}
